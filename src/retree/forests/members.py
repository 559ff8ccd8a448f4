"""What grows the members of a forest from a given estimator."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from retree.arithmetic import running_sum
from retree.forests.forest import Forest
from retree.trees.base import BaseTree
from retree.trees.mixed import Sample
from retree.trees.tree import Tree

Times = NDArray[np.int32] | None
# An estimator, weights of the rows and how often each counts; and the rows as they were drawn, for
# a family that keeps their order.
Member = (
    tuple[Any, NDArray[np.float64], Times]
    | tuple[Any, NDArray[np.float64], Times, NDArray[np.int32]]
)


class Members:
    """Grows the members of a forest, on the same rows with other weights.

    `random_state`: gives a seed of its own to each member that draws.
    """

    def __init__(
        self, template: BaseTree, sample: Sample, random_state: int | RandomState | None
    ) -> None:
        self._random_state = random_state
        self.divide_missing = template.contract.divides_missing
        self.kind: dict[str, Any] = {
            "divide_missing": self.divide_missing,
            "impurity": template._impurity,
            "exact_votes": template.contract.exact_votes,
        }
        # Whether members grow on the rows as they are drawn, one by one, with seeds of their own.
        self.keep_draws = template.contract.keeps_draws
        self.template: Any = template
        self._draws = "random_state" in template.get_params(deep=False)
        self._sample = sample

    @cached_property
    def rng(self) -> RandomState:
        """The generator that draws the seeds, and other things."""
        return check_random_state(self._random_state)

    @cached_property
    def _grow(self) -> Callable[..., Tree]:
        return self.template._grower(self._sample)

    def draw(self, weight: NDArray[np.float64], times: Times = None) -> Member:
        """Return the next member, with a seed of its own, and weights and counts of the rows."""
        if not self._draws:
            return self.template, weight, times
        return self.seeded(int(self.rng.randint(2**31 - 1))), weight, times

    def bag(self, drawn: NDArray[np.integer[Any]], seed: int | None = None) -> Member:
        """Return the next member, with the rows of a bag as they were drawn.

        `seed`: the member's own, if it takes one from outside; its rows then keep their order.
        """
        times = np.bincount(drawn, minlength=len(self._sample.y)).astype(np.int32)
        weight = times.astype(np.float64)
        if seed is None:
            return self.draw(weight, times)
        return self.seeded(seed), weight, times, drawn.astype(np.int32, copy=False)

    def seeded(self, seed: int) -> BaseTree:
        """Return the template with a seed."""
        member: Any = copy(self.template)
        member.random_state = seed
        return member

    def tree(self, member: Member) -> Tree:
        """Return the tree of a member; some of its weights may be 0."""
        return self._grow(*member)

    def error(self, tree: Tree, weight: NDArray[np.float64]) -> float:
        """Return the weighted training error of a tree by its highest class shares.

        Weka's ``Evaluation`` compares them to the last bit.
        """
        shares = tree.predicted(self._sample.X, divide_missing=self.divide_missing)
        misclassified = shares.argmax(axis=1) != self._sample.y
        return running_sum(weight[misclassified]) / running_sum(weight)

    def reweighted(
        self, tree: Tree, weight: NDArray[np.float64], factor: float
    ) -> NDArray[np.float64]:
        """Return the weights with those of misclassified rows times `factor`, of the same sum.

        Shares that differ by less than 1e-6 are tied where Weka's J48 predicts, and not where its
        stumps do: what counts is what the members vote for.
        """
        codes = Forest((tree,), np.ones(1), **self.kind).member_codes(self._sample.X)[0]
        raised = np.where(codes != self._sample.y, weight * factor, weight)
        return raised * running_sum(weight) / running_sum(raised)


def prepare(
    forest: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Sample, Members]:
    """Check parameters and data of `forest`; return the rows, and what grows the members."""
    forest._check_parameters()
    template = clone(forest.parts()["estimator"])
    if not (isinstance(template, BaseTree) and template.contract.in_forests):
        raise TypeError(
            "estimator must be a tree classifier that forests can grow: C45Classifier, "
            "CartClassifier, CMDTClassifier, DecisionStumpClassifier, ID3Classifier, "
            "OneRClassifier, REPTreeClassifier or WekaRandomTreeClassifier, not "
            f"{type(template).__name__}."
        )
    if template.fill_missing is not None:
        raise ValueError(
            "Members fill in nothing; leave fill_missing of the estimator out, and fill in before, "
            "for example with sklearn.impute.SimpleImputer."
        )
    if template.class_weight is not None:
        raise ValueError("Set class_weight on the forest, not on its estimator.")
    template._check_parameters()
    sample = forest._checked_sample(X, y, sample_weight)
    template._adopt(forest.classes_, forest.categories_, forest._n_declared)
    template._class_order = forest._class_order
    return sample, Members(template, sample, forest.random_state)
