"""Choosing the split of a node: candidates are ranked, a second measure takes one of the best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.bins import Bins
from retree.trees.kernels.compactness import csn_of_cuts, rows_by_column
from retree.trees.kernels.frequency import rank_pairs_by_frequency, rank_wide_by_frequency
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
from retree.trees.kernels.segment_scores import blend, expected_segments, total_segments
from retree.trees.kernels.segments import segments_of_cuts

NO_SPLIT = -1
_POSITION_BITS = 40

RANK_BY_PURITY, RANK_BY_MARGIN, RANK_BY_GAIN_RATIO, RANK_BY_HELLINGER = range(4)
# The best of the ranking, or of the k best the one of least CSN, expected segments, or segments in
# total, or of the greatest blend with the ranking of expected segments normalised in either way.
TAKE_FIRST, TAKE_COMPACT, TAKE_EXPECTED, TAKE_TOTAL, TAKE_BLEND_RANGE, TAKE_BLEND_RATIO = range(6)


class Rule(NamedTuple):
    """How a node is split and when it is not."""

    rank_by: int
    take: int
    list_of: np.ndarray  # (n_points,) int64 list that each point chooses from
    k: np.ndarray  # (n_points,) int64
    alpha: np.ndarray  # (n_points,) float64 weight of the ranking in a blend
    weighing: Weighing
    scale_by_child: bool
    codes: np.ndarray  # (n_classes, n_dichotomies) int8
    along_split: bool  # count segments along the attribute of the split alone
    rank_breaks_ties: bool  # of the second measure; otherwise attribute and threshold do
    min_samples_leaf: int  # a node of no more rows is a leaf
    least_ranked: int  # rows of the smaller child of a candidate
    least_taken: int  # rows of the smaller child of the chosen split; with fewer there is none
    max_depth: int


class Scratch(NamedTuple):
    """Arrays that every node uses anew, and a table."""

    ranking: Ranking
    second: np.ndarray  # (n_lists, length) second measure of the ranked candidates
    purest: Ranking  # one list of one candidate
    geometry: Geometry
    sweep: Sweep
    bins: Bins
    log_table: np.ndarray  # that of `make_log_table`, empty if not needed
    seen: np.ndarray  # (n_classes,) int64
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
def _rank_by_frequency(columns, start, end, min_side, rule, scratch):
    counts, left, table = scratch.geometry.counts, scratch.sweep.left, scratch.log_table
    by_hellinger = rule.rank_by == RANK_BY_HELLINGER
    rank_pairs_by_frequency(
        columns, by_hellinger, counts, scratch.geometry.ones, left, table, min_side,
        scratch.ranking,
    )  # fmt: skip
    for j in range(len(columns.wide)):
        rank_wide_by_frequency(
            columns, start, end, j, by_hellinger, counts, left, table, min_side, scratch.ranking
        )


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
    min_side = rule.least_ranked
    count_pairs(columns, start, end, geometry.ones)
    if rule.take == TAKE_COMPACT and not rule.scale_by_child:
        weigh(columns, start, end, geometry.weight)
    if rule.rank_by == RANK_BY_PURITY:
        for j in range(n_wide):
            rank_wide_by_purity(
                columns, start, end, j, geometry.counts, scratch.sweep.left, min_side, ranking
            )
        rank_pairs_by_purity(columns, geometry.counts, geometry.ones, min_side, ranking)
        return
    if rule.rank_by != RANK_BY_MARGIN:
        _rank_by_frequency(columns, start, end, min_side, rule, scratch)
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
def _key(ranking, i, rank):
    """Return a candidate of a list as one number, by column and position."""
    return (ranking.column[i, rank] << _POSITION_BITS) | ranking.position[i, rank]


@jit
def _ranked_keys(ranking):
    """Return the distinct candidates of all lists, sorted."""
    keys = np.empty(ranking.size.sum(), np.int64)
    n = 0
    for i in range(len(ranking.size)):
        for rank in range(ranking.size[i]):
            keys[n] = _key(ranking, i, rank)
            n += 1
    return np.unique(keys)


@jit
def _measure_cuts(columns, start, end, column, cuts, rule, scratch, values):
    """Fill `values` with the second measure of cuts of one column."""
    geometry = scratch.geometry
    if rule.take == TAKE_COMPACT:
        rows = rows_by_column(columns, start, end, column)
        csn_of_cuts(
            columns, rows, cuts, geometry.ones, geometry.weight, rule.scale_by_child, rule.codes,
            values,
        )  # fmt: skip
        for i in range(len(values)):
            values[i] = rounded(values[i])
        return
    segments = np.empty((len(cuts), 2), np.int64)
    segments_of_cuts(
        columns, start, end, column, cuts, geometry.counts, geometry.ones, rule.along_split,
        scratch.goes_left, scratch.buffer, scratch.seen, segments,
    )  # fmt: skip
    for i in range(len(values)):
        if rule.take == TAKE_TOTAL:
            values[i] = total_segments(segments[i])
        else:
            values[i] = expected_segments(segments[i], cuts[i] + 1, end - start)


@jit
def _measure_ranked(columns, start, end, rule, scratch):
    """Fill ``scratch.second``; a candidate of several lists is measured once."""
    ranking = scratch.ranking
    keys = _ranked_keys(ranking)
    values = np.empty(len(keys))
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
        _measure_cuts(columns, start, end, column, cuts, rule, scratch, values[first:stop])
        first = stop
    for i in range(len(ranking.size)):
        for rank in range(ranking.size[i]):
            scratch.second[i, rank] = values[np.searchsorted(keys, _key(ranking, i, rank))]


@jit
def _stands_before(ranking, i, rank, other):
    """Whether a candidate of a list has the lower attribute, or threshold, than another."""
    attribute, other_attribute = ranking.attribute[i, rank], ranking.attribute[i, other]
    if attribute != other_attribute:
        return attribute < other_attribute
    return ranking.position[i, rank] < ranking.position[i, other]


@jit
def _best_rank(ranking, i, values, rank_breaks_ties):
    """Return the rank, in list `i`, of the candidate of the least of `values`."""
    best = 0
    for rank in range(1, len(values)):
        if values[rank] == values[best]:
            better = not rank_breaks_ties and _stands_before(ranking, i, rank, best)
        else:
            better = values[rank] < values[best]
        if better:
            best = rank
    return best


@jit
def _choose_rank(p, rule, scratch):
    """Return which candidate of its list a point takes."""
    ranking = scratch.ranking
    i = rule.list_of[p]
    n = min(rule.k[p], ranking.size[i])
    values = scratch.second[i, :n]
    if rule.take == TAKE_BLEND_RANGE or rule.take == TAKE_BLEND_RATIO:
        by_range = rule.take == TAKE_BLEND_RANGE
        values = blend(ranking.score[i, :n], values, rule.alpha[p], by_range)
    return _best_rank(ranking, i, values, rule.rank_breaks_ties)


@jit
def choose_splits(columns, start, end, points, rule, scratch):
    """Return the column (or ``NO_SPLIT``) and position that each point splits a node at."""
    ranking = scratch.ranking
    _rank_candidates(columns, start, end, points, rule, scratch)
    chosen = np.full((len(points), 2), NO_SPLIT, np.int64)
    contested = rule.take != TAKE_FIRST and ranking.size.max() > 1
    if contested:
        _measure_ranked(columns, start, end, rule, scratch)
    for p in range(len(points)):
        i = rule.list_of[p]
        if not points[p] or ranking.size[i] == 0:
            continue
        rank = _choose_rank(p, rule, scratch) if contested else 0
        column, position = ranking.column[i, rank], ranking.position[i, rank]
        n_left = _left_size(columns, column, position, scratch.geometry)
        if min(n_left, end - start - n_left) >= rule.least_taken:
            chosen[p, 0], chosen[p, 1] = column, position
    return chosen
