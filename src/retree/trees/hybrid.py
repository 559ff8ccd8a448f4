"""What trees of hybrid splitting criteria share: Algorithm 1 of structure_purity, and its grids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_scalar

from retree.trees.base import BaseTreeClassifier
from retree.trees.kernels.bins import make_bins
from retree.trees.kernels.choose import (
    RANK_BY_GAIN_RATIO,
    RANK_BY_MARGIN,
    RANK_BY_PURITY,
    TAKE_COMPACT,
    TAKE_FIRST,
    Rule,
    Scratch,
)
from retree.trees.kernels.columns import Columns, make_columns
from retree.trees.kernels.frequency import make_log_table
from retree.trees.kernels.geometry import make_geometry
from retree.trees.kernels.grow import grow
from retree.trees.kernels.margin import Weighing, make_sweep
from retree.trees.kernels.penalty import PENALTY_NONE
from retree.trees.kernels.ranking import make_ranking
from retree.trees.records import trees_from_records
from retree.trees.tree import Tree
from retree.trees.validation import check_choice


class HybridTreeClassifier(BaseTreeClassifier):
    """Axis-parallel binary tree, each split one of the `k` best by some first measure.

    Candidate thresholds are the attribute values themselves (``x <= v``). Subclasses say in `_rule`
    what candidates are ranked by and what chooses among the best.
    """

    _tunable: ClassVar[tuple[str, ...]] = ("k",)

    k: int
    small_child: str
    min_samples_leaf: int
    max_depth: int | None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        X, codes = self._checked_training_data(X, y)
        self.tree_ = self._grow(X, codes, [{}])[0]
        return self

    def fit_grid(
        self, X: ArrayLike, y: ArrayLike, points: Sequence[Mapping[str, Any]]
    ) -> list[Self]:
        """Fit a clone with each of `points`; nodes on which their trees agree are computed once.

        Parameters
        ----------
        X, y : array-like
            As in `fit`.
        points : sequence of mappings
            Values that replace the estimator's own: of ``k``, and of the weight ``omega2`` or
            ``alpha`` that some have.

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
        X, codes = template._checked_training_data(X, y)
        trees = template._grow(X, codes, points)
        fitted = []
        for point, tree in zip(points, trees, strict=True):
            estimator = copy(template).set_params(**point)
            estimator.tree_ = tree
            fitted.append(estimator)
        return fitted

    def _grow(
        self,
        X: NDArray[np.float64],
        codes: NDArray[np.int32],
        points: Sequence[Mapping[str, Any]],
    ) -> list[Tree]:
        """Return the tree of each point."""
        rule = self._rule(points, X.size)
        distances = rule.rank_by == RANK_BY_MARGIN or rule.take == TAKE_COMPACT
        columns = make_columns(X, codes, len(self.classes_), distances=distances)
        counts = np.bincount(codes, minlength=len(self.classes_))
        numbers, members = grow(columns, counts, rule, _make_scratch(columns, rule))
        return trees_from_records(numbers, members, X)

    def _rule(self, points: Sequence[Mapping[str, Any]], n_values: int) -> Rule:
        """Validate the shared parameters and return the rule of the greatest purity.

        There are fewer than `n_values` candidates, and limits beyond that are no limits.
        """
        check_choice("small_child", self.small_child, ("leaf", "skip", "keep"))
        check_scalar(self.min_samples_leaf, "min_samples_leaf", Integral, min_val=1)
        if self.max_depth is not None:
            check_scalar(self.max_depth, "max_depth", Integral, min_val=1)
        ks = [check_scalar(p.get("k", self.k), "k", Integral, min_val=1) for p in points]
        smallest = min(int(self.min_samples_leaf), n_values)
        return Rule(
            rank_by=RANK_BY_PURITY,
            take=TAKE_FIRST,
            list_of=np.zeros(len(points), np.int64),
            k=np.array([min(k, n_values) for k in ks], np.int64),
            alpha=np.ones(len(points)),
            weighing=Weighing(1.0, np.zeros(1), PENALTY_NONE, squared=True),
            scale_by_child=True,
            codes=np.empty((len(self.classes_), 0), np.int8),
            along_split=False,
            rank_breaks_ties=False,
            min_samples_leaf=smallest,
            least_ranked=smallest if self.small_child == "skip" else 1,
            least_taken=1 if self.small_child == "keep" else smallest,
            max_depth=n_values if self.max_depth is None else min(int(self.max_depth), n_values),
        )


def _make_scratch(columns: Columns, rule: Rule) -> Scratch:
    """Return the arrays that growing needs besides the columns."""
    n_samples, n_pair = columns.bits.shape
    n_wide, n_classes = len(columns.wide), columns.n_classes
    by_margin = rule.rank_by == RANK_BY_MARGIN
    n_lists, length = len(rule.weighing.omega2), int(rule.k.max())
    purest = make_ranking(1, 1)
    purest.wanted[0] = 1
    return Scratch(
        ranking=make_ranking(n_lists, length),
        second=np.empty((n_lists, length)),
        purest=purest,
        geometry=make_geometry(n_samples if by_margin else 0, n_wide, n_pair, n_classes),
        sweep=make_sweep(n_wide, n_pair, n_classes),
        bins=make_bins(n_wide if by_margin else 0, n_pair, n_classes),
        log_table=make_log_table(n_samples if rule.rank_by == RANK_BY_GAIN_RATIO else 0),
        seen=np.empty(n_classes, np.int64),
        goes_left=np.zeros(n_samples, np.uint8),
        buffer=np.empty(n_samples, np.uint64),
    )
