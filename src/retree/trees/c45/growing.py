"""Growing ID3 and C4.5 trees.

The engine's loops stand in ``src/engine/c45``: ``gain`` weighs thresholds and partitions, ``split``
chooses the test of a node, ``grow`` divides the rows over the branches, ``thresholds`` moves each
threshold to a value of the training data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.trees.base import BaseTreeClassifier
from retree.trees.contract import changed
from retree.trees.declaring import parameter, parameters
from retree.trees.decreases import ENTROPY
from retree.trees.level_sets import LevelSets, keep_used_subsets
from retree.trees.mixed import Grower, Sample
from retree.trees.parameters import (
    WithCategories,
    WithClassWeight,
    WithDepth,
    WithFilling,
    WithLimits,
    WithPruning,
    WithSmoothing,
    WithThreads,
)
from retree.trees.pruning.alpha_choice import Grow
from retree.trees.pruning.fitting import check_pruning
from retree.trees.tree import Tree
from retree.trees.validation import NO_LIMIT, rows_or_share
from retree.trees.weighted_columns import WeightedColumns, make_weighted_columns, take_rows


@dataclass(frozen=True)
class C45Rule:
    """How a node is split and when it is not, and whether the tree is pruned."""

    min_cases: float  # At least two branches of a test must have this weight
    # Whether the gain of a numeric test pays for the choice of its threshold.
    mdl_correction: bool = False
    binary_splits: bool = False  # Whether a categorical test asks for one level against all others
    # Whether the highest gain counts, as in ID3, and `min_cases` is the only minimum.
    by_gain: bool = False
    max_depth: int = NO_LIMIT
    # A training value less than this above the middle of a gap may be its threshold.
    slack: float = 0.0
    # Classes that the data declare, if more than have rows: they make the smallest side of a
    # numeric test smaller.
    n_declared: int = 0
    n_threads: int = 1  # Threads that search the columns; no tree depends on their number
    # Whether the tree is pruned at once, as `prune_error_based` does with what follows.
    prunes: bool = False
    confidence: float = 0.25
    subtree_raising: bool = True
    collapses: bool = False


def grow_c45(
    sample: Sample,
    n_levels: NDArray[np.int32],
    n_classes: int,
    rule: C45Rule,
    columns: WeightedColumns | None = None,
) -> Tree:
    """Return the tree of `sample`, pruned if the `rule` says so.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 of a numeric one.
    `columns`: the sample's columns if they are sorted already; growing moves their entries.
    """
    if columns is None:
        columns = make_weighted_columns(
            sample, n_levels, n_classes, n_threads=rule.n_threads, counts_near=True
        )
    records = engine.call(
        "c45_grow",
        *columns.arguments,
        np.empty(0, np.int32) if columns.times is None else columns.times,
        rule,
    )
    return _tree(records, n_levels)


def _tree(records: tuple[NDArray[Any], ...], n_levels: NDArray[np.int32]) -> Tree:
    """Return the tree of the engine's records, which stand in depth-first order."""
    parent, feature, level, threshold, counts, row_sums = records
    asks_level = level >= 0
    subset = np.where(asks_level, np.cumsum(asks_level) - 1, -1)
    left_levels = LevelSets.of_single(level[asks_level], max(0, int(n_levels.max(initial=0))))
    return Tree.from_parents(
        parent,
        n_features=len(n_levels),
        feature=feature,
        threshold=threshold,
        counts=counts,
        row_sums=row_sums if len(row_sums) else None,
        **keep_used_subsets(subset, left_levels),
    )


@parameters
class InformationTreeClassifier(
    WithDepth,
    WithPruning,
    WithCategories,
    WithFilling,
    WithClassWeight,
    WithSmoothing,
    WithLimits,
    WithThreads,
    BaseTreeClassifier,
):
    """A classifier whose rows go down every branch of a test of which they lack the value.

    A branch gets a part of such a row's weight in proportion to its own, in training as in
    prediction. With `fill_missing` there are no such rows.

    Parameters
    ----------
    min_cases : int or float
        At least two branches of a test must have this weight; a float in (0, 1) is that part of the
        whole weight, rounded up.

    Attributes
    ----------
    tree_ : Tree
        The grown tree. A branch that no training row takes is a leaf of weight 0 with the class
        shares of its parent.
    """

    min_cases: float = parameter(default=1, check=rows_or_share(1))

    declares = changed(divides_missing=True, in_forests=True, weights="scaled")
    _impurity = ENTROPY

    @property
    def _prunes_at_once(self) -> bool:
        """Whether growing and pruning are one call of the engine, which needs no tree between."""
        has_limits = self.max_leaf_nodes is not None or self.min_impurity_decrease > 0
        return self.pruning == "ebp" and not has_limits

    def _tree_of(self, sample: Sample, **ready: Any) -> Tree:
        if not self._prunes_at_once:
            return super()._tree_of(sample, **ready)
        self._generator()  # refuses a seed that is none, as where something is drawn
        columns: WeightedColumns | None = ready.get("columns")
        rule = replace(
            self._rule(sum_of(sample.weight) if columns is None else columns.total),
            prunes=True,
            collapses=bool(getattr(self, "collapse", False)),
            **check_pruning(self.pruning, self.all_pruning_params()),
        )
        tree = grow_c45(sample, self._n_levels, len(self.classes_), rule, columns)
        return self._smoothed(tree)

    def _growing(self, sample: Sample, rng: Any, columns: WeightedColumns | None = None) -> Grow:
        rule = self._rule(sum_of(sample.weight))

        def grow(part: Sample) -> Any:
            own = columns if part is sample else None
            return grow_c45(part, self._n_levels, len(self.classes_), rule, own)

        return grow

    def _grower(self, sample: Sample) -> Grower:
        columns = make_weighted_columns(
            sample, self._n_levels, len(self.classes_), counts_near=True
        )

        def grow(member: Any, weight: NDArray[np.float64], times: NDArray[np.int32] | None) -> Tree:
            part = sample._replace(weight=weight, times=times)
            own = take_rows(columns, weight, times)
            tree: Tree = member._tree_of(
                part if member._prunes_at_once else part.with_weight(), columns=own
            )
            return tree

        return grow

    def _rule(self, weight: float) -> C45Rule:
        """Return the rule of growing on rows of this `weight`."""
        raise NotImplementedError
