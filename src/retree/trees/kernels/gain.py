"""Information gain and gain ratio of C4.5's tests (Quinlan 1993, with J48's tolerances)."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.jit import jit
from retree.trees.kernels.weighted_columns import NEAR

TOLERANCE = 1e-6  # numbers closer than this are equal, and a weight below it is none
_LARGEST_MINIMUM = 25.0


@jit
def xlog2x(x):
    """Return x * log2(x), 0 where x is no more than rounding."""
    return x * np.log2(x) if x >= TOLERANCE else 0.0


@jit
def smallest_side(known, n_classes, min_cases):
    """Return the least weight of either side of a numeric test."""
    smallest = 0.1 * known / n_classes
    if smallest <= min_cases + TOLERANCE:
        return float(min_cases)
    return min(smallest, _LARGEST_MINIMUM)


@jit
def leave_out(segment, y, weight, counts):
    """Take the weights of the rows of `segment` from the class weights `counts`."""
    for entry in segment:
        row = entry & ROW_MASK
        counts[y[row]] -= weight[row]


@jit
def count_with_value(segment, missing_code, shift):
    """Return how many entries of the sorted `segment` have a value."""
    low, high = 0, len(segment)
    if high > 0 and np.int64(segment[high - 1] >> shift) != missing_code:
        return high
    while low < high:
        middle = (low + high) // 2
        if np.int64(segment[middle] >> shift) == missing_code:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def _is_candidate(code, following, values, has_near):
    """Whether a threshold may stand between two neighbouring rows of a node."""
    if code == following:
        return False
    return not has_near or values[code] + NEAR < values[following]


@jit
def scan_whole(
    segment, class_bits, known, least, total, weight, is_unit, table, values, has_near, sides
):
    """Find the numeric test of greatest gain where all weights are whole numbers.

    Parameters
    ----------
    segment : ndarray of uint64
        Sorted entries of the rows with a value.
    known : ndarray of shape (n_classes,)
        Their class weights.
    least : float
        Least weight of each side.
    total : float
        Weight of the node.
    weight : ndarray of shape (n_samples,)
        Weight of each row, all 1 if `is_unit`.
    table : ndarray
        ``x * log2(x)`` of 0, 1, ...
    values : ndarray
        Distinct values of the column; `has_near` says whether neighbours are closer than `NEAR`.
    sides : ndarray of shape (2, n_classes), int64
        Working memory.

    Returns
    -------
    gain : float
        Greatest information gain in bits per unit of `total`, 0 if there is none.
    position : int
        Last entry of `segment` on its left side, -1 if there is none.
    n_tries : int
        Number of thresholds that leave at least the weight `least` on both sides.
    n_best : float
        Weight of the left side.
    """
    left, right = sides[0], sides[1]
    shift = np.uint64(ROW_BITS + class_bits)
    class_mask = np.uint64((1 << class_bits) - 1)
    n_left, n_right, terms = np.int64(0), np.int64(0), 0.0
    for c in range(len(known)):
        left[c], right[c] = 0, np.int64(known[c] + 0.5)
        n_right += right[c]
        terms += table[right[c]]
    offset = table[n_right] - terms
    low = np.int64(np.ceil(least - TOLERANCE))
    slack = TOLERANCE * total
    best, position, n_tries, n_best = 0.0, -1, 0, 0
    for i in range(len(segment) - 1):
        entry = segment[i]
        c = (entry >> np.uint64(ROW_BITS)) & class_mask
        w = np.int64(1) if is_unit else np.int64(weight[entry & ROW_MASK])
        n_left += w
        n_right -= w
        if n_right < low:
            break
        before = table[left[c]] + table[right[c]]
        left[c] += w
        right[c] -= w
        terms += table[left[c]] + table[right[c]] - before
        code, following = entry >> shift, segment[i + 1] >> shift
        if n_left >= low and _is_candidate(code, following, values, has_near):
            n_tries += 1
            gain = offset + terms - table[n_left] - table[n_right]
            if gain > best + slack:
                best, position, n_best = gain, i, n_left
    return best / total, position, n_tries, float(n_best)


@jit
def scan_fractional(segment, class_bits, known, least, total, weight, values, has_near, work):
    """Find the numeric test of greatest gain for any weights; returns are those of `scan_whole`."""
    shift = np.uint64(ROW_BITS + class_bits)
    class_mask = np.uint64((1 << class_bits) - 1)
    left, right, left_term, right_term = work[0], work[1], work[2], work[3]
    n_left, n_right, terms = 0.0, 0.0, 0.0
    for c in range(len(known)):
        left[c], left_term[c] = 0.0, 0.0
        right[c], right_term[c] = known[c], xlog2x(known[c])
        n_right += known[c]
        terms += right_term[c]
    offset = xlog2x(n_right) - terms
    slack = TOLERANCE * total
    best, position, n_tries, n_best = 0.0, -1, 0, 0.0
    for i in range(len(segment) - 1):
        entry = segment[i]
        w = weight[entry & ROW_MASK]
        c = (entry >> np.uint64(ROW_BITS)) & class_mask
        n_left += w
        n_right -= w
        if n_right < least - TOLERANCE:
            break
        left[c] += w
        right[c] -= w
        terms -= left_term[c] + right_term[c]
        left_term[c], right_term[c] = xlog2x(left[c]), xlog2x(right[c])
        terms += left_term[c] + right_term[c]
        code, following = entry >> shift, segment[i + 1] >> shift
        if n_left >= least - TOLERANCE and _is_candidate(code, following, values, has_near):
            n_tries += 1
            gain = offset + terms - xlog2x(n_left) - xlog2x(n_right)
            if gain > best + slack:
                best, position, n_best = gain, i, n_left
    return best / total, position, n_tries, n_best


@jit
def gain_ratio(gain, terms, missing, total):
    """Return `gain` over the split information.

    `terms` is the sum of `xlog2x` over the weights of the branches; the rows that are `missing` a
    value count as one more.
    """
    information = xlog2x(total) - xlog2x(missing) - terms
    return gain * total / information if information >= TOLERANCE else 0.0


@jit
def sum_xlog2x(weights):
    """Return the sum of `xlog2x` over `weights`."""
    total = 0.0
    for weight in weights:
        total += xlog2x(weight)
    return total


@jit
def gain_of_levels(counts_of, sides, total):
    """Return the gain of a partition with class weights `counts_of` and weights `sides`."""
    known = np.zeros(counts_of.shape[1])
    gain = 0.0
    for i in range(len(sides)):
        gain -= xlog2x(sides[i])
        for c in range(len(known)):
            known[c] += counts_of[i, c]
            gain += xlog2x(counts_of[i, c])
    for c in range(len(known)):
        gain -= xlog2x(known[c])
    weight = known.sum()
    gain += xlog2x(weight)
    return 0.0 if gain * weight / total < TOLERANCE else gain / total
