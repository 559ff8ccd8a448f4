"""Members of a forest: their bags, and growing them with a given estimator."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from retree.arithmetic import running_sum
from retree.forests.forest import Forest
from retree.java_random import JavaRandom
from retree.trees.base import BaseTree
from retree.trees.mixed import Sample
from retree.trees.tree import Tree


def weka_bags(
    weight: NDArray[np.float64], seed: int, release: str, *, seeds: bool = False
) -> Iterator[tuple[NDArray[np.int32], int | None]]:
    """Yield the rows of each bag in the order in which they are drawn, and its member's seed.

    Weka draws as many rows as there are, by ``Instances.resampleWithWeights``. Bagging in Weka 3.6
    draws all bags with one generator, ``new Random(seed)``, and after each bag the seed of its
    member. In 3.9 it draws bag i, counted from 0, with ``new Random(seed + i)``, and the seeds with
    ``new Random(seed)``.

    Shapes: `weight` (n_samples,).
    `seeds`: whether members take a seed; otherwise no seeds are drawn.

    References
    ----------
    Weka's ``Bagging`` and ``Instances.resampleWithWeights``, observed in 3.6.14 and 3.9.
    """
    table = _alias_table(weight)
    random = JavaRandom(seed)
    for bag in count():
        drawn = (JavaRandom(seed + bag) if release == "3.9" else random).draw(*table)
        yield drawn, random.integer() if seeds else None


def _alias_table(weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return Walker's alias table: the place below which a row is kept, and the row drawn else.

    If all rows have the same weight, rounding can put all places just below 1; in that last bit
    every row then gives row 0, as in Weka.
    """
    n = len(weight)
    total = 0.0
    for each in weight.tolist():
        total += each
    keep = [n * (each / total) for each in weight.tolist()]
    other = [0] * n
    light = [i for i in range(n) if keep[i] < 1.0]
    queue = light + [i for i in reversed(range(n)) if keep[i] >= 1.0]
    heavy = len(light)
    if 0 < heavy < n:
        for k in range(n - 1):
            i, j = queue[k], queue[heavy]
            other[i] = j
            keep[j] += keep[i] - 1.0
            heavy += keep[j] < 1.0
            if heavy >= n:
                break
    return np.array(keep) + np.arange(n), np.array(other, np.int32)


Member = tuple[BaseTree, Sample]  # an estimator, and the rows with their weights


class Members:
    """Grows the members of a forest on the same rows with different weights.

    `random_state`: gives each member that draws random numbers its own seed.
    """

    def __init__(
        self, template: BaseTree, sample: Sample, random_state: int | RandomState | None
    ) -> None:
        self._random_state = random_state
        self.divide_missing = template.contract.divides_missing
        self.kind: dict[str, Any] = {
            "divide_missing": self.divide_missing,
            "impurity": template.impurity,
            "exact_votes": template.contract.exact_votes,
        }
        # Whether members grow on the rows as they are drawn, one by one, with seeds of their own.
        self.keep_draws = template.contract.keeps_draws
        self.template: Any = template
        self._draws = "random_state" in template.get_params(deep=False)
        self._sample = sample

    @cached_property
    def rng(self) -> RandomState:
        """The generator that draws the members' seeds, among other things."""
        return check_random_state(self._random_state)

    @cached_property
    def _rows(self) -> Sample:
        return self.template.share(self._sample)

    def draw(self, weight: NDArray[np.float64], times: NDArray[np.int32] | None = None) -> Member:
        """Return the next member with its own seed, and its rows with these weights and counts."""
        template: BaseTree = self.template
        if self._draws:
            template = self.seeded(int(self.rng.randint(2**31 - 1)))
        return template, self._rows._replace(weight=weight, times=times)

    def bag(self, drawn: NDArray[np.integer[Any]], seed: int | None = None) -> Member:
        """Return the next member with the rows of a bag in the order in which they were drawn.

        `seed`: the member's seed, if it takes one; its rows then keep their order.
        """
        times = np.bincount(drawn, minlength=len(self._sample.y)).astype(np.int32)
        weight = times.astype(np.float64)
        if seed is None:
            return self.draw(weight, times)
        rows = self._rows._replace(
            weight=weight, times=times, drawn=drawn.astype(np.int32, copy=False)
        )
        return self.seeded(seed), rows

    def seeded(self, seed: int) -> BaseTree:
        """Return a copy of the template with a seed."""
        member: Any = copy(self.template)
        member.random_state = seed
        return member

    def error(self, tree: Tree, weight: NDArray[np.float64]) -> float:
        """Return the weighted training error of a tree that predicts its highest class shares.

        Shares are compared exactly, as in Weka's ``Evaluation``.
        """
        shares = tree.predicted(self._sample.X, divide_missing=self.divide_missing)
        misclassified = shares.argmax(axis=1) != self._sample.y
        return running_sum(weight[misclassified]) / running_sum(weight)

    def reweighted(
        self, tree: Tree, weight: NDArray[np.float64], factor: float
    ) -> NDArray[np.float64]:
        """Multiply the weights of misclassified rows by `factor`, then scale all to the same sum.

        A row is misclassified if the member votes for another class. Weka's J48 treats shares as
        tied if they differ by less than 1e-6, its stumps do not.
        """
        codes = Forest((tree,), np.ones(1), **self.kind).member_codes(self._sample.X)[0]
        raised = np.where(codes != self._sample.y, weight * factor, weight)
        return raised * running_sum(weight) / running_sum(raised)


def tree_of(member: Member) -> Tree:
    """Grow the tree of a member; some of its rows may have weight 0."""
    estimator, rows = member
    return estimator.tree_of(rows)
