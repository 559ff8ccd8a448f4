"""What CART knows of a node: its sums, whether it is a leaf, and what its children must have.

The *sums* of a classification node are its class weights. Those of a regression node are weight,
mean, variance, and the mean of what the targets differ from that mean: 0 but for rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.jit import jit
from retree.trees.kernels.ranking import rounded

GINI, ENTROPY, TWOING, VARIANCE = 0, 1, 2, 3
N_MOMENTS = 4
_NEGLIGIBLE = 2.0**-36  # of a node's weight; sums hardly see a child that has less
_TIE = 2.0**-37  # gains closer than this are tied, since they may be equal but for rounding


class Rule(NamedTuple):
    """How a node is split and when it is not."""

    criterion: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    max_class_share: float
    max_exact_levels: int


class Known(NamedTuple):
    """The rows of a node that have a value in a column."""

    sums: np.ndarray  # class weights, or weight and sum of the centred targets
    weight: float
    n_rows: int
    n_missing: int  # rows of the node without a value
    centre: float  # what the targets of a regression are centred by
    share: float  # part of the node's weight that has a value
    unit: float  # gains are compared in this unit: 1, or the node's variance


@jit
def weigh(weight, row):
    """Return the weight of a row; where all are 1, `weight` is empty."""
    return weight[row] if len(weight) > 0 else 1.0


@jit
def _sum_classes(rows, y, weight, sums):
    """Set `sums` to the class weights of `rows`."""
    sums[:] = 0.0
    for row in rows:
        sums[y[row]] += weigh(weight, row)


@jit
def _sum_moments(rows, target, weight, sums):
    """Set `sums` to weight, mean, variance and remaining mean of the targets of `rows`."""
    total, shift = 0.0, 0.0
    # From the first target on, so that the variance of equal targets is 0 without rounding.
    first = target[rows[0]]
    for row in rows:
        w = weigh(weight, row)
        total += w
        shift += w * (target[row] - first)
    mean = first + shift / total
    squares, rest = 0.0, 0.0
    for row in rows:
        w, deviation = weigh(weight, row), target[row] - mean
        squares += w * deviation * deviation
        rest += w * deviation
    rest /= total
    sums[:] = (total, mean, max(0.0, squares / total - rest * rest), rest)


@jit
def sum_node(rows, y, target, weight, criterion, sums):
    """Set the `sums` of the rows of a node."""
    if criterion == VARIANCE:
        _sum_moments(rows, target, weight, sums)
    else:
        _sum_classes(rows, y, weight, sums)


@jit
def weight_of(sums, criterion):
    """Return the weight of a node."""
    return sums[0] if criterion == VARIANCE else sums.sum()


@jit
def is_terminal(sums, n_rows, depth, rule):
    """Whether a node is a leaf whatever its splits."""
    if depth >= rule.max_depth or n_rows < max(rule.min_samples_split, 2 * rule.min_samples_leaf):
        return True
    if rule.criterion == VARIANCE:
        return sums[2] <= 0.0
    return sums.max() / sums.sum() >= rule.max_class_share


@jit
def all_known(sums, n_rows, criterion):
    """Return the `Known` of a column in which every row of a node has a value."""
    if criterion != VARIANCE:
        return Known(sums.copy(), sums.sum(), n_rows, 0, 0.0, 1.0, 1.0)
    centred = np.array([sums[0], sums[0] * sums[3]])
    return Known(centred, sums[0], n_rows, 0, sums[1], 1.0, sums[2])


@jit
def some_known(segment, y, target, weight, everything, criterion):
    """Return the `Known` of the rows of the entries `segment`; `everything` is that of the node."""
    sums = np.zeros_like(everything.sums)
    for entry in segment:
        row = entry & ROW_MASK
        w = weigh(weight, row)
        if criterion == VARIANCE:
            sums[0] += w
            sums[1] += w * (target[row] - everything.centre)
        else:
            sums[y[row]] += w
    return part_of(everything, sums, len(segment), criterion)


@jit
def part_of(everything, sums, n_rows, criterion):
    """Return the `Known` of `n_rows` rows of a node with the given sums."""
    weight = weight_of(sums, criterion)
    return Known(
        sums,
        weight,
        n_rows,
        everything.n_rows - n_rows,
        everything.centre,
        weight / everything.weight,
        everything.unit,
    )


@jit
def is_heavier(left, right):
    """Whether the left child is the heavier one, which it is too if the weights are equal."""
    return rounded(left) >= rounded(right)


@jit
def is_allowed(n_left, w_left, known, least):
    """Whether both children have `least` rows, missing ones included, and a weight that counts."""
    n_right, w_right = known.n_rows - n_left, known.weight - w_left
    smallest = known.weight * _NEGLIGIBLE
    if known.n_missing > 0:
        if is_heavier(w_left, w_right):
            n_left += known.n_missing
        else:
            n_right += known.n_missing
    # Without branches, since this stands in the inner loop.
    return (n_left >= least) & (n_right >= least) & (w_left > smallest) & (w_right > smallest)


@jit
def tie_width(known):
    """Return by how much a gain must be greater than another one not to be tied with it."""
    return _TIE * known.unit / known.share
