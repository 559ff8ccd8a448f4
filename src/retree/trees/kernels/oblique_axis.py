"""The best axis-parallel test of a node, by one pass over its sorted columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_goodness import TIE, goodness


class AxisTest(NamedTuple):
    """A test ``x[feature] <= threshold``; feature -1 and goodness -inf if all rows are equal."""

    feature: int
    threshold: float
    goodness: float


@jit
def middle(low, high):
    """Return the middle between two numbers, or the lower one if it rounds up."""
    # The sum of halves stays finite.
    value = low / 2 + high / 2
    return low if value >= high else value


@jit
def best_axis_test(data, start, end, totals, criterion, table):
    """Return the test of greatest goodness; ties go to the lowest attribute, then threshold.

    Parameters
    ----------
    data : Data
    start, end : int
        The node's range.
    totals : ndarray of shape (n_classes,), float64
        Rows of each class.
    criterion : int
    table : ndarray
        Of `make_table`.

    Returns
    -------
    AxisTest
    """
    entries, left = data.entries, np.empty(len(totals))
    shift, class_mask = np.uint64(ROW_BITS + data.class_bits), np.uint64((1 << data.class_bits) - 1)
    n = float(end - start)
    best, bar, feature, place = -np.inf, -np.inf, -1, -1
    for j in range(len(entries)):
        left[:] = 0.0
        for i in range(start, end - 1):
            entry = entries[j, i]
            left[(entry >> np.uint64(ROW_BITS)) & class_mask] += 1.0
            if entry >> shift != entries[j, i + 1] >> shift:
                score = goodness(left, float(i + 1 - start), totals, n, criterion, table)
                if score > bar:
                    best, bar, feature, place = score, score + TIE * n, j, i
    if feature < 0:
        return AxisTest(-1, np.nan, -np.inf)
    low = data.X[np.int64(entries[feature, place] & ROW_MASK), feature]
    high = data.X[np.int64(entries[feature, place + 1] & ROW_MASK), feature]
    return AxisTest(feature, middle(low, high), best)
