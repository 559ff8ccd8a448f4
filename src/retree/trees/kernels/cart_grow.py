"""Growing a CART tree, depth first, by stable partitions of columns that were sorted once."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.cart_node import is_terminal, sum_node, weight_of
from retree.trees.kernels.cart_sides import mark_left, partition_entries, partition_rows
from retree.trees.kernels.cart_split import choose_split
from retree.trees.kernels.columns import ROW_BITS
from retree.trees.kernels.jit import jit
from retree.trees.kernels.ranking import rounded
from retree.trees.kernels.stacks import with_room

LEAF = -1


@jit
def threshold_of(columns, start, j, position):
    """Return the midpoint of the gap after an entry, or the value below if it rounds up."""
    shift = np.uint64(ROW_BITS + columns.class_bits)
    values = columns.values[columns.values_start[j] : columns.values_start[j + 1]]
    low = values[np.int64(columns.entries[j, start + position] >> shift)]
    high = values[np.int64(columns.entries[j, start + position + 1] >> shift)]
    # The sum of halves stays finite.
    middle = low / 2 + high / 2
    return low if middle == high else middle


@jit
def _is_worthwhile(gain, sums, total, rule):
    """Whether a split lowers the impurity of the whole tree enough."""
    share = weight_of(sums, rule.criterion) / total
    return rounded(share * max(0.0, gain)) >= rounded(rule.min_impurity_decrease)


@jit
def _describe(columns, start, column, position, subset, number, real):
    """Turn a leaf of the records into a test; `subset` is the row of a nominal one's levels."""
    n_numeric = len(columns.numeric)
    if column < n_numeric:
        number[1] = columns.numeric[column]
        real[0] = threshold_of(columns, start, column, position)
    else:
        number[1], number[2] = columns.nominal[column - n_numeric], subset


@jit
def _split(columns, target, start, end, depth, column, position, rule, scratch, sums):
    """Partition a node; set the `sums` of its children (right, left); return where they part."""
    n_left, in_order = mark_left(columns, start, end, column, position, scratch)
    rows, middle = columns.rows[start:end], start + n_left
    partition_rows(rows, scratch.goes_left, scratch.buffer)
    y, weight, criterion = columns.y, columns.weight, rule.criterion
    sum_node(rows[n_left:], y, target, weight, criterion, sums[0])
    sum_node(rows[:n_left], y, target, weight, criterion, sums[1])
    keep_left = not is_terminal(sums[1], n_left, depth + 1, rule)
    keep_right = not is_terminal(sums[0], end - middle, depth + 1, rule)
    goes_left, buffer = scratch.goes_left, scratch.buffer
    partition_entries(
        columns.entries, start, end, in_order, goes_left, keep_left, keep_right, buffer
    )
    return middle


@jit
def grow(columns, target, n_sums, rule, scratch):
    """Grow the tree.

    Parameters
    ----------
    columns : WeightedColumns
        Of a regression, all rows are of one class. If all weights are 1, `weight` is empty.
    target : ndarray of shape (n_samples,), float64
        No rows in a classification.
    n_sums : int
        Number of sums of a node, see `cart_node`.
    rule : Rule
    scratch : Scratch

    Returns
    -------
    numbers : ndarray of shape (node_count, 3), int64
        Parent (-1 of the root), tested attribute (-1 of a leaf) and row of `subsets` (-1 unless the
        test is nominal) of each node, depth first.
    reals : ndarray of shape (node_count, 1 + n_sums)
        Threshold (NaN unless the test is numeric) and sums, see `cart_node`.
    subsets : ndarray of shape (n_subsets, max_levels), bool
        Levels that go left.
    """
    numbers, reals = np.empty((64, 3), np.int64), np.empty((64, 1 + n_sums))
    subsets = np.empty((0, len(scratch.left_levels)), np.bool_)
    # Item: start, end, depth, parent.
    stack, sums_of = np.empty((64, 4), np.int64), np.empty((64, n_sums))
    stack[0] = (0, len(columns.rows), 0, -1)
    sum_node(columns.rows, columns.y, target, columns.weight, rule.criterion, sums_of[0])
    top, n_nodes, n_subsets = 1, 0, 0
    while top > 0:
        top -= 1
        start, end, depth, parent = stack[top]
        sums, node = sums_of[top].copy(), n_nodes
        numbers, reals = with_room(numbers, n_nodes, 1), with_room(reals, n_nodes, 1)
        numbers[node] = (parent, LEAF, -1)
        reals[node, 0], reals[node, 1:] = np.nan, sums
        n_nodes += 1
        if is_terminal(sums, end - start, depth, rule):
            continue
        split = choose_split(columns, target, start, end, sums, rule, scratch)
        column, position, gain = split
        if column < 0 or not _is_worthwhile(gain, sums, columns.total, rule):
            continue
        _describe(columns, start, column, position, n_subsets, numbers[node], reals[node])
        stack, sums_of = with_room(stack, top, 2), with_room(sums_of, top, 2)
        below = sums_of[top : top + 2]
        middle = _split(columns, target, start, end, depth, column, position, rule, scratch, below)
        if numbers[node, 2] >= 0:
            subsets = with_room(subsets, n_subsets, 1)
            subsets[n_subsets] = scratch.left_levels
            n_subsets += 1
        stack[top] = (middle, end, depth + 1, node)
        stack[top + 1] = (start, middle, depth + 1, node)
        top += 2
    return numbers[:n_nodes].copy(), reals[:n_nodes].copy(), subsets[:n_subsets].copy()
