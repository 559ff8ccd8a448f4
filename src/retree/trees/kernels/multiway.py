"""Kernels that move the rows of a node into any number of children."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.jit import jit
from retree.trees.kernels.partition import move


@jit
def group_by_branch(values, row_mask, branch, n_rows, next_place, buffer):
    """Stably move the values into the order of their rows' branches."""
    place = 0
    for b in range(len(n_rows)):
        next_place[b] = place
        place += n_rows[b]
    for value in values:
        b = branch[value & row_mask]
        buffer[next_place[b]] = value
        next_place[b] += 1
    for i in range(len(values)):
        values[i] = buffer[i]


@jit
def partition_branches(columns, start, end, sorted_column, stays, n_rows, scratch):
    """Partition the segment of a node in every column but `sorted_column`.

    The order of a child that ``stays`` a leaf may be lost.
    """
    everything = np.int32(-1)
    rows = columns.rows[start:end]
    branch, buffer, goes_left = scratch.branch, scratch.buffer, scratch.goes_left
    if len(n_rows) == 2:
        for row in rows:
            goes_left[row] = branch[row] == 0
        left, right = not stays[0], not stays[1]
        for j in range(len(columns.entries)):
            if j != sorted_column:
                values = columns.entries[j, start:end]
                move(values, ROW_MASK, goes_left, left, right, buffer)
        move(rows, everything, goes_left, left, right, buffer)
        return
    places = np.empty(len(n_rows), np.int64)
    for j in range(len(columns.entries)):
        if j != sorted_column:
            values = columns.entries[j, start:end]
            group_by_branch(values, ROW_MASK, branch, n_rows, places, buffer)
    group_by_branch(rows, everything, branch, n_rows, places, buffer)
