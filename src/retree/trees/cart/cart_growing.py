"""Growing CART trees: the rule of growing, and calls of the engine (``src/engine/cart``).

A node is a leaf if the rule says so. Otherwise the engine looks for the split of greatest gain: in
every numeric column, by one pass over the node's rows in sorted order, and in every categorical
column among subsets of its levels. It moves the rows of the two children together, in every sorted
column, so that no column is sorted twice, and goes on with the left child.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.level_sets import LevelSets, keep_used_subsets
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.weighted_columns import WeightedColumns, make_weighted_columns

_MOST_EXPONENT = 200  # of a weight whose fourth power is a number


class Criterion(IntEnum):
    """What a split lowers, as the engine numbers them."""

    GINI = 0
    ENTROPY = 1
    TWOING = 2
    VARIANCE = 3


CRITERIA = {
    "gini": Criterion.GINI,
    "entropy": Criterion.ENTROPY,
    "twoing": Criterion.TWOING,
    "squared_error": Criterion.VARIANCE,
}


@dataclass(frozen=True)
class Rule:
    """How a node is split and when it is not.

    The fields but the first and the last are parameters of `CartClassifier`; no tree depends on the
    number of threads.
    """

    criterion: Criterion
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    min_weight_fraction_leaf: float
    max_class_share: float = 1.0
    max_exact_levels: int = 0
    n_threads: int = 1


def grow_classes(sample: Sample, n_levels: NDArray[np.int32], n_classes: int, rule: Rule) -> Tree:
    """Return the unpruned classification tree of `sample`.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 of a numeric one.
    """
    exponent = _far_exponent(sample) if rule.criterion is Criterion.TWOING else 0
    if exponent:
        sample = sample._replace(weight=np.ldexp(sample.weight, -exponent)).with_weight()
    order = _sum_order(sample) if np.ptp(sample.weight) > 0 else None
    columns = make_weighted_columns(sample, n_levels, n_classes, order, rule.n_threads)
    tree, _ = _grow(columns, np.empty(0), rule)
    return replace(tree, counts=np.ldexp(tree.counts, exponent)) if exponent else tree


def _far_exponent(sample: Sample) -> int:
    """Return the exponent of weights whose fourth powers, as of twoing, may be no numbers; or 0."""
    exponent = int(np.frexp(sample.weight.sum())[1])
    return exponent if abs(exponent) > _MOST_EXPONENT else 0


def grow_targets(sample: Sample, n_levels: NDArray[np.int32], rule: Rule) -> Tree:
    """Return the unpruned regression tree of `sample`.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 of a numeric one.
    """
    # Squares of targets below 1 do not overflow, and scaling by a power of two is exact.
    exponent = int(np.frexp(np.abs(sample.y).max())[1])
    target = np.ldexp(sample.y, -exponent)
    one_class = sample._replace(y=np.zeros(len(target), np.int32))
    columns = make_weighted_columns(one_class, n_levels, 1, _sum_order(sample), rule.n_threads)
    with np.errstate(over="ignore"):  # in the unit of the targets, squares may be infinite
        least = float(np.ldexp(rule.min_impurity_decrease, -2 * exponent))
        tree, sums = _grow(columns, target, replace(rule, min_impurity_decrease=least))
        moments = np.column_stack((sums[:, 1] + sums[:, 3], sums[:, 2]))
        moments = np.ldexp(moments, [exponent, 2 * exponent])
    return replace(tree, moments=moments)


def _sum_order(sample: Sample) -> NDArray[np.intp]:
    """Return an order of the rows, so that rounding of sums does not depend on the given one."""
    return np.lexsort((sample.weight, sample.y))


def _grow(
    columns: WeightedColumns, target: NDArray[np.float64], rule: Rule
) -> tuple[Tree, NDArray[np.float64]]:
    """Return the tree that the engine grows, without moments, and the sums of its nodes.

    Sums are class weights, or weight, mean, variance and the mean of what the targets differ from
    that mean, 0 but for rounding.
    """
    parents, feature, subset, threshold, sums, bits = engine.call(
        "cart_grow", *columns.arguments, target, rule
    )
    tree = Tree.from_parents(
        parents,
        n_features=len(columns.n_levels),
        feature=feature,
        threshold=threshold,
        counts=sums[:, : columns.n_classes].copy(),
        **keep_used_subsets(subset, LevelSets(bits, max(0, int(columns.n_levels.max(initial=0))))),
    )
    return tree, sums
