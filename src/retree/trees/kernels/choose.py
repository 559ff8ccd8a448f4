"""Choosing the split of a node: ranked candidates, then the least CSN among the best of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.bins import Bins
from retree.trees.kernels.compactness import csn_of_cuts, rows_by_column
from retree.trees.kernels.geometry import Geometry, measure, weigh
from retree.trees.kernels.jit import jit
from retree.trees.kernels.margin import (
    Sweep,
    Weighing,
    rank_pairs_by_margin,
    rank_wide_by_margin,
)
from retree.trees.kernels.purity import count_pairs, rank_pairs_by_purity, rank_wide_by_purity
from retree.trees.kernels.ranking import Ranking, clear, rounded

NO_SPLIT = -1
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
def choose_splits(columns, start, end, points, rule, scratch):
    """Return the column (or ``NO_SPLIT``) and position that each point splits a node at."""
    ranking = scratch.ranking
    _rank_candidates(columns, start, end, points, rule, scratch)
    chosen = np.full((len(points), 2), NO_SPLIT, np.int64)
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
