"""How good a cut of a node's rows is, and how good it can at most be.

A *goodness* is what an impurity of Murthy, Kasif and Salzberg becomes when greater is better and
the unit is a row: n times twoing; n less n times the weighted Gini index; minus n times the
weighted entropy in bits; minus the minority. Counts are whole numbers stored as floats.
"""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit

TWOING, GINI, ENTROPY, SUM_MINORITY, MAX_MINORITY = range(5)
TIE = 2.0**-37  # goodnesses that differ by less than this share of the rows are tied


def make_table(n: int, criterion: int) -> np.ndarray:
    """Return x * log2(x) for x = 0, 1, ..., n if the criterion needs it."""
    if criterion != ENTROPY:
        return np.empty(0)
    x = np.arange(n + 1.0)
    return x * np.log2(np.maximum(x, 1.0))


@jit
def goodness(left, n_left, totals, n, criterion, table):
    """Return the goodness of a cut, -inf if a side has no rows.

    Parameters
    ----------
    left, totals : ndarray of shape (n_classes,), float64
        Rows of each class on the left side, and on both.
    n_left, n : float
        Their sums.
    criterion : int
    table : ndarray
        Of `make_table`.
    """
    n_right = n - n_left
    if n_left <= 0.0 or n_right <= 0.0:
        return -np.inf
    if criterion == TWOING:
        difference = 0.0
        for c in range(len(totals)):
            difference += abs(left[c] * n - totals[c] * n_left)
        return difference * difference / (n * n_left * n_right)
    if criterion == GINI:
        squares_left, squares_right = 0.0, 0.0
        for c in range(len(totals)):
            right = totals[c] - left[c]
            squares_left += left[c] * left[c]
            squares_right += right * right
        return squares_left / n_left + squares_right / n_right
    if criterion == ENTROPY:
        terms = 0.0
        for c in range(len(totals)):
            terms += table[np.int64(left[c])] + table[np.int64(totals[c] - left[c])]
        return terms - table[np.int64(n_left)] - table[np.int64(n_right)]
    most_left, most_right = 0.0, 0.0
    for c in range(len(totals)):
        most_left = max(most_left, left[c])
        most_right = max(most_right, totals[c] - left[c])
    if criterion == SUM_MINORITY:
        return most_left - n_left + most_right - n_right
    return min(most_left - n_left, most_right - n_right)


@jit
def bound_box(low, high, totals, n, criterion, table):
    """Return a goodness that no cut exceeds whose counts on the left are from `low` to `high`.

    Not for twoing. Numerators and denominators are bounded apart from each other.
    """
    n_low, n_high = max(low.sum(), 1.0), min(high.sum(), n - 1.0)
    least_right = n - n_high
    terms_left, terms_right, most_left, most_right = 0.0, 0.0, 0.0, 0.0
    for c in range(len(totals)):
        inside, outside = high[c], totals[c] - low[c]
        if criterion == GINI:
            terms_left += inside * inside
            terms_right += outside * outside
        elif criterion == ENTROPY:
            terms_left += table[np.int64(inside)]
            terms_right += table[np.int64(outside)]
        most_left, most_right = max(most_left, inside), max(most_right, outside)
    if criterion == GINI:
        return min(n, terms_left / n_low + terms_right / least_right)
    if criterion == ENTROPY:
        sides = table[np.int64(n_low)] + table[np.int64(least_right)]
        return min(0.0, terms_left + terms_right - sides)
    minority_left = max(0.0, n_low - most_left)
    minority_right = max(0.0, least_right - most_right)
    if criterion == SUM_MINORITY:
        return -(minority_left + minority_right)
    return -max(minority_left, minority_right)
