"""Kernels that move the rows of a node into its two children."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.jit import jit


@jit
def mark_left(columns, start, end, column, position, goes_left):
    """Set ``goes_left[row]`` for the rows of a node; return how many go left.

    `column` counts the wide columns first, then the pair columns; `position` is the last entry,
    relative to the node's start, that goes left in a wide column.
    """
    n_wide = len(columns.wide)
    if column < n_wide:
        for i in range(start, end):
            row = columns.entries[column, i] & ROW_MASK
            goes_left[row] = i <= start + position
        return position + 1
    n_left = 0
    for i in range(start, end):
        row = columns.rows[i]
        goes_left[row] = columns.bits[row, column - n_wide] == 0
        n_left += goes_left[row]
    return n_left


@jit
def _split_values(values, row_mask, goes_left, buffer):
    """Stably move the values whose row goes left to the front."""
    n_left = 0
    n_right = 0
    for value in values:
        left = goes_left[value & row_mask]
        values[n_left] = value
        buffer[n_right] = value
        n_left += left
        n_right += 1 - left
    for i in range(n_right):
        values[n_left + i] = buffer[i]


@jit
def _keep_left(values, row_mask, goes_left):
    """Move the values whose row goes left to the front; what stands behind them is lost."""
    n_left = 0
    for value in values:
        values[n_left] = value
        n_left += goes_left[value & row_mask]


@jit
def _keep_right(values, row_mask, goes_left):
    """Move the values whose row goes right to the back; what stands before them is lost."""
    n = len(values)
    free = n - 1
    for i in range(n - 1, -1, -1):
        value = values[i]
        values[free] = value
        free -= 1 - goes_left[value & row_mask]


@jit
def move(values, row_mask, goes_left, keep_left, keep_right, buffer):
    """Move the values of a segment to their sides; a side that is not kept may be lost.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Whatever holds a row number in the bits of `row_mask`.
    row_mask : integer
    goes_left : ndarray of shape (n_samples,), uint8
        1 for the rows that go to the front.
    keep_left, keep_right : bool
        The sides that are kept.
    buffer : ndarray of at least n
        Scratch.
    """
    if keep_left and keep_right:
        _split_values(values, row_mask, goes_left, buffer)
    elif keep_left:
        _keep_left(values, row_mask, goes_left)
    elif keep_right:
        _keep_right(values, row_mask, goes_left)


@jit
def partition(columns, start, end, split_column, goes_left, keep_left, keep_right, buffer):
    """Partition the segment of a node in every column; a side that is not kept may be lost."""
    rows = columns.rows[start:end]
    move(rows, np.int32(-1), goes_left, keep_left, keep_right, buffer)
    for j in range(len(columns.wide)):
        if j != split_column:
            values = columns.entries[j, start:end]
            move(values, ROW_MASK, goes_left, keep_left, keep_right, buffer)
