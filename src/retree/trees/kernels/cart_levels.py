"""CART's best subset of the levels of a nominal column.

A subset is a mask over the levels that occur in the node, in the order of their codes. The first of
them is always in it. Of tied subsets the one is taken that reads as the smallest binary number, the
first level being the lowest digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.cart_gain import gain_of
from retree.trees.kernels.cart_node import VARIANCE, is_allowed, part_of, tie_width, weigh
from retree.trees.kernels.jit import jit

_GRID = 2.0**36  # keys closer than its inverse are equal
_MOST_UNIONS = 5  # up to so many classes, every union of them orders the levels
_MOST_ROUNDS = 10


class Levels(NamedTuple):
    """The levels of a column in a node; and working memory."""

    sums: np.ndarray  # (max_levels, n_sums) float64, of each level by its code, zero between uses
    rows: np.ndarray  # (max_levels,) int64, likewise
    found: np.ndarray  # (max_levels,) int32, the levels that occur, ascending
    key: np.ndarray  # (max_levels,) float64
    rank: np.ndarray  # (max_levels,) int64, of each of the found levels
    best: np.ndarray  # (max_levels,) bool, mask over the found levels
    gain: np.ndarray  # (1,) float64, the greatest gain, which that of `best` is tied with
    left: np.ndarray  # (n_sums,) float64


def make_levels(max_levels: int, n_sums: int) -> Levels:
    """Return the arrays for columns of up to `max_levels` levels."""
    return Levels(
        sums=np.zeros((max_levels, n_sums)),
        rows=np.zeros(max_levels, np.int64),
        found=np.empty(max_levels, np.int32),
        key=np.empty(max_levels),
        rank=np.empty(max_levels, np.int64),
        best=np.empty(max_levels, np.bool_),
        gain=np.empty(1),
        left=np.empty(n_sums),
    )


@jit
def sum_levels(rows, codes, y, target, weight, centre, criterion, levels):
    """Sum the `rows` of each level, with the given level codes; return how many levels occur."""
    n_found, found, n_rows, sums = 0, levels.found, levels.rows, levels.sums
    for row in rows:
        level = codes[row]
        if level < 0:
            continue
        if n_rows[level] == 0:
            found[n_found] = level
            n_found += 1
        n_rows[level] += 1
        w = weigh(weight, row)
        if criterion == VARIANCE:
            sums[level, 0] += w
            sums[level, 1] += w * (target[row] - centre)
        else:
            sums[level, y[row]] += w
    found[:n_found].sort()
    return n_found


@jit
def clear_levels(n_found, levels):
    """Make the sums zero again."""
    for level in levels.found[:n_found]:
        levels.sums[level] = 0.0
        levels.rows[level] = 0


@jit
def _is_inside(q, rank, cut, mask):
    """Whether a subset has level `q`: the number `mask` or, if negative, the side of a cut."""
    if mask >= 0:
        return (mask >> q) & 1 == 1
    return (rank[q] <= cut) == (rank[0] <= cut)


@jit
def _offer(gain, known, rank, cut, mask, levels):
    """Keep a subset if it is the best so far, or tied with the best and the smaller number."""
    slack, n_found = tie_width(known), len(rank)
    if gain < levels.gain[0] - slack:
        return
    if gain <= levels.gain[0] + slack:
        q = n_found - 1
        while q > 0 and _is_inside(q, rank, cut, mask) == levels.best[q]:
            q -= 1
        if not levels.best[q] or q == 0:
            return
    levels.gain[0] = max(levels.gain[0], gain)
    for q in range(n_found):
        levels.best[q] = _is_inside(q, rank, cut, mask)


@jit
def _move(sums, sign, left):
    """Add the `sums` of a level to those of the left side, or take them away."""
    for c in range(len(left)):
        left[c] += sign * sums[c]


@jit
def _try_all(known, rule, table, n_found, levels):
    """Offer every subset, in the order of a Gray code: a step moves one level."""
    found, left, rank = levels.found, levels.left, levels.rank[:n_found]
    left[:] = levels.sums[found[0]]
    n_left, mask = levels.rows[found[0]], 1
    n_subsets = 1 << (n_found - 1)
    for step in range(1, n_subsets + 1):
        gain, w_left = gain_of(left, known, rule.criterion, table)
        if is_allowed(n_left, w_left, known, rule.min_samples_leaf):
            _offer(gain, known, rank, 0, mask, levels)
        if step == n_subsets:
            return
        q = 1
        while step >> q << q == step:
            q += 1
        mask ^= 1 << q
        sign = 1 if (mask >> q) & 1 else -1
        _move(levels.sums[found[q]], sign, left)
        n_left += sign * levels.rows[found[q]]


@jit
def _try_cuts(known, rule, table, n_found, levels):
    """Offer every cut of the levels in the order of their keys, equal ones in that of the codes."""
    left, rank = levels.left, levels.rank[:n_found]
    order = np.argsort(levels.key[:n_found], kind="mergesort")
    for p in range(n_found):
        rank[order[p]] = p
    left[:] = 0.0
    n_left = 0
    for cut in range(n_found - 1):
        level = levels.found[order[cut]]
        _move(levels.sums[level], 1, left)
        n_left += levels.rows[level]
        gain, w_left = gain_of(left, known, rule.criterion, table)
        if is_allowed(n_left, w_left, known, rule.min_samples_leaf):
            _offer(gain, known, rank, cut, -1, levels)


@jit
def _try_means(known, rule, table, n_found, levels):
    """Order the levels by the mean of the targets and offer the cuts."""
    for q in range(n_found):
        sums = levels.sums[levels.found[q]]
        levels.key[q] = np.floor(sums[1] / sums[0] / np.sqrt(known.unit) * _GRID + 0.5)
    _try_cuts(known, rule, table, n_found, levels)


@jit
def _try_classes(classes, known, rule, table, n_found, levels):
    """Order the levels by the share of the classes of a mask and offer the cuts."""
    chosen = np.flatnonzero(classes)
    for q in range(n_found):
        sums = levels.sums[levels.found[q]]
        inside = 0.0
        for c in chosen:
            inside += sums[c]
        levels.key[q] = np.floor(inside / sums.sum() * _GRID + 0.5)
    _try_cuts(known, rule, table, n_found, levels)


@jit
def _try_unions(known, rule, table, n_found, levels):
    """Offer the cuts by the shares of all unions of few classes, or of every one of many."""
    present = np.flatnonzero(known.sums > 0.0)
    n = len(present)
    classes = np.zeros(len(known.sums), np.bool_)
    if n > _MOST_UNIONS:
        for c in present:
            classes[:] = False
            classes[c] = True
            _try_classes(classes, known, rule, table, n_found, levels)
        return
    # A union and the union of all other classes order the levels alike, so the last is left out;
    # a single class orders them by their codes.
    for union in range(1, max(2, 1 << (n - 1))):
        for i in range(n - 1):
            classes[present[i]] = (union >> i) & 1 == 1
        _try_classes(classes, known, rule, table, n_found, levels)


@jit
def _refine(known, rule, table, n_found, levels):
    """Move single levels to the other side, in the order of their codes, while the gain grows."""
    best, left = levels.best[:n_found], levels.left
    for _ in range(_MOST_ROUNDS):
        before = levels.gain[0]
        left[:] = 0.0
        n_left = 0
        for q in np.flatnonzero(best):
            _move(levels.sums[levels.found[q]], 1, left)
            n_left += levels.rows[levels.found[q]]
        for q in range(1, n_found):
            sign, sums = -1 if best[q] else 1, levels.sums[levels.found[q]]
            rows = sign * levels.rows[levels.found[q]]
            _move(sums, sign, left)
            gain, w_left = gain_of(left, known, rule.criterion, table)
            is_better = is_allowed(n_left + rows, w_left, known, rule.min_samples_leaf)
            is_better = is_better and gain > levels.gain[0] + tie_width(known)
            if is_better:
                n_left += rows
                best[q] = not best[q]
                levels.gain[0] = gain
            else:
                _move(sums, -sign, left)
        if levels.gain[0] == before:
            return


@jit
def find_subset(columns, target, start, end, j, everything, rule, levels):
    """Find the best subset of nominal column `j`.

    Returns
    -------
    gain : float
        Per unit of the node's weight, -inf if there is no subset.
    n_found : int
        The subset is left in ``levels.best[:n_found]``, a mask over ``levels.found[:n_found]``.
    """
    levels.gain[0] = -np.inf
    criterion, table = rule.criterion, columns.table
    rows, codes, y = columns.rows[start:end], columns.codes[j], columns.y
    n_found = sum_levels(
        rows, codes, y, target, columns.weight, everything.centre, criterion, levels
    )
    found = levels.found[:n_found]
    if n_found > 1:
        sums, n_rows = levels.sums[found].sum(axis=0), levels.rows[found].sum()
        known = part_of(everything, sums, n_rows, criterion)
        if criterion == VARIANCE:
            _try_means(known, rule, table, n_found, levels)
        elif n_found <= rule.max_exact_levels and (known.sums > 0.0).sum() > 2:
            _try_all(known, rule, table, n_found, levels)
        else:
            _try_unions(known, rule, table, n_found, levels)
            if (known.sums > 0.0).sum() > 2 and levels.gain[0] > -np.inf:
                _refine(known, rule, table, n_found, levels)
        levels.gain[0] *= known.share
    clear_levels(n_found, levels)
    return levels.gain[0], n_found
