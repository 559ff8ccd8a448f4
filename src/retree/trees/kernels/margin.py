"""BNM, the between-node margin within the same class (structure_purity, eq. 7).

``BNM = mean over the classes in both children of the squared distance of their centroids
- penalty``. Exact centroids cost O(attributes) a row, so a candidate is first held against an upper
bound that costs O(classes): with n rows of a class in the node, l left and r right of the
threshold, and A = sum of the left rows' deviations from the class mean, the squared distance of the
centroids is |A|^2 (n / (l r))^2, where |A| grows by at most a row's own distance from the mean, and
|A|^2 <= scatter * l r / n (between-group scatter is part of the scatter).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.jit import jit
from retree.trees.kernels.purity import gini_purity, pair_purity
from retree.trees.kernels.ranking import offer

PENALTY_NONE, PENALTY_WITHIN, PENALTY_ACROSS = 0, 1, 2

# Bounds are compared with a margin, since both sides carry rounding errors.
_SLACK = 1e-9


class Sweep(NamedTuple):
    """Scratch of a sweep through a column: what is known of the rows left of the threshold."""

    left: np.ndarray  # (n_classes,) int64 rows of each class
    total: np.ndarray  # (n_classes, n_wide) sum of the scaled rows that were added so far
    ones: np.ndarray  # (n_classes, n_pair) int32 sum of the bits of the same rows
    reach: np.ndarray  # (n_classes,) upper bound of |A| of each class
    last: np.ndarray  # (n_classes,) int64 position of the last row of each class on the left
    following: np.ndarray  # (n_classes,) int64 position of the first row of each class on the right


def make_sweep(n_wide: int, n_pair: int, n_classes: int) -> Sweep:
    """Return scratch arrays for sweeps."""
    return Sweep(
        np.zeros(n_classes, np.int64),
        np.zeros((n_classes, n_wide)),
        np.zeros((n_classes, n_pair), np.int32),
        np.zeros(n_classes),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
    )


@jit
def _reset(sweep):
    sweep.left[:] = 0
    sweep.total[:] = 0.0
    sweep.ones[:] = 0
    sweep.reach[:] = 0.0
    sweep.following[:] = 0


@jit
def _margin_bound(geometry, sweep):
    """Return an upper bound of the first term of BNM."""
    bound = 0.0
    shared = 0
    for c in range(len(geometry.counts)):
        left = sweep.left[c]
        right = geometry.counts[c] - left
        if left > 0 and right > 0:
            shared += 1
            factor = geometry.counts[c] / (np.float64(left) * right)
            reach = sweep.reach[c] * factor
            bound += min(reach * reach, geometry.scatter[c] * factor)
    return bound / shared if shared > 0 else 0.0


@jit
def _margin(geometry, sweep):
    """Return the first term of BNM and tighten the reach of each class to |A|."""
    margin = 0.0
    shared = 0
    for c in range(len(geometry.counts)):
        left = sweep.left[c]
        right = geometry.counts[c] - left
        if left == 0 or right == 0:
            continue
        squared = _squared_norm(geometry, sweep, c)
        sweep.reach[c] = np.sqrt(squared)
        factor = geometry.counts[c] / (np.float64(left) * right)
        margin += squared * factor * factor
        shared += 1
    return margin / shared if shared > 0 else 0.0


@jit
def _squared_norm(geometry, sweep, c):
    """Return |A|^2 of class `c`."""
    left = np.float64(sweep.left[c])
    total, mean, weight = sweep.total[c], geometry.mean[c], geometry.weight
    # Four sums side by side: the compiler may not reorder a single one.
    n = len(weight)
    a, b = 0.0, 0.0
    for j in range(0, n - 1, 2):
        first = total[j] - left * mean[j]
        second = total[j + 1] - left * mean[j + 1]
        a += weight[j] * first * first
        b += weight[j + 1] * second * second
    if n % 2 == 1:
        first = total[n - 1] - left * mean[n - 1]
        a += weight[n - 1] * first * first
    ones, all_ones = sweep.ones[c], geometry.ones[c]
    share = left / geometry.counts[c]
    for j in range(len(ones)):
        first = ones[j] - share * all_ones[j]
        a += first * first
    return a + b


@jit
def _nearest_pair(distances):
    """Return the mean over classes of own distance plus least distance of another class.

    A class that is not there has distance infinity; with fewer than two classes the mean is 0.
    """
    least, second, total = np.inf, np.inf, 0.0
    present = 0
    for d in distances:
        if d < np.inf:
            present += 1
            total += d
            if d < least:
                least, second = d, least
            elif d < second:
                second = d
    if present < 2:
        return 0.0
    # The nearest class meets the second nearest, every other one meets the nearest.
    return (total + (present - 1) * least + second) / present


@jit
def _across(own, other):
    """Return the mean over the classes of `own` of their distance plus the least of another class.

    `other` holds the distances on the far side of the threshold.
    """
    total = 0.0
    present = 0
    for c in range(len(own)):
        if own[c] == np.inf:
            continue
        present += 1
        opposite = np.inf
        for q in range(len(other)):
            if q != c:
                opposite = min(opposite, other[q])
        if opposite < np.inf:
            total += own[c] + opposite
    return total / present if present > 0 else 0.0


@jit
def penalty_of(kind, left, right):
    """Return the penalty of eq. 7.

    Parameters
    ----------
    kind : int
        ``PENALTY_NONE``, ``PENALTY_WITHIN`` or ``PENALTY_ACROSS``.
    left, right : ndarray of shape (n_classes,)
        Distance to the threshold of the nearest row of each class in each child, infinity where the
        class is not there.
    """
    if kind == PENALTY_NONE:
        return 0.0
    if kind == PENALTY_WITHIN:
        return _nearest_pair(left) + _nearest_pair(right)
    return _across(left, right) + _across(right, left)


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
def _hopeful(purity, margin, omega1, omega2, ranking):
    """Whether a candidate with this BNM, or bound of it, reaches the cut of any list."""
    for i in range(len(omega2)):
        score = omega1 * purity + omega2[i] * margin
        if score + abs(score) * _SLACK >= ranking.cut[i]:
            return True
    return False


@jit
def _offer_to_all(purity, margin, omega1, omega2, ranking, column, attribute, position):
    for i in range(len(omega2)):
        score = omega1 * purity + omega2[i] * margin
        if score >= ranking.cut[i]:
            offer(ranking, i, score, column, attribute, position)


@jit
def _catch_up(columns, values, begin, end, sweep):
    """Add the rows of ``values[begin:end]`` to the sums of their classes."""
    for i in range(begin, end):
        row = values[i] & ROW_MASK
        c = columns.y[row]
        total, x = sweep.total[c], columns.scaled[row]
        for j in range(len(x)):
            total[j] += x[j]
        ones, bits = sweep.ones[c], columns.bits[row]
        for j in range(len(bits)):
            ones[j] += bits[j]


@jit
def rank_wide_by_margin(
    columns, start, end, column, geometry, sweep, min_side, penalty, omega1, omega2, ranking
):
    """Offer every threshold of a wide column by ``omega1 * G + omega2 * BNM``, to a list an omega2."""
    values = columns.entries[column, start:end]
    n = len(values)
    class_mask = np.uint64(2**columns.class_bits - 1)
    shift = np.uint64(ROW_BITS + columns.class_bits)
    low, high = values[0] & ROW_MASK, values[n - 1] & ROW_MASK
    extent = columns.scaled[high, column] - columns.scaled[low, column]
    if values[0] >> shift == values[n - 1] >> shift:
        return
    if extent == 0.0:  # values that differ by less than the scaled columns can tell
        extent = 1.0
    _reset(sweep)
    squares = np.int64(0)
    for c in range(columns.n_classes):
        squares += geometry.counts[c] * geometry.counts[c]
    squares_left, cross, added = np.int64(0), np.int64(0), 0
    for i in range(n - min_side):
        entry = values[i]
        c = np.int64((entry >> np.uint64(ROW_BITS)) & class_mask)
        squares_left += 2 * sweep.left[c] + 1
        sweep.left[c] += 1
        sweep.last[c] = i
        sweep.reach[c] += geometry.distance[entry & ROW_MASK]
        cross += geometry.counts[c]
        if (entry >> shift) == (values[i + 1] >> shift) or i + 1 < min_side:
            continue
        squares_right = squares - 2 * cross + squares_left
        purity = gini_purity(squares_left, i + 1, squares_right, n - i - 1)
        bound = _margin_bound(geometry, sweep)
        if not _hopeful(purity, bound, omega1, omega2, ranking):
            continue
        loss = _wide_penalty(penalty, columns, values, column, extent, i, geometry, sweep)
        if not _hopeful(purity, bound - loss, omega1, omega2, ranking):
            continue
        _catch_up(columns, values, added, i + 1, sweep)
        added = i + 1
        margin = _margin(geometry, sweep) - loss
        _offer_to_all(
            purity, margin, omega1, omega2, ranking, column, columns.wide[column], i
        )


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
def rank_pairs_by_margin(
    columns, start, end, geometry, sweep, min_side, penalty, omega1, omega2, ranking
):
    """Offer the split of each pair column, as `rank_wide_by_margin` does those of a wide one."""
    for j in range(len(columns.pair)):
        purity, n_left, n_right = pair_purity(geometry.counts, geometry.ones, j)
        if min(n_left, n_right) < max(1, min_side):
            continue
        _reset(sweep)
        sweep.reach[:] = np.inf
        # The margin is symmetric, so the sums may be those of the right child.
        for c in range(columns.n_classes):
            sweep.left[c] = geometry.ones[c, j]
        bound = _margin_bound(geometry, sweep)
        loss = _pair_penalty(penalty, geometry, j)
        if not _hopeful(purity, bound - loss, omega1, omega2, ranking):
            continue
        for i in range(start, end):
            row = columns.rows[i]
            if columns.bits[row, j] == 1:
                c = columns.y[row]
                sweep.total[c] += columns.scaled[row]
                sweep.ones[c] += columns.bits[row]
        margin = _margin(geometry, sweep) - loss
        _offer_to_all(
            purity, margin, omega1, omega2, ranking, len(columns.wide) + j, columns.pair[j], 0
        )
