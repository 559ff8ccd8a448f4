"""How much a split lowers the impurity of the rows that have a value (Breiman et al. 1984)."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.cart_node import ENTROPY, GINI, VARIANCE
from retree.trees.kernels.jit import jit


@jit
def xlog2x(x, table):
    """Return x * log2(x), from `table` if there is one for the whole numbers that occur."""
    if len(table) > 0:
        return table[np.int64(x)]
    return x * np.log2(x) if x > 0.0 else 0.0


@jit
def gini_gain(squares_left, w_left, squares_right, w_right, squares):
    """Return the decrease of the Gini index from the sums of squared class weights."""
    weight = w_left + w_right
    # One division a candidate: this line is most of the time of growing.
    inside = squares_left * w_right + squares_right * w_left
    return inside / (w_left * w_right * weight) - squares / (weight * weight)


@jit
def twoing_gain(left, w_left, sums, weight):
    """Return p_L * p_R / 4 times the squared sum over classes of abs(p(c, L) - p(c, R))."""
    difference = 0.0
    for c in range(len(sums)):
        difference += abs(left[c] * weight - sums[c] * w_left)
    return difference * difference / (4.0 * weight * weight * w_left * (weight - w_left))


@jit
def variance_gain(sum_left, w_left, mean, weight):
    """Return the decrease of the mean squared error from sums of centred targets."""
    deviation = sum_left - w_left * mean
    return deviation * deviation / (w_left * (weight - w_left))


@jit
def gain_of(left, known, criterion, table):
    """Return the gain of the split whose left child has the sums `left`, and its weight."""
    if criterion == VARIANCE:
        mean = known.sums[1] / known.sums[0]
        return variance_gain(left[1], left[0], mean, known.weight), left[0]
    w_left = left.sum()
    w_right = known.weight - w_left
    if criterion == GINI:
        inner, outer, squares = 0.0, 0.0, 0.0
        for c in range(len(left)):
            right = known.sums[c] - left[c]
            inner, outer = inner + left[c] * left[c], outer + right * right
            squares += known.sums[c] * known.sums[c]
        return gini_gain(inner, w_left, outer, w_right, squares), w_left
    if criterion == ENTROPY:
        gain = xlog2x(known.weight, table) - xlog2x(w_left, table) - xlog2x(w_right, table)
        for c in range(len(left)):
            inside = xlog2x(left[c], table) + xlog2x(known.sums[c] - left[c], table)
            gain += inside - xlog2x(known.sums[c], table)
        return gain / known.weight, w_left
    return twoing_gain(left, w_left, known.sums, known.weight), w_left
