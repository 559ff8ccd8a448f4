"""What trees of hybrid splitting criteria share: Algorithm 1 of structure_purity, and its grids."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_scalar

from retree.trees.mixed import Sample
from retree.trees.numeric import NumericTreeClassifier
from retree.trees.pruning.limits import check_limits, limit_growth
from retree.trees.structure.growing import Rule, grow
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, depth_limit, least_number


class HybridTreeClassifier(NumericTreeClassifier):
    """Axis-parallel binary tree, each split one of the `k` best by some first measure.

    Candidate thresholds are the feature values themselves (``x <= v``). Subclasses say in `_rule`
    what candidates are ranked by and what chooses among the best.
    """

    _tunable: ClassVar[tuple[str, ...]] = ("k",)

    k: int
    small_child: str
    min_samples_leaf: float
    max_depth: int | None
    max_leaf_nodes: int | None
    min_impurity_decrease: float

    def fit_grid(
        self,
        X: ArrayLike,
        y: ArrayLike,
        points: Sequence[Mapping[str, Any]],
        sample_weight: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit a clone with each of `points`; nodes on which their trees agree are computed once.

        Parameters
        ----------
        X, y : array-like
            As in `fit`.
        points : sequence of mappings
            Values that replace the estimator's own: of ``k``, and of the weight ``omega2`` or
            ``alpha`` that some have.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            As in `fit`.

        Returns
        -------
        list of estimators
            In the order of `points`; each is what ``fit`` of the clone would give.
        """
        if wrong := {name for point in points for name in point} - set(self._tunable):
            raise ValueError(
                f"fit_grid shares work over {self._tunable}, not over {sorted(wrong)}."
            )
        if not points:
            return []
        template = clone(self)
        trees = template._grow(template._checked_sample(X, y, sample_weight), points)
        fitted = []
        for point, tree in zip(points, trees, strict=True):
            estimator = copy(template).set_params(**point)
            estimator.tree_ = tree
            fitted.append(estimator)
        return fitted

    def _tree(self, sample: Sample) -> Tree:
        return self._grow(sample, [{}])[0]

    def _grow(self, sample: Sample, points: Sequence[Mapping[str, Any]]) -> list[Tree]:
        """Return the tree of each point."""
        limits = self.max_leaf_nodes, self.min_impurity_decrease
        check_limits(*limits)
        trees = grow(sample, len(self.classes_), self._rule(points, sample))
        return [self._smoothed(limit_growth(tree, self._impurity, *limits)) for tree in trees]

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        """Validate the shared parameters and return the rule of the greatest purity.

        There are fewer candidates than values, and limits beyond that are no limits.
        """
        n_values, total = sample.X.size, float(sample.weight.sum())
        check_choice("small_child", self.small_child, ("leaf", "skip", "keep"))
        smallest = least_number("min_samples_leaf", self.min_samples_leaf, total, 1)
        smallest = min(smallest, math.ceil(total))
        ks = [check_scalar(p.get("k", self.k), "k", Integral, min_val=1) for p in points]
        return Rule(
            k=np.array([min(k, n_values) for k in ks], np.int64),
            alpha=np.ones(len(points)),
            omega2=np.zeros(1),
            list_of=np.zeros(len(points), np.int64),
            codes=np.empty((len(self.classes_), 0), np.int8),
            min_samples_leaf=smallest,
            least_ranked=smallest if self.small_child == "skip" else 0,
            least_taken=0 if self.small_child == "keep" else smallest,
            max_depth=min(depth_limit(self.max_depth), n_values),
        )
