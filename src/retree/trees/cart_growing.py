"""Growing CART trees from samples: what the kernels are given, and the `Tree` they return."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from retree.trees.kernels import cart_grow
from retree.trees.kernels.cart_node import N_MOMENTS, Rule
from retree.trees.kernels.cart_split import make_scratch
from retree.trees.kernels.weighted_columns import WeightedColumns, make_weighted_columns
from retree.trees.mixed import Sample
from retree.trees.tree import Tree, keep_used_subsets

Records = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]


def grow_classes(sample: Sample, n_levels: NDArray[np.int32], n_classes: int, rule: Rule) -> Tree:
    """Return the unpruned classification tree of `sample`.

    Parameters
    ----------
    sample : Sample
    n_levels : ndarray of shape (n_features,)
        Number of levels of each nominal column, -1 of a numeric one.
    n_classes : int
    rule : Rule

    Returns
    -------
    Tree
    """
    if np.ptp(sample.weight) > 0:
        sample = _in_order(sample)
    columns = _layout(sample, n_levels, n_classes)
    scratch = make_scratch(columns, n_classes)
    records = cart_grow.grow(columns, np.empty(0), n_classes, rule, scratch)
    return _tree(records, len(n_levels), n_classes)


def grow_targets(sample: Sample, n_levels: NDArray[np.int32], rule: Rule) -> Tree:
    """Return the unpruned regression tree of `sample`.

    Parameters
    ----------
    sample : Sample
    n_levels : ndarray of shape (n_features,)
        Number of levels of each nominal column, -1 of a numeric one.
    rule : Rule

    Returns
    -------
    Tree
    """
    sample = _in_order(sample)
    # Squares of targets below 1 do not overflow, and scaling by a power of two is exact.
    exponent = int(np.frexp(np.abs(sample.y).max())[1])
    target = np.ldexp(sample.y, -exponent)
    columns = _layout(sample._replace(y=np.zeros(len(target), np.int32)), n_levels, 1)
    with np.errstate(over="ignore"):  # in the unit of the targets, squares may be infinite
        least = float(np.ldexp(rule.min_impurity_decrease, -2 * exponent))
        rule = rule._replace(min_impurity_decrease=least)
        records = cart_grow.grow(columns, target, N_MOMENTS, rule, make_scratch(columns, 2))
        sums = records[1][:, 1:]
        moments = np.column_stack((sums[:, 1] + sums[:, 3], sums[:, 2]))
        moments = np.ldexp(moments, [exponent, 2 * exponent])
    return replace(_tree(records, len(n_levels), 1), moments=moments)


def _in_order(sample: Sample) -> Sample:
    """Return the rows sorted, so that rounding does not depend on their order."""
    return sample.take(np.lexsort((sample.weight, sample.y)))


def _layout(sample: Sample, n_levels: NDArray[np.int32], n_classes: int) -> WeightedColumns:
    """Return the columns of `sample`, without the weights if all are 1."""
    columns = make_weighted_columns(*sample, n_levels, n_classes)
    return columns._replace(weight=columns.weight[:0]) if (sample.weight == 1).all() else columns


def _tree(records: Records, n_features: int, n_counts: int) -> Tree:
    """Return the tree of the growing kernel's records, which stand in depth-first order."""
    numbers, reals, subsets = records
    parent = numbers[:, 0]
    n_children = np.bincount(parent[1:], minlength=len(parent))
    return Tree(
        n_features=n_features,
        children_ptr=np.concatenate(([0], np.cumsum(n_children))).astype(np.int32),
        children=(1 + np.argsort(parent[1:], kind="stable")).astype(np.int32),
        feature=numbers[:, 1].astype(np.int32),
        threshold=reals[:, 0].copy(),
        counts=reals[:, 1 : 1 + n_counts].copy(),
        **keep_used_subsets(numbers[:, 2], subsets),
    )
