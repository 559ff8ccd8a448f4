"""Growing: the trees of many parameter points at once, sharing every node on which they agree.

A *point* is one setting of the tuned parameters. Points walk down together as long as they choose
the same split; where they part, each group but the last goes on with a copy of the node's segment.
A single tree is the case of one point and is grown in place.
"""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.choose import NO_SPLIT, choose_splits
from retree.trees.kernels.columns import ROW_MASK, Columns
from retree.trees.kernels.jit import jit
from retree.trees.kernels.partition import mark_left, partition

_CHUNK = 256
_HEADER = 4  # parent, side, attribute, row that holds the threshold
_LEAF = -1


@jit
def _is_terminal(counts, depth, rule):
    """Whether a node is a leaf whatever its splits: pure, small, or at the greatest depth."""
    n = counts.sum()
    return counts.max() == n or n <= rule.min_samples_leaf or depth >= rule.max_depth


@jit
def _threshold_row(columns, start, end, column, position):
    """Return a row whose value in the split column is the threshold."""
    n_wide = len(columns.wide)
    if column < n_wide:
        return np.int64(columns.entries[column, start + position] & ROW_MASK)
    for row in columns.rows[start:end]:
        if columns.bits[row, column - n_wide] == 0:
            return np.int64(row)
    return np.int64(-1)


@jit
def _record(numbers, members, header, counts, points):
    """Append a node to the records; return its number."""
    n_used = numbers[0][0, 0]
    chunk = 1 + n_used // _CHUNK
    if chunk == len(numbers):
        numbers.append(np.empty((_CHUNK, _HEADER + len(counts)), np.int64))
        members.append(np.empty((_CHUNK, len(points)), np.bool_))
    i = n_used % _CHUNK
    numbers[chunk][i, :_HEADER] = header
    numbers[chunk][i, _HEADER:] = counts
    members[chunk][i] = points
    numbers[0][0, 0] = n_used + 1
    return n_used


@jit
def _copied(columns, start, end):
    """Return columns that hold a copy of a node's segment alone."""
    return Columns(
        columns.entries[:, start:end].copy(),
        columns.rows[start:end].copy(),
        columns.y,
        columns.wide,
        columns.pair,
        columns.bits,
        columns.set_start,
        columns.set_pairs,
        columns.scaled,
        columns.n_classes,
        columns.class_bits,
    )


@jit
def _grown_stack(stack, top):
    """Return `stack` with room for two more items on top."""
    if top + 2 <= len(stack):
        return stack
    larger = np.empty((2 * len(stack),) + stack.shape[1:], stack.dtype)  # noqa: RUF005 (numba)
    larger[:top] = stack[:top]
    return larger


@jit
def _split(columns, start, end, depth, split, counts, rule, scratch):
    """Partition a node; return the size and class counts of the left child."""
    goes_left = scratch.goes_left
    n_left = mark_left(columns, start, end, split[0], split[1], goes_left)
    left = np.zeros_like(counts)
    for row in columns.rows[start:end]:
        left[columns.y[row]] += goes_left[row]
    keep_left = not _is_terminal(left, depth + 1, rule)
    keep_right = not _is_terminal(counts - left, depth + 1, rule)
    if keep_left or keep_right:
        partition(columns, start, end, split[0], goes_left, keep_left, keep_right, scratch.buffer)
    return n_left, left


@jit
def _expand(columns, root, root_counts, root_points, rule, scratch, numbers, members):
    """Grow everything below the items of `root`: (start, end, depth, parent, side)."""
    stack, counts_of, points_of = root.copy(), root_counts.copy(), root_points.copy()
    top = len(root)
    header = np.empty(_HEADER, np.int64)
    while top > 0:
        top -= 1
        start, end, depth, header[0], header[1] = stack[top]
        counts, points = counts_of[top].copy(), points_of[top].copy()
        header[2], header[3] = _LEAF, -1
        if _is_terminal(counts, depth, rule):
            _record(numbers, members, header, counts, points)
            continue
        scratch.geometry.counts[:] = counts
        chosen = choose_splits(columns, start, end, points, rule, scratch)
        while points.any():
            split = chosen[np.argmax(points)].copy()
            group = points & (chosen[:, 0] == split[0]) & (chosen[:, 1] == split[1])
            points = points & ~group
            header[2], header[3] = _LEAF, -1
            if split[0] == NO_SPLIT:
                _record(numbers, members, header, counts, group)
                continue
            n_wide = len(columns.wide)
            j = split[0]
            header[2] = columns.wide[j] if j < n_wide else columns.pair[j - n_wide]
            header[3] = _threshold_row(columns, start, end, j, split[1])
            node = _record(numbers, members, header, counts, group)
            stays = not (points & (chosen[:, 0] != NO_SPLIT)).any()
            own = columns if stays else _copied(columns, start, end)
            offset = start if stays else 0
            stop = offset + end - start
            n_left, left = _split(own, offset, stop, depth, split, counts, rule, scratch)
            middle = offset + n_left
            if stays:
                stack = _grown_stack(stack, top)
                counts_of = _grown_stack(counts_of, top)
                points_of = _grown_stack(points_of, top)
                stack[top] = np.array([middle, stop, depth + 1, node, 1])
                stack[top + 1] = np.array([offset, middle, depth + 1, node, 0])
                counts_of[top], counts_of[top + 1] = counts - left, left
                points_of[top], points_of[top + 1] = group, group
                top += 2
            else:
                children = np.array(
                    [[middle, stop, depth + 1, node, 1], [offset, middle, depth + 1, node, 0]]
                )
                child_counts = np.vstack((counts - left, left)).reshape(2, -1)
                child_points = np.vstack((group, group)).reshape(2, -1)
                _expand(own, children, child_counts, child_points, rule, scratch, numbers, members)
    return 0


@jit
def grow(columns, counts, rule, scratch):
    """Grow the trees of all points.

    Returns
    -------
    numbers : ndarray of shape (n_records, 4 + n_classes), int64
        Parent record, side, attribute (-1: leaf), row that holds the threshold, class counts.
        Restricted to one point, the records are its tree in depth-first order.
    members : ndarray of shape (n_records, n_points), bool
        The points whose trees have the node.
    """
    n_points = len(rule.k)
    # The first chunk only counts: a list is shared by reference, a number is not.
    numbers = [np.zeros((1, _HEADER + len(counts)), np.int64)]
    members = [np.zeros((1, n_points), np.bool_)]
    root = np.array([[0, len(columns.rows), 0, -1, 0]])
    points = np.ones((1, n_points), np.bool_)
    _expand(columns, root, counts.reshape(1, -1), points, rule, scratch, numbers, members)
    n = numbers[0][0, 0]
    all_numbers = np.empty((n, _HEADER + len(counts)), np.int64)
    all_members = np.empty((n, n_points), np.bool_)
    for i in range(n):
        all_numbers[i] = numbers[1 + i // _CHUNK][i % _CHUNK]
        all_members[i] = members[1 + i // _CHUNK][i % _CHUNK]
    return all_numbers, all_members
