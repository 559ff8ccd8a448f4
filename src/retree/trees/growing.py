"""How an estimator grows its tree: a family defines `grow`, and rarely more than that."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from retree.arithmetic import sum_of
from retree.trees.categories import Levels
from retree.trees.decreases import cart_criteria
from retree.trees.mixed import MixedInput, Sample
from retree.trees.parameters import Pruning, WithLimits
from retree.trees.pruning import fitting
from retree.trees.pruning.limits import limit_growth
from retree.trees.smoothing import Smoothing
from retree.trees.tree import Tree
from retree.trees.validation import least_number

# Parameters that may be a share of all rows, and the least number that they stand for.
_COUNTS = {"min_cases": 1, "min_samples_leaf": 1, "min_samples_split": 2}


class GrowsTree(MixedInput):
    """An estimator that grows a tree."""

    pruning: Pruning | None = None
    pruning_params: Mapping[str, Any] | None = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    smoothing: Smoothing = None

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the unpruned tree of checked rows, without those that pruning holds out.

        `rng`: the result of `draw_seed`.
        """
        raise NotImplementedError

    def tree_of(self, sample: Sample) -> Tree:
        """Grow, limit, prune and smooth the tree of checked rows, as forests do for each member.

        `sample`: some of its rows may have weight 0, as in a bag.
        """
        rng, rows = self.generator(), self.in_rows(sample)
        return self.smoothed(self.counted(rows).grow_pruned(rows, rng))

    def grow_pruned(self, sample: Sample, rng: Any) -> Tree:
        """Grow, limit and prune the tree; C4.5 does it in one call."""
        seed = self.draw_seed(rng)
        return fitting.grow_pruned(
            lambda part: self.trimmed(self.grow(part, seed)),
            sample,
            self.pruning,
            self.all_pruning_params(),
            rng,
            divide_missing=self.contract.divides_missing,
            **self.pruning_needs(),
        )

    @property
    def depends_on_seed(self) -> bool:
        """Whether a fit depends on `random_state`, in growing or in pruning."""
        return self.contract.draws or fitting.draws_rows(self.pruning, self.all_pruning_params())

    def generator(self) -> Any:
        """Return the random number generator of a fit, or its seed if growing draws nothing.

        Seeding a generator takes as long as growing a small tree; pruning seeds one if it needs it.
        """
        seed = getattr(self, "random_state", None)
        is_seed = isinstance(seed, Integral) and 0 <= int(seed) < 2**32
        return seed if is_seed and not self.contract.draws else check_random_state(seed)

    def draw_seed(self, rng: Any) -> Any:
        """Return the `rng` for all trees of a fit, drawn before pruning draws its rows."""
        return rng

    def share(self, sample: Sample) -> Sample:
        """Return the sample with data that trees of a forest share, whatever their row weights."""
        return sample

    def in_rows(self, sample: Sample) -> Sample:
        """Return the sample in the form that this estimator grows on."""
        return sample.with_weight()

    def counted(self, sample: Sample) -> Self:
        """Return a copy with fractions of the rows of `sample` converted to numbers of rows."""
        values = {name: getattr(self, name, 1) for name in _COUNTS}
        shares = {n: v for n, v in values.items() if not isinstance(v, Integral)}
        if not shares:
            return self
        weight = sum_of(sample.weight[sample.weight > 0])
        rows = weight if self.contract.weights == "exact" else len(sample.y)
        made = copy(self)
        for name, value in shares.items():
            total = weight if name == "min_cases" else rows
            setattr(made, name, least_number(name, value, total, _COUNTS[name]))
        return made

    def trimmed(self, tree: Tree) -> Tree:
        """Return the grown tree, not yet pruned, cut by the limits that look at the whole tree."""
        least = self.min_impurity_decrease if isinstance(self, WithLimits) else 0.0
        if self.max_leaf_nodes is None and least == 0.0:
            return tree
        criterion = getattr(self, "criterion", None)
        ranks = criterion if criterion in cart_criteria() else self.impurity
        return limit_growth(tree, ranks, self.max_leaf_nodes, least)

    def smoothed(self, tree: Tree) -> Tree:
        """Return the tree with its probabilities smoothed as `smoothing` says."""
        return tree if self.smoothing is None else replace(tree, smoothing=self.smoothing)

    @property
    def impurity(self) -> str:
        """The impurity for limits and importances, or a criterion of CART that only has gains."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say which impurity ranks its tests: set impurity = "
            "GINI or impurity = ENTROPY in the class (retree.trees.decreases)."
        )

    def pruning_needs(self) -> Mapping[str, Any]:
        """Return further arguments of `prune_error_based`."""
        return {}

    def all_pruning_params(self) -> Mapping[str, Any] | None:
        """Return the parameters of the pruning."""
        return self.pruning_params

    def adopt(
        self,
        classes: NDArray[Any],
        categories: list[Levels],
        n_declared: int,
        class_order: NDArray[np.intp] | None = None,
    ) -> None:
        """Take over classes and columns that another estimator has checked, ready to grow trees."""
        self.classes_, self.categories_, self._n_declared = classes, categories, n_declared
        self._class_order = class_order
        self.n_features_in_ = len(categories)
