"""Growing ID3 and C4.5 trees.

The engine's loops are in ``src/engine/c45``: ``gain`` computes the gain of thresholds and
partitions, ``split`` chooses the test of a node, ``grow`` divides the rows over the branches, and
``thresholds`` moves each threshold to a value of the training data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import changed, parameter, parameters
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import Sample
from retree.trees.node_tests import LevelSets, keep_used_subsets
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
from retree.trees.pruning.fitting import check_pruning
from retree.trees.tree import Tree
from retree.trees.validation import NO_LIMIT, rows_or_share
from retree.trees.weighted_columns import WeightedColumns, make_weighted_columns, take_rows


@dataclass(frozen=True)
class C45Rule:
    """When and how a node is split, and whether the tree is pruned."""

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
    """Grow the tree of `sample`, and prune it if the `rule` says so.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 for a numeric column.
    `columns`: the sample's columns, if they are already sorted; growing moves their entries.
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
    """Return the tree of the engine's records, which are in depth-first order."""
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
    """A classifier that sends rows without the tested value down every branch.

    Each branch gets a part of such a row's weight in proportion to the branch's own weight, both in
    training and in prediction. With `fill_missing` there are no such rows.

    Parameters
    ----------
    min_cases : int or float
        Minimum weight that at least two branches of a test must have; a float in (0, 1) is a
        fraction of the total weight, rounded up.

    Attributes
    ----------
    tree_ : Tree
        The grown tree. A branch that no training row takes is a leaf of weight 0 with the class
        shares of its parent.
    """

    min_cases: float = parameter(default=1, check=rows_or_share(1))

    declares = changed(divides_missing=True, in_forests=True, weights="scaled")
    impurity = ENTROPY

    @property
    def _prunes_at_once(self) -> bool:
        """Whether one call of the engine grows and prunes the tree."""
        has_limits = self.max_leaf_nodes is not None or self.min_impurity_decrease > 0
        return self.pruning == "ebp" and not has_limits

    def grow_pruned(self, sample: Sample, rng: Any) -> Tree:
        """Grow, limit and prune the tree, in one call if no limit is set."""
        if not self._prunes_at_once:
            return super().grow_pruned(sample, rng)
        rule = replace(
            self._rule(),
            prunes=True,
            collapses=bool(getattr(self, "collapse", False)),
            **check_pruning(self.pruning, self.all_pruning_params()),
        )
        return grow_c45(sample, self.n_levels, len(self.classes_), rule, sample.shared)

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the unpruned tree of checked rows, without those that pruning holds out."""
        how = self.n_levels, len(self.classes_), self._rule()
        return grow_c45(sample, *how, sample.shared)

    def share(self, sample: Sample) -> Sample:
        """Return the sample with its columns sorted."""
        how = self.n_levels, len(self.classes_)
        return sample._replace(shared=make_weighted_columns(sample, *how, counts_near=True))

    def in_rows(self, sample: Sample) -> Sample:
        """Return the rows of positive weight, with sorted columns if `sample` has sorted ones."""
        if sample.shared is None:
            return sample.with_weight()
        columns = take_rows(sample.shared, sample.weight, sample.times)
        rows = sample if self._prunes_at_once else sample.with_weight()
        return rows._replace(shared=columns)

    def _rule(self) -> C45Rule:
        """Return the rule that nodes are split by."""
        raise NotImplementedError
