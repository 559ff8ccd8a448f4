"""BNM, the between-node margin within the same class (structure_purity, eq. 7).

``BNM = mean over the classes in both children of the squared distance of their centroids
- penalty``. (The words before the formula say distance, not squared: `Weighing.squared`.)

Exact centroids cost O(attributes) a row, so a candidate is first held against an upper bound that
costs O(classes): with n rows of a class in the node, l left and r right of the threshold, and A
the sum of the left rows' deviations from the class mean, the distance of the centroids is
|A| n / (l r), where |A| grows by at most a row's own distance from the mean, and
|A|^2 <= scatter * l r / n (between-group scatter is part of the scatter).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.bins import (
    BINNED_ROWS,
    BINS,
    column_range,
    enter_bin,
    fill_bins,
    measure_borders,
)
from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.geometry import add_row, squared_norm
from retree.trees.kernels.jit import jit
from retree.trees.kernels.penalty import penalty_of
from retree.trees.kernels.purity import gini_purity, pair_purity
from retree.trees.kernels.ranking import offer

# Pair columns whose sums are made in one pass over a node's rows.
PAIR_BLOCK = 64

# Bounds are compared with a margin, since both sides carry rounding errors.
_SLACK = 1e-9


class Weighing(NamedTuple):
    """How purity and BNM make the score of a candidate."""

    omega1: float
    omega2: np.ndarray  # (n_lists,) the omega2 of each ranked list
    penalty: int
    squared: bool  # square the distance of the centroids, as eq. 7 does


class Sweep(NamedTuple):
    """Scratch of a sweep through a column: what is known of the rows left of the threshold."""

    left: np.ndarray  # (n_classes,) int64 rows of each class
    total: np.ndarray  # (n_classes, n_wide + n_pair) sum of the rows that were added so far
    block: np.ndarray  # (n_classes * PAIR_BLOCK, n_wide + n_pair) the same for many pair columns
    reach: np.ndarray  # (n_classes,) upper bound of |A|, from the left
    ahead: np.ndarray  # (n_classes,) upper bound of |A|, from the next border of a bin
    last: np.ndarray  # (n_classes,) int64 position of the last row of each class on the left
    following: np.ndarray  # (n_classes,) int64 position of the first row of each class on the right


def make_sweep(n_wide: int, n_pair: int, n_classes: int) -> Sweep:
    """Return scratch arrays for sweeps."""
    return Sweep(
        np.zeros(n_classes, np.int64),
        np.zeros((n_classes, n_wide + n_pair)),
        np.zeros((n_classes * PAIR_BLOCK if n_pair > 0 else 0, n_wide + n_pair)),
        np.zeros(n_classes),
        np.zeros(n_classes),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
    )


@jit
def _reset(sweep):
    sweep.left[:] = 0
    sweep.total[:] = 0.0
    sweep.reach[:] = 0.0
    sweep.ahead[:] = np.inf
    sweep.following[:] = 0


@jit
def _margin_bound(geometry, sweep, weighing):
    """Return an upper bound of the first term of BNM."""
    bound = 0.0
    shared = 0
    for c in range(len(geometry.counts)):
        left = sweep.left[c]
        right = geometry.counts[c] - left
        if left > 0 and right > 0:
            shared += 1
            factor = geometry.counts[c] / (np.float64(left) * right)
            reach = min(sweep.reach[c], sweep.ahead[c]) * factor
            squared = min(reach * reach, geometry.scatter[c] * factor)
            bound += squared if weighing.squared else np.sqrt(squared)
    return bound / shared if shared > 0 else 0.0


@jit
def _margin(geometry, sweep, total, weighing):
    """Return the first term of BNM and tighten the reach of each class to |A|.

    `total`, shape (n_classes, n_wide + n_pair), holds the sums of the rows that `sweep` counts.
    """
    margin = 0.0
    shared = 0
    for c in range(len(geometry.counts)):
        left = sweep.left[c]
        right = geometry.counts[c] - left
        if left == 0 or right == 0:
            continue
        squared = squared_norm(total, geometry.mean, c, np.float64(left), geometry.weight)
        sweep.reach[c] = np.sqrt(squared)
        factor = geometry.counts[c] / (np.float64(left) * right)
        # |A| times the factor is the distance of the centroids.
        margin += (squared * factor if weighing.squared else sweep.reach[c]) * factor
        shared += 1
    return margin / shared if shared > 0 else 0.0


@jit
def _wide_penalty(kind, columns, values, column, extent, position, geometry, sweep):
    """Return the penalty of the threshold behind `position` of a wide column."""
    n_classes = columns.n_classes
    left, right = np.full(n_classes, np.inf), np.full(n_classes, np.inf)
    class_mask = np.uint64(2**columns.class_bits - 1)
    threshold = columns.scaled[values[position] & ROW_MASK, column]
    for c in range(n_classes):
        if sweep.left[c] > 0:
            row = values[sweep.last[c]] & ROW_MASK
            left[c] = (threshold - columns.scaled[row, column]) / extent
        if sweep.left[c] < geometry.counts[c]:
            i = max(sweep.following[c], position + 1)
            while (values[i] >> np.uint64(ROW_BITS)) & class_mask != c:
                i += 1
            sweep.following[c] = i
            row = values[i] & ROW_MASK
            right[c] = (columns.scaled[row, column] - threshold) / extent
    return penalty_of(kind, left, right)


@jit
def _hopeful(purity, margin, weighing, ranking):
    """Whether a candidate with this BNM, or bound of it, reaches the cut of any list."""
    for i in range(len(weighing.omega2)):
        score = weighing.omega1 * purity + weighing.omega2[i] * margin
        if score + abs(score) * _SLACK >= ranking.cut[i]:
            return True
    return False


@jit
def _offer_to_all(purity, margin, weighing, ranking, column, attribute, position):
    for i in range(len(weighing.omega2)):
        score = weighing.omega1 * purity + weighing.omega2[i] * margin
        if score >= ranking.cut[i]:
            offer(ranking, i, score, column, attribute, position)


@jit
def rank_wide_by_margin(
    columns, start, end, order, geometry, sweep, bins, min_side, weighing, ranking
):
    """Offer the thresholds of all wide columns by ``omega1 * G + omega2 * BNM``, a list an omega2.

    The columns are visited in the given order.
    """
    binned = end - start >= BINNED_ROWS
    n_at_once = max(1, len(bins.n_rows) // (BINS * columns.n_classes))
    for first in range(0, len(order), n_at_once):
        some = order[first : first + n_at_once]
        if binned:
            fill_bins(columns, start, end, some, geometry, bins)
        for place in range(len(some)):
            _reset(sweep)
            if binned:
                measure_borders(geometry, sweep, bins, place)
                sweep.total[:] = 0.0
            _rank_column(
                columns, start, end, some[place], geometry, sweep, bins, place if binned else -1,
                min_side, weighing, ranking,
            )  # fmt: skip


@jit
def _rank_column(
    columns, start, end, column, geometry, sweep, bins, place, min_side, weighing, ranking
):
    """Offer the thresholds of a wide column; `place` is that of its bins, -1 for none."""
    values = columns.entries[column, start:end]
    n = len(values)
    class_mask = np.uint64(2**columns.class_bits - 1)
    shift = np.uint64(ROW_BITS + columns.class_bits)
    _, extent = column_range(columns, start, end, column)
    if values[0] >> shift == values[n - 1] >> shift:
        return
    squares = np.int64(0)
    for c in range(columns.n_classes):
        squares += geometry.counts[c] * geometry.counts[c]
    squares_left, cross, added, current_bin = np.int64(0), np.int64(0), 0, 0
    next_bin = 0 if place >= 0 else n
    for i in range(n - min_side):
        entry = values[i]
        row = entry & ROW_MASK
        c = np.int64((entry >> np.uint64(ROW_BITS)) & class_mask)
        if i == next_bin:
            while bins.first[current_bin + 1] <= i:
                current_bin += 1
            next_bin = bins.first[current_bin + 1]
            enter_bin(geometry, sweep, bins, place, current_bin)
        squares_left += 2 * sweep.left[c] + 1
        sweep.left[c] += 1
        sweep.last[c] = i
        sweep.reach[c] += geometry.distance[row]
        sweep.ahead[c] -= geometry.distance[row]
        cross += geometry.counts[c]
        if (entry >> shift) == (values[i + 1] >> shift) or i + 1 < min_side:
            continue
        squares_right = squares - 2 * cross + squares_left
        purity = gini_purity(squares_left, i + 1, squares_right, n - i - 1)
        bound = _margin_bound(geometry, sweep, weighing)
        if not _hopeful(purity, bound, weighing, ranking):
            continue
        loss = _wide_penalty(weighing.penalty, columns, values, column, extent, i, geometry, sweep)
        if not _hopeful(purity, bound - loss, weighing, ranking):
            continue
        while added <= i:
            row = values[added] & ROW_MASK
            add_row(columns, row, sweep.total, columns.y[row])
            added += 1
        margin = _margin(geometry, sweep, sweep.total, weighing) - loss
        _offer_to_all(purity, margin, weighing, ranking, column, columns.wide[column], i)


@jit
def _pair_penalty(kind, geometry, j):
    """Return the penalty of pair column `j`: left rows are at the threshold, right ones 1 off."""
    n_classes = len(geometry.counts)
    left, right = np.full(n_classes, np.inf), np.full(n_classes, np.inf)
    for c in range(n_classes):
        if geometry.ones[c, j] < geometry.counts[c]:
            left[c] = 0.0
        if geometry.ones[c, j] > 0:
            right[c] = 1.0
    return penalty_of(kind, left, right)


@jit
def _add_up_block(columns, start, end, first, active, totals):
    """Add up, by class, the rows of a node with the larger value of each active pair column.

    ``totals[c * PAIR_BLOCK + j]`` receives the sum for class ``c`` and pair column ``first + j``.
    """
    for j in range(len(active)):
        if active[j]:
            for c in range(columns.n_classes):
                totals[c * PAIR_BLOCK + j] = 0.0
    for i in range(start, end):
        row = columns.rows[i]
        for s in range(columns.set_start[row], columns.set_start[row + 1]):
            j = columns.set_pairs[s] - first
            if 0 <= j < len(active) and active[j]:
                add_row(columns, row, totals, columns.y[row] * PAIR_BLOCK + j)


@jit
def _prepare_pair(geometry, sweep, j):
    """Let `sweep` stand for the rows with the larger value of pair column `j`."""
    # The margin is symmetric, so these may as well be called the left ones.
    sweep.reach[:] = np.inf
    sweep.ahead[:] = np.inf
    for c in range(len(geometry.counts)):
        sweep.left[c] = geometry.ones[c, j]


@jit
def rank_pairs_by_margin(columns, start, end, geometry, sweep, min_side, weighing, ranking):
    """Offer the split of each pair column, as `rank_wide_by_margin` does those of a wide one."""
    n_pair = len(columns.pair)
    for first in range(0, n_pair, PAIR_BLOCK):
        active = np.zeros(min(PAIR_BLOCK, n_pair - first), np.bool_)
        for j in range(len(active)):
            purity, n_left, n_right = pair_purity(geometry.counts, geometry.ones, first + j)
            if min(n_left, n_right) >= max(1, min_side):
                _prepare_pair(geometry, sweep, first + j)
                bound = _margin_bound(geometry, sweep, weighing)
                bound -= _pair_penalty(weighing.penalty, geometry, first + j)
                active[j] = _hopeful(purity, bound, weighing, ranking)
        if not active.any():
            continue
        _add_up_block(columns, start, end, first, active, sweep.block)
        for j in range(len(active)):
            if not active[j]:
                continue
            purity, _, _ = pair_purity(geometry.counts, geometry.ones, first + j)
            _prepare_pair(geometry, sweep, first + j)
            margin = _margin(geometry, sweep, sweep.block[j::PAIR_BLOCK], weighing)
            margin -= _pair_penalty(weighing.penalty, geometry, first + j)
            _offer_to_all(
                purity, margin, weighing, ranking,
                len(columns.wide) + first + j, columns.pair[first + j], 0,
            )  # fmt: skip
