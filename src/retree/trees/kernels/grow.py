"""Growing: the trees of many parameter points at once, sharing every node on which they agree.

A *point* is one setting of k and omega2. Points walk down together as long as they choose the same
split; where they part, each group but the last goes on with a copy of the node's segment. A single
tree is the case of one point and is grown in place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_MASK, Columns
from retree.trees.kernels.compactness import csn_of_cuts, rows_by_column
from retree.trees.kernels.geometry import Geometry, measure, weigh
from retree.trees.kernels.jit import jit
from retree.trees.kernels.margin import (
    Bins,
    Sweep,
    Weighing,
    rank_pairs_by_margin,
    rank_wide_by_margin,
)
from retree.trees.kernels.partition import mark_left, partition
from retree.trees.kernels.purity import count_pairs, rank_pairs_by_purity, rank_wide_by_purity
from retree.trees.kernels.ranking import Ranking, clear, rounded

_CHUNK = 256
_HEADER = 4  # parent, side, attribute, row that holds the threshold
_LEAF = -1
_POSITION_BITS = 40


class Rule(NamedTuple):
    """How a node is split and when it is not."""

    by_margin: bool  # rank by purity and BNM instead of purity alone
    by_compactness: bool  # choose by CSN among the k best
    weighing: Weighing
    list_of: np.ndarray  # (n_points,) int64 list that each point chooses from
    k: np.ndarray  # (n_points,) int64
    scale_by_child: bool
    codes: np.ndarray  # (n_classes, n_dichotomies) int8
    min_samples_leaf: int
    skip_small: bool  # never consider a split with a small child, instead of making a leaf
    max_depth: int


class Scratch(NamedTuple):
    """Arrays that every node uses anew."""

    ranking: Ranking
    purest: Ranking  # one list of one candidate
    geometry: Geometry
    sweep: Sweep
    bins: Bins
    goes_left: np.ndarray  # (n_samples,) uint8
    buffer: np.ndarray  # (n_samples,) uint64


@jit
def _is_terminal(counts, depth, rule):
    """Whether a node is a leaf whatever its splits: pure, small, or at the greatest depth."""
    n = counts.sum()
    return counts.max() == n or n <= rule.min_samples_leaf or depth >= rule.max_depth


@jit
def _purest_first(columns, start, end, min_side, scratch):
    """Return the wide columns by the purity of their best split, greatest first.

    The order changes no result: it fills the lists early with candidates that are hard to beat, so
    that more of the others are passed over on sight.
    """
    best = np.empty(len(columns.wide))
    for j in range(len(best)):
        clear(scratch.purest)
        rank_wide_by_purity(
            columns, start, end, j, scratch.geometry.counts, scratch.sweep.left, min_side,
            scratch.purest,
        )  # fmt: skip
        best[j] = scratch.purest.score[0, 0] if scratch.purest.size[0] > 0 else 0.0
    return np.argsort(-best)


@jit
def _rank_candidates(columns, start, end, points, rule, scratch):
    """Fill the ranked lists with the candidates of a node."""
    ranking, geometry = scratch.ranking, scratch.geometry
    ranking.wanted[:] = 0
    for p in range(len(points)):
        if points[p]:
            i = rule.list_of[p]
            ranking.wanted[i] = max(ranking.wanted[i], rule.k[p])
    clear(ranking)
    n_wide = len(columns.wide)
    min_side = rule.min_samples_leaf if rule.skip_small else 1
    count_pairs(columns, start, end, geometry.ones)
    if rule.by_compactness and not rule.scale_by_child:
        weigh(columns, start, end, geometry.weight)
    if not rule.by_margin:
        for j in range(n_wide):
            rank_wide_by_purity(
                columns, start, end, j, geometry.counts, scratch.sweep.left, min_side, ranking
            )
        rank_pairs_by_purity(columns, geometry.counts, geometry.ones, min_side, ranking)
        return
    measure(columns, start, end, geometry)
    sweep, weighing = scratch.sweep, rule.weighing
    rank_pairs_by_margin(columns, start, end, geometry, sweep, min_side, weighing, ranking)
    order = _purest_first(columns, start, end, min_side, scratch)
    rank_wide_by_margin(
        columns, start, end, order, geometry, sweep, scratch.bins, min_side, weighing, ranking
    )


@jit
def _left_size(columns, column, position, geometry):
    """Return how many rows a candidate sends left."""
    n_wide = len(columns.wide)
    if column < n_wide:
        return position + 1
    n_left = np.int64(0)
    for c in range(columns.n_classes):
        n_left += geometry.counts[c] - geometry.ones[c, column - n_wide]
    return n_left


@jit
def _ranked_keys(ranking):
    """Return the distinct candidates of all lists as sorted keys (column, position)."""
    keys = np.empty(ranking.size.sum(), np.int64)
    n = 0
    for i in range(len(ranking.size)):
        for rank in range(ranking.size[i]):
            keys[n] = (ranking.column[i, rank] << _POSITION_BITS) | ranking.position[i, rank]
            n += 1
    return np.unique(keys)


@jit
def _csn_of_ranked(columns, start, end, keys, rule, scratch):
    """Return the rounded CSN of the candidates `keys`."""
    csn = np.empty(len(keys))
    first = 0
    while first < len(keys):
        column = keys[first] >> _POSITION_BITS
        stop = first
        while stop < len(keys) and keys[stop] >> _POSITION_BITS == column:
            stop += 1
        cuts = np.empty(stop - first, np.int64)
        for i in range(first, stop):
            position = keys[i] & ((1 << _POSITION_BITS) - 1)
            cuts[i - first] = _left_size(columns, column, position, scratch.geometry) - 1
        rows = rows_by_column(columns, start, end, column)
        csn_of_cuts(
            columns, rows, cuts, scratch.geometry.ones, scratch.geometry.weight,
            rule.scale_by_child, rule.codes, csn[first:stop],
        )  # fmt: skip
        first = stop
    for i in range(len(csn)):
        csn[i] = rounded(csn[i])
    return csn


@jit
def _best_rank(ranking, i, k, keys, csn):
    """Return the rank, among the first `k` of list `i`, of the candidate of least CSN."""
    best = 0
    least = np.inf
    for rank in range(min(k, ranking.size[i])):
        key = (ranking.column[i, rank] << _POSITION_BITS) | ranking.position[i, rank]
        value = csn[np.searchsorted(keys, key)]
        attribute = ranking.attribute[i, rank]
        tied = value == least and (
            attribute < ranking.attribute[i, best]
            or (
                attribute == ranking.attribute[i, best]
                and ranking.position[i, rank] < ranking.position[i, best]
            )
        )
        if rank == 0 or value < least or tied:
            best, least = rank, value
    return best


@jit
def _choose(columns, start, end, points, rule, scratch):
    """Return the column (or ``_LEAF``) and position that each point splits a node at."""
    ranking = scratch.ranking
    _rank_candidates(columns, start, end, points, rule, scratch)
    chosen = np.full((len(points), 2), _LEAF, np.int64)
    contested = rule.by_compactness and ranking.size.max() > 1
    keys, csn = np.empty(0, np.int64), np.empty(0)
    if contested:
        keys = _ranked_keys(ranking)
        csn = _csn_of_ranked(columns, start, end, keys, rule, scratch)
    for p in range(len(points)):
        i = rule.list_of[p]
        if not points[p] or ranking.size[i] == 0:
            continue
        rank = _best_rank(ranking, i, rule.k[p], keys, csn) if contested else 0
        column, position = ranking.column[i, rank], ranking.position[i, rank]
        n_left = _left_size(columns, column, position, scratch.geometry)
        if min(n_left, end - start - n_left) >= rule.min_samples_leaf:
            chosen[p, 0], chosen[p, 1] = column, position
    return chosen


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
        chosen = _choose(columns, start, end, points, rule, scratch)
        while points.any():
            split = chosen[np.argmax(points)].copy()
            group = points & (chosen[:, 0] == split[0]) & (chosen[:, 1] == split[1])
            points = points & ~group
            header[2], header[3] = _LEAF, -1
            if split[0] == _LEAF:
                _record(numbers, members, header, counts, group)
                continue
            n_wide = len(columns.wide)
            j = split[0]
            header[2] = columns.wide[j] if j < n_wide else columns.pair[j - n_wide]
            header[3] = _threshold_row(columns, start, end, j, split[1])
            node = _record(numbers, members, header, counts, group)
            stays = not (points & (chosen[:, 0] != _LEAF)).any()
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
