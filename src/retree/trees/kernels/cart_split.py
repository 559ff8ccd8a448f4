"""CART's choice of a split: greatest gain, then lowest attribute, then lowest threshold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.cart_levels import Levels, find_subset, make_levels
from retree.trees.kernels.cart_node import (
    ENTROPY,
    GINI,
    VARIANCE,
    all_known,
    some_known,
    tie_width,
)
from retree.trees.kernels.cart_scan import scan_entropy, scan_gini, scan_twoing, scan_variance
from retree.trees.kernels.columns import ROW_BITS
from retree.trees.kernels.gain import count_with_value
from retree.trees.kernels.jit import jit
from retree.trees.kernels.weighted_columns import WeightedColumns


class Scratch(NamedTuple):
    """Arrays that every node uses anew."""

    levels: Levels
    left: np.ndarray  # (n_sums,) float64
    goes_left: np.ndarray  # (n_samples,) uint8
    buffer: np.ndarray  # (n_samples,) uint64
    left_levels: np.ndarray  # (max_levels,) bool, of the chosen subset
    is_found: np.ndarray  # (max_levels,) bool, the levels of that column that occur in the node


def make_scratch(columns: WeightedColumns, n_sums: int) -> Scratch:
    """Return the arrays for growing a tree of `columns`, of whose rows `n_sums` sums are kept."""
    n_samples, max_levels = len(columns.y), int(columns.n_levels.max(initial=0))
    return Scratch(
        levels=make_levels(max_levels, n_sums),
        left=np.empty(n_sums),
        goes_left=np.empty(n_samples, np.uint8),
        buffer=np.empty(n_samples, np.uint64),
        left_levels=np.empty(max_levels, np.bool_),
        is_found=np.empty(max_levels, np.bool_),
    )


@jit
def scan(segment, class_bits, target, weight, table, known, rule, left):
    """Find the best cut by the criterion of `rule`; return its gain and position."""
    least = rule.min_samples_leaf
    if rule.criterion == GINI:
        return scan_gini(segment, class_bits, weight, known, least, left)
    if rule.criterion == ENTROPY:
        return scan_entropy(segment, class_bits, weight, table, known, least, left)
    if rule.criterion == VARIANCE:
        return scan_variance(segment, class_bits, target, weight, known, least)
    return scan_twoing(segment, class_bits, weight, known, least, left)


@jit
def scan_known(segment, y, class_bits, target, weight, table, everything, rule, left):
    """Find the best cut of a column in which some rows have no value; these are not in `segment`.

    The gain is per unit of the node's weight.
    """
    known = some_known(segment, y, target, weight, everything, rule.criterion)
    gain, position = scan(segment, class_bits, target, weight, table, known, rule, left)
    return gain * known.share, position


@jit
def choose_threshold(columns, target, start, end, everything, rule, left):
    """Return the numeric column and the cut of greatest gain, column -1 for none.

    Returns
    -------
    column, position : int
    gain : float
        Per unit of the node's weight.
    """
    entries, values_start, bits = columns.entries, columns.values_start, columns.class_bits
    y, weight, table = columns.y, columns.weight, columns.table
    shift, slack = np.uint64(ROW_BITS + bits), tie_width(everything)
    chosen, place, best = -1, -1, -np.inf
    for j in range(len(entries)):
        if entries[j, start] >> shift == entries[j, end - 1] >> shift:
            continue
        segment = entries[j, start:end]
        n_known = count_with_value(segment, values_start[j + 1] - values_start[j], shift)
        if n_known == len(segment):
            gain, position = scan(segment, bits, target, weight, table, everything, rule, left)
        else:
            gain, position = scan_known(
                segment[:n_known], y, bits, target, weight, table, everything, rule, left
            )
        if position >= 0 and gain > best + slack:
            chosen, place, best = j, position, gain
    return chosen, place, best


@jit
def choose_split(columns, target, start, end, sums, rule, scratch):
    """Return column (numeric ones first), position and gain of the best split; column -1 for none.

    The levels of a nominal split are left in ``scratch.left_levels`` and ``scratch.is_found``.
    """
    everything = all_known(sums, end - start, rule.criterion)
    n_numeric, slack = len(columns.numeric), tie_width(everything)
    threshold = choose_threshold(columns, target, start, end, everything, rule, scratch.left)
    chosen, place, best = threshold
    for j in range(len(columns.nominal)):
        levels = scratch.levels
        gain, n_found = find_subset(columns, target, start, end, j, everything, rule, levels)
        is_first = 0 <= chosen < n_numeric and columns.nominal[j] < columns.numeric[chosen]
        if gain > best - slack if is_first else gain > best + slack:
            chosen, place, best = n_numeric + j, -1, gain
            found = levels.found[:n_found]
            scratch.is_found[:] = False
            scratch.is_found[found] = True
            scratch.left_levels[:] = False
            scratch.left_levels[found] = levels.best[:n_found]
    return chosen, place, best
