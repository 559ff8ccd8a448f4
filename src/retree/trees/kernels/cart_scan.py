"""CART's best threshold of a numeric column, by one pass over its sorted rows.

Every function takes the packed entries of the rows with a value, what is `Known` of them, the least
number of rows of a child and working memory, and returns the unrounded gain of the best cut and the
last entry on its left; -inf and -1 if there is none. Of tied cuts the lowest is taken.
"""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.cart_gain import gini_gain, twoing_gain, variance_gain, xlog2x
from retree.trees.kernels.cart_node import is_allowed, tie_width, weigh
from retree.trees.kernels.columns import ROW_BITS, ROW_MASK
from retree.trees.kernels.jit import jit


@jit
def scan_gini(segment, class_bits, weight, known, least, left):
    """Find the cut of greatest decrease of the Gini index."""
    shift = np.uint64(ROW_BITS + class_bits)
    class_mask = np.uint64((1 << class_bits) - 1)
    left[:] = 0.0
    slack = tie_width(known)
    squares = (known.sums * known.sums).sum()
    squares_left, cross, w_left = 0.0, 0.0, 0.0  # cross: of left weights with the node's
    best, bar, position = -np.inf, -np.inf, -1
    entry = segment[0]
    for i in range(len(segment) - 1):
        c = (entry >> np.uint64(ROW_BITS)) & class_mask
        w = weigh(weight, entry & ROW_MASK)
        squares_left += w * (2.0 * left[c] + w)
        left[c] += w
        cross += w * known.sums[c]
        w_left += w
        following = segment[i + 1]
        if entry >> shift != following >> shift:
            squares_right = squares - 2.0 * cross + squares_left
            gain = gini_gain(squares_left, w_left, squares_right, known.weight - w_left, squares)
            if gain > bar and is_allowed(i + 1, w_left, known, least):
                best, bar, position = gain, gain + slack, i
        entry = following
    return best, position


@jit
def scan_entropy(segment, class_bits, weight, table, known, least, left):
    """Find the cut of greatest information gain."""
    shift = np.uint64(ROW_BITS + class_bits)
    class_mask = np.uint64((1 << class_bits) - 1)
    left[:] = 0.0
    slack = tie_width(known)
    terms, w_left = 0.0, 0.0
    for c in range(len(left)):
        terms += xlog2x(known.sums[c], table)
    offset = xlog2x(known.weight, table) - terms
    best, bar, position = -np.inf, -np.inf, -1
    for i in range(len(segment) - 1):
        entry, following = segment[i], segment[i + 1]
        c = (entry >> np.uint64(ROW_BITS)) & class_mask
        w = weigh(weight, entry & ROW_MASK)
        before = xlog2x(left[c], table) + xlog2x(known.sums[c] - left[c], table)
        left[c] += w
        terms += xlog2x(left[c], table) + xlog2x(known.sums[c] - left[c], table) - before
        w_left += w
        if entry >> shift != following >> shift:
            sides = xlog2x(w_left, table) + xlog2x(known.weight - w_left, table)
            gain = (offset + terms - sides) / known.weight
            if gain > bar and is_allowed(i + 1, w_left, known, least):
                best, bar, position = gain, gain + slack, i
    return best, position


@jit
def scan_twoing(segment, class_bits, weight, known, least, left):
    """Find the cut of greatest twoing value."""
    shift = np.uint64(ROW_BITS + class_bits)
    class_mask = np.uint64((1 << class_bits) - 1)
    left[:] = 0.0
    slack = tie_width(known)
    w_left = 0.0
    best, bar, position = -np.inf, -np.inf, -1
    for i in range(len(segment) - 1):
        entry, following = segment[i], segment[i + 1]
        w = weigh(weight, entry & ROW_MASK)
        left[(entry >> np.uint64(ROW_BITS)) & class_mask] += w
        w_left += w
        if entry >> shift != following >> shift:
            gain = twoing_gain(left, w_left, known.sums, known.weight)
            if gain > bar and is_allowed(i + 1, w_left, known, least):
                best, bar, position = gain, gain + slack, i
    return best, position


@jit
def scan_variance(segment, class_bits, target, weight, known, least):
    """Find the cut of greatest decrease of the mean squared error."""
    shift = np.uint64(ROW_BITS + class_bits)
    mean, slack = known.sums[1] / known.sums[0], tie_width(known)
    sum_left, w_left = 0.0, 0.0
    best, bar, position = -np.inf, -np.inf, -1
    for i in range(len(segment) - 1):
        entry, following = segment[i], segment[i + 1]
        row = entry & ROW_MASK
        w = weigh(weight, row)
        sum_left += w * (target[row] - known.centre)
        w_left += w
        if entry >> shift != following >> shift:
            gain = variance_gain(sum_left, w_left, mean, known.weight)
            if gain > bar and is_allowed(i + 1, w_left, known, least):
                best, bar, position = gain, gain + slack, i
    return best, position
