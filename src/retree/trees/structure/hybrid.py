"""What trees of hybrid splitting criteria share: Algorithm 1 of structure_purity, and its grids."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone

from retree.trees.base import NumericTreeClassifier
from retree.trees.declaring import parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.parameters import (
    WithClassWeight,
    WithDepth,
    WithFilling,
    WithLimits,
    WithSmoothing,
)
from retree.trees.pruning.alpha_choice import Grow
from retree.trees.structure.growing import Rule, grow
from retree.trees.tree import Tree
from retree.trees.validation import depth_limit, least_number, one_of, rows_or_share, whole


@parameters
class HybridTreeClassifier(
    WithDepth, WithFilling, WithClassWeight, WithSmoothing, WithLimits, NumericTreeClassifier
):
    """Axis-parallel binary tree, each split one of the `k` best by some first measure.

    Candidate thresholds are the feature values themselves (``x <= v``). Subclasses say in `_rule`
    what candidates are ranked by and what chooses among the best.

    Parameters
    ----------
    k : int
        Number of candidates of which a second measure chooses one.
    small_child : {"leaf", "skip", "keep"}
        What happens where a split leaves a child of fewer than `min_samples_leaf` rows: "leaf" is
        Algorithm 1 of Du and Chen (2023) as it stands (the best split is chosen first; if it has
        such a child, the node becomes a leaf), "skip" never considers such splits, as
        scikit-learn's trees do, "keep" splits all the same.
    min_samples_leaf : int or float
        A node of no more rows is a leaf; other than with "keep", the least number of rows of a
        child, too. A fraction in (0, 1) is one of all rows, rounded up.
    """

    k: int = parameter(default=2, check=whole(1))
    small_child: str = parameter(default="keep", check=one_of("leaf", "skip", "keep"))
    min_samples_leaf: float = parameter(default=2, check=rows_or_share(1))

    _tunable: ClassVar[tuple[str, ...]] = ("k",)

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
        for point in points:
            template._check_parameters(**point)
        sample = template._checked_sample(X, y, sample_weight)
        fitted = []
        for point, tree in zip(points, template._grow(sample, points), strict=True):
            made = copy(template).set_params(**point)
            made.tree_ = made._smoothed(made._trimmed(tree))
            fitted.append(made)
        return fitted

    def _growing(self, sample: Sample, rng: RandomState) -> Grow:
        return lambda part: self._grow(part, [{}])[0]

    def _grow(self, sample: Sample, points: Sequence[Mapping[str, Any]]) -> list[Tree]:
        """Return the grown tree of each point."""
        return grow(sample, len(self.classes_), self._rule(points, sample))

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        """Return the rule of the greatest purity.

        There are fewer candidates than values, and limits beyond that are no limits.
        """
        n_values, total = sample.X.size, float(sample.weight.sum())
        smallest = least_number("min_samples_leaf", self.min_samples_leaf, total, 1)
        smallest = min(smallest, math.ceil(total))
        return Rule(
            k=np.array([min(p.get("k", self.k), n_values) for p in points], np.int64),
            alpha=np.ones(len(points)),
            omega2=np.zeros(1),
            list_of=np.zeros(len(points), np.int64),
            codes=np.empty((len(self.classes_), 0), np.int8),
            min_samples_leaf=smallest,
            least_ranked=smallest if self.small_child == "skip" else 0,
            least_taken=0 if self.small_child == "keep" else smallest,
            max_depth=min(depth_limit(self.max_depth), n_values),
        )
