"""Growing an ID3 or C4.5 tree: many branches, rows without a value divided over all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.c45_split import Tests, choose_test
from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.gain import TOLERANCE
from retree.trees.kernels.jit import jit
from retree.trees.kernels.multiway import partition_branches
from retree.trees.kernels.stacks import with_room
from retree.trees.kernels.weighted_columns import WeightedColumns

LEAF = -1
_CHUNK = 256


class Scratch(NamedTuple):
    """Arrays that every node uses anew."""

    tests: Tests
    branch: np.ndarray  # (n_samples,) int32, -1 where the tested value is missing
    goes_left: np.ndarray  # (n_samples,) uint8
    new_number: np.ndarray  # (n_samples,) int32
    buffer: np.ndarray  # (n_samples,) uint64


@jit
def _is_terminal(counts, depth, rule):
    """Whether a node is a leaf whatever its tests: pure, small, or at the greatest depth."""
    total = counts.sum()
    if total < 2 * rule.min_cases - TOLERANCE or depth >= rule.max_depth:
        return True
    return total - counts.max() < TOLERANCE


@jit
def _threshold(columns, start, j, position):
    """Return the largest training value not above the middle of the gap after `position`."""
    shift = np.uint64(ROW_BITS + columns.class_bits)
    values = columns.values[columns.values_start[j] : columns.values_start[j + 1]]
    low = np.int64(columns.entries[j, start + position] >> shift)
    high = np.int64(columns.entries[j, start + position + 1] >> shift)
    middle = (values[low] + values[high]) / 2
    if middle == values[high]:
        return values[low]
    return values[np.searchsorted(values, middle, side="right") - 1]


@jit
def _assign(columns, start, end, j, place, binary, branch):
    """Set ``branch[row]`` for the rows of a node under its test; return the number of branches."""
    n_numeric = len(columns.numeric)
    if j < n_numeric:
        shift = np.uint64(ROW_BITS + columns.class_bits)
        n_values = columns.values_start[j + 1] - columns.values_start[j]
        for i in range(start, end):
            entry = columns.entries[j, i]
            side = np.int32(i > start + place)
            missing = np.int64(entry >> shift) == n_values
            branch[entry & ROW_MASK] = np.int32(-1) if missing else side
        return 2
    codes = columns.codes[j - n_numeric]
    for row in columns.rows[start:end]:
        code = codes[row]
        branch[row] = np.int32(code != place) if binary and code >= 0 else code
    return 2 if binary else np.int64(columns.n_levels[j - n_numeric])


@jit
def _count_branches(columns, start, end, n_branches, branch):
    """Return the class weights of each branch and the number of rows in each, missing ones apart.

    Returns
    -------
    counts : ndarray of shape (n_branches, n_classes)
        With the rows without a value divided in proportion to the branches' weights.
    share : ndarray of shape (n_branches,)
        Part of a row without a value that each branch gets.
    n_rows : ndarray of shape (n_branches,)
        Rows with a value.
    """
    counts = np.zeros((n_branches, columns.n_classes))
    missing = np.zeros(columns.n_classes)
    n_rows = np.zeros(n_branches, np.int64)
    n_missing = 0
    for row in columns.rows[start:end]:
        b, c = branch[row], columns.y[row]
        if b < 0:
            missing[c] += columns.weight[row]
            n_missing += 1
        else:
            counts[b, c] += columns.weight[row]
            n_rows[b] += 1
    if n_missing == 0:
        return counts, np.zeros(n_branches), n_rows
    share = counts.sum(axis=1)
    share /= share.sum()
    share[share <= TOLERANCE] = 0.0
    for b in range(n_branches):
        counts[b] += share[b] * missing
    return counts, share, n_rows


@jit
def _copied(columns, start, end, b, share, scratch):
    """Return columns of their own for branch `b`, with a `share` of each row without a value.

    The rows are numbered anew, so that a row can have another weight in every branch.
    """
    branch, new_number = scratch.branch, scratch.new_number
    kept = np.empty(end - start, np.int32)
    n = 0
    for row in columns.rows[start:end]:
        if branch[row] == b or branch[row] < 0:
            kept[n] = row
            new_number[row] = n
            n += 1
    kept = kept[:n].copy()
    weight = columns.weight[kept]
    weight[branch[kept] < 0] *= share
    codes = np.empty((columns.codes.shape[0], n), np.int32)
    for j in range(len(codes)):
        codes[j] = columns.codes[j][kept]
    entries = np.empty((columns.entries.shape[0], n), np.uint64)
    for j in range(len(entries)):
        place = 0
        for entry in columns.entries[j, start:end]:
            row = entry & ROW_MASK
            if branch[row] == b or branch[row] < 0:
                entries[j, place] = (entry & ~ROW_MASK) | np.uint64(new_number[row])
                place += 1
    return WeightedColumns(
        entries,
        np.arange(n).astype(np.int32),
        columns.y[kept],
        weight,
        columns.numeric,
        columns.nominal,
        columns.values,
        columns.values_start,
        columns.has_near,
        codes,
        columns.n_levels,
        columns.table[:0],
        columns.total,
        columns.n_classes,
        columns.class_bits,
    )


@jit
def _record(numbers, weights, parent, counts):
    """Append a leaf to the records; return its number."""
    n_used = numbers[0][0, 0]
    chunk = 1 + n_used // _CHUNK
    if chunk == len(numbers):
        numbers.append(np.empty((_CHUNK, 3), np.int64))
        weights.append(np.empty((_CHUNK, 1 + len(counts))))
    i = n_used % _CHUNK
    numbers[chunk][i] = (parent, LEAF, -1)
    weights[chunk][i, 0] = np.nan
    weights[chunk][i, 1:] = counts
    numbers[0][0, 0] = n_used + 1
    return n_used


@jit
def _describe(numbers, weights, node, columns, start, j, place, rule):
    """Turn the leaf `node` of the records into a test of column `j`."""
    number = numbers[1 + node // _CHUNK][node % _CHUNK]
    n_numeric = len(columns.numeric)
    if j < n_numeric:
        number[1] = columns.numeric[j]
        weights[1 + node // _CHUNK][node % _CHUNK, 0] = _threshold(columns, start, j, place)
    else:
        number[1] = columns.nominal[j - n_numeric]
        number[2] = place if rule.binary_splits else -1


@jit
def _is_in_use(stack, top, owner):
    """Whether a node on the stack has its rows in the columns `owner`, the newest there are."""
    return top > 0 and stack[top - 1, 4] == owner


@jit
def _expand(columns, root_counts, rule, scratch, numbers, weights):
    """Grow the root and everything below, depth first."""
    # Columns of nodes whose rows could not be divided in place, a row having gone to two branches.
    owners = [columns]
    # Item: start, end, depth, parent, place in `owners`, which never falls towards the top.
    stack, counts_of = np.empty((64, 5), np.int64), np.empty((64, columns.n_classes))
    stack[0] = (0, len(columns.rows), 0, -1, 0)
    counts_of[0] = root_counts
    top = 1
    while top > 0:
        top -= 1
        start, stop, depth, parent, owner = stack[top]
        end = stop
        counts = counts_of[top].copy()
        node = _record(numbers, weights, parent, counts)
        if _is_terminal(counts, depth, rule):
            continue
        while len(owners) > owner + 1:
            owners.pop()
        columns = owners[owner]
        j = choose_test(columns, start, end, counts, rule, scratch.tests)
        if j < 0:
            continue
        place = scratch.tests.place[j]
        _describe(numbers, weights, node, columns, start, j, place, rule)
        n = _assign(columns, start, end, j, place, rule.binary_splits, scratch.branch)
        counts, share, n_rows = _count_branches(columns, start, end, n, scratch.branch)
        stays = np.empty(n, np.bool_)
        for b in range(n):
            stays[b] = _is_terminal(counts[b], depth + 1, rule)
        stack, counts_of = with_room(stack, top, n), with_room(counts_of, top, n)
        in_place = not share.any()
        if in_place and not stays.all():
            sorted_column = j if j < len(columns.numeric) else -1
            partition_branches(columns, start, end, sorted_column, stays, n_rows, scratch)
        if not in_place and not _is_in_use(stack, top, owner):
            owners.pop()
        for b in range(n - 1, -1, -1):
            stack[top] = (end - n_rows[b], end, depth + 1, node, owner)
            end -= n_rows[b]
            if not in_place:
                if not stays[b]:
                    own = _copied(columns, start, stop, b, share[b], scratch)
                    owners.append(own)
                    stack[top, :2] = (0, len(own.rows))
                stack[top, 4] = max(0, len(owners) - 1)
            counts_of[top] = counts[b]
            top += 1
    return 0


@jit
def grow(columns, counts, rule, scratch):
    """Grow the tree.

    Returns
    -------
    numbers : ndarray of shape (node_count, 3), int64
        Parent (-1 of the root), tested attribute (-1 of a leaf) and the level that a binary nominal
        test sends left (else -1) of each node, depth first.
    weights : ndarray of shape (node_count, 1 + n_classes)
        Threshold (NaN unless the test is numeric) and class weights.
    """
    # The first chunk only counts the records: a list is shared by reference, a number is not.
    numbers = [np.zeros((1, 3), np.int64)]
    weights = [np.zeros((1, 1 + columns.n_classes))]
    _expand(columns, counts, rule, scratch, numbers, weights)
    n = numbers[0][0, 0]
    all_numbers, all_weights = np.empty((n, 3), np.int64), np.empty((n, 1 + columns.n_classes))
    for i in range(n):
        all_numbers[i] = numbers[1 + i // _CHUNK][i % _CHUNK]
        all_weights[i] = weights[1 + i // _CHUNK][i % _CHUNK]
    return all_numbers, all_weights
