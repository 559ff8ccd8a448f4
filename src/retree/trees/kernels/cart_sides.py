"""Kernels that say which rows of a CART node go left, and move them there."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.cart_node import is_heavier, weigh
from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.gain import count_with_value
from retree.trees.kernels.jit import jit
from retree.trees.kernels.partition import move


@jit
def _mark_threshold(segment, n_known, position, weight, goes_left):
    """Mark the rows of a numeric split; return how many go left, and whether they stand first."""
    for i in range(len(segment)):
        goes_left[segment[i] & ROW_MASK] = i <= position
    if n_known == len(segment):
        return position + 1, True
    w_left, w_right = 0.0, 0.0
    for i in range(n_known):
        w = weigh(weight, segment[i] & ROW_MASK)
        w_left, w_right = w_left + w * (i <= position), w_right + w * (i > position)
    if not is_heavier(w_left, w_right):
        return position + 1, True
    for i in range(n_known, len(segment)):
        goes_left[segment[i] & ROW_MASK] = True
    return position + 1 + len(segment) - n_known, False


@jit
def _mark_levels(rows, codes, n_levels, weight, is_found, left_levels, goes_left):
    """Mark the rows of a nominal split, send absent levels along; return how many rows go left."""
    w_left, w_right, n_left = 0.0, 0.0, 0
    for row in rows:
        if codes[row] >= 0:
            w = weigh(weight, row)
            if left_levels[codes[row]]:
                w_left += w
            else:
                w_right += w
    goes_with = is_heavier(w_left, w_right)
    for level in range(n_levels):
        if not is_found[level]:
            left_levels[level] = goes_with
    for row in rows:
        goes_left[row] = left_levels[codes[row]] if codes[row] >= 0 else goes_with
        n_left += goes_left[row]
    return n_left


@jit
def mark_left(columns, start, end, column, position, scratch):
    """Set ``goes_left[row]`` for the rows of a node.

    Rows without a value, and levels that do not occur, go with the heavier child; left in a tie.

    Returns
    -------
    n_left : int
        How many rows go left.
    in_order : int
        The sorted column that needs no partition, -1 if there is none.
    """
    weight, goes_left = columns.weight, scratch.goes_left
    n_numeric = len(columns.numeric)
    if column >= n_numeric:
        j, rows = column - n_numeric, columns.rows[start:end]
        codes, n_levels = columns.codes[j], columns.n_levels[j]
        is_found, left_levels = scratch.is_found, scratch.left_levels
        return _mark_levels(rows, codes, n_levels, weight, is_found, left_levels, goes_left), -1
    segment = columns.entries[column, start:end]
    n_values = columns.values_start[column + 1] - columns.values_start[column]
    shift = np.uint64(ROW_BITS + columns.class_bits)
    n_known = count_with_value(segment, n_values, shift)
    n_left, first = _mark_threshold(segment, n_known, position, weight, goes_left)
    return n_left, column if first else -1


@jit
def partition_rows(rows, goes_left, buffer):
    """Partition the row numbers of a node."""
    move(rows, np.int32(-1), goes_left, True, True, buffer)


@jit
def partition_entries(entries, start, end, in_order, goes_left, keep_left, keep_right, buffer):
    """Partition the entries of a node in every sorted column but `in_order`."""
    if keep_left or keep_right:
        for j in range(len(entries)):
            if j != in_order:
                values = entries[j, start:end]
                move(values, ROW_MASK, goes_left, keep_left, keep_right, buffer)
