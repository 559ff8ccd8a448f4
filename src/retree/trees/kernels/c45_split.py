"""ID3's and C4.5's choice of a test: best gain, or best gain ratio of those of average gain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_BITS
from retree.trees.kernels.gain import (
    TOLERANCE,
    count_with_value,
    gain_of_levels,
    gain_ratio,
    leave_out,
    scan_fractional,
    scan_whole,
    smallest_side,
    sum_xlog2x,
    xlog2x,
)
from retree.trees.kernels.jit import jit

_AVERAGE_SLACK = 1e-3  # gains this far below the average still count as average
_MANY_LEVELS = 0.3  # of the training weight


class C45Rule(NamedTuple):
    """How a node is split and when it is not."""

    min_cases: float
    mdl_correction: bool
    binary_splits: bool
    by_gain: bool  # ID3: the greatest gain counts, and `min_cases` is the only minimum
    max_depth: int


class Tests(NamedTuple):
    """The best test of each column of a node, numeric columns first; and working memory."""

    gain: np.ndarray  # (n_columns,) float64, information gain
    ratio: np.ndarray  # (n_columns,) float64, gain ratio
    place: np.ndarray  # (n_columns,) int64: last entry on the left; level of a binary nominal test
    is_valid: np.ndarray  # (n_columns,) bool
    level_counts: np.ndarray  # (max_levels, n_classes) float64, zero between uses
    found: np.ndarray  # (max_levels,) int32
    known: np.ndarray  # (n_classes,) float64
    whole: np.ndarray  # (2, n_classes) int64
    fractional: np.ndarray  # (4, n_classes) float64


def make_tests(n_columns: int, max_levels: int, n_classes: int) -> Tests:
    """Return the arrays for `n_columns` columns of up to `max_levels` levels."""
    return Tests(
        gain=np.zeros(n_columns),
        ratio=np.zeros(n_columns),
        place=np.zeros(n_columns, np.int64),
        is_valid=np.zeros(n_columns, np.bool_),
        level_counts=np.zeros((max_levels, n_classes)),
        found=np.empty(max_levels, np.int32),
        known=np.empty(n_classes),
        whole=np.empty((2, n_classes), np.int64),
        fractional=np.empty((4, n_classes)),
    )


@jit
def test_numeric(columns, start, end, j, counts, total, rule, tests):
    """Find the threshold of greatest gain of numeric column `j`."""
    segment = columns.entries[j, start:end]
    shift = np.uint64(ROW_BITS + columns.class_bits)
    if segment[0] >> shift == segment[-1] >> shift:
        return
    values = columns.values[columns.values_start[j] : columns.values_start[j + 1]]
    n_known = count_with_value(segment, len(values), shift)
    known = tests.known
    known[:] = counts
    if n_known < len(segment):
        leave_out(segment[n_known:], columns.y, columns.weight, known)
    weight = known.sum()
    least = rule.min_cases
    if not rule.by_gain:
        least = smallest_side(weight, columns.n_classes, rule.min_cases)
    near = columns.has_near[j]
    if weight < 2 * least - TOLERANCE:
        return
    segment = segment[:n_known]
    weights, bits = columns.weight, columns.class_bits
    if len(columns.table) > 0:
        sides, is_unit = tests.whole, columns.total == len(weights)
        found = scan_whole(
            segment, bits, known, least, total, weights, is_unit, columns.table, values, near, sides
        )
    else:
        found = scan_fractional(
            segment, bits, known, least, total, weights, values, near, tests.fractional
        )
    gain, position, n_tries, n_left = found
    if rule.mdl_correction and n_tries > 1:
        gain -= np.log2(n_tries) / total
    if gain <= TOLERANCE:
        return
    terms = xlog2x(n_left) + xlog2x(weight - n_left)
    tests.gain[j] = gain
    tests.ratio[j] = gain_ratio(gain, terms, total - weight, total)
    tests.place[j] = position
    tests.is_valid[j] = True


@jit
def _count_levels(columns, start, end, j, tests):
    """Sum the class weights of each level of nominal column `j`; return how many occur."""
    n_found = 0
    codes = columns.codes[j]
    for row in columns.rows[start:end]:
        level = codes[row]
        if level < 0:
            continue
        counts = tests.level_counts[level]
        # A zero weight is never counted, so an untouched level is all zeros.
        if not counts.any():
            tests.found[n_found] = level
            n_found += 1
        counts[columns.y[row]] += columns.weight[row]
    tests.found[:n_found].sort()
    return n_found


@jit
def test_nominal(columns, start, end, j, total, rule, tests):
    """Weigh the test of nominal column `j` with a branch a level, or one level against the rest."""
    n_found = _count_levels(columns, start, end, j, tests)
    levels = tests.found[:n_found]
    counts_of = tests.level_counts[levels]
    tests.level_counts[levels] = 0.0
    if n_found < 2:
        return
    sides = counts_of.sum(axis=1)
    missing = max(0.0, total - sides.sum())
    at = len(columns.numeric) + j
    if not rule.binary_splits:
        if (sides >= rule.min_cases - TOLERANCE).sum() >= 2:
            tests.gain[at] = gain_of_levels(counts_of, sides, total)
            tests.ratio[at] = gain_ratio(tests.gain[at], sum_xlog2x(sides), missing, total)
            tests.is_valid[at] = True
        return
    known = counts_of.sum(axis=0)
    pair = np.empty((2, len(known)))
    for i in range(n_found):
        pair[0], pair[1] = counts_of[i], known - counts_of[i]
        two = pair.sum(axis=1)
        if two.min() < rule.min_cases - TOLERANCE:
            continue
        gain = gain_of_levels(pair, two, total)
        ratio = gain_ratio(gain, sum_xlog2x(two), missing, total)
        if not tests.is_valid[at] or ratio > tests.ratio[at] + TOLERANCE:
            tests.gain[at], tests.ratio[at] = gain, ratio
            tests.place[at], tests.is_valid[at] = levels[i], True


@jit
def _has_many_levels(columns, j):
    """Whether column `j` is nominal with so many levels that its gain says little."""
    n_numeric = len(columns.numeric)
    if j < n_numeric:
        return False
    return columns.n_levels[j - n_numeric] >= _MANY_LEVELS * columns.total - TOLERANCE


@jit
def _average_gain(columns, tests):
    """Return the mean gain of the valid tests, without columns of many levels if there are others.

    Returns infinity if there is no test to average over.
    """
    all_many = True
    for j in range(len(tests.gain)):
        all_many &= _has_many_levels(columns, j)
    total, n_valid = 0.0, 0
    for j in range(len(tests.gain)):
        if tests.is_valid[j] and (all_many or not _has_many_levels(columns, j)):
            total += tests.gain[j]
            n_valid += 1
    return total / n_valid if n_valid > 0 else np.inf


@jit
def choose_test(columns, start, end, counts, rule, tests):
    """Return the column to split on, numeric columns first, or -1."""
    n_numeric = len(columns.numeric)
    tests.is_valid[:] = False
    total = counts.sum()
    for j in range(n_numeric):
        test_numeric(columns, start, end, j, counts, total, rule, tests)
    for j in range(len(columns.nominal)):
        test_nominal(columns, start, end, j, total, rule, tests)
    worth = tests.gain if rule.by_gain else tests.ratio
    least = 0.0 if rule.by_gain else _average_gain(columns, tests) - _AVERAGE_SLACK
    chosen, best = -1, 0.0
    a, b = 0, n_numeric
    # In the order of the attributes, since the first of equal worth is taken.
    while a < n_numeric or b < len(tests.gain):
        if b == len(tests.gain) or (
            a < n_numeric and columns.numeric[a] < columns.nominal[b - n_numeric]
        ):
            j = a
            a += 1
        else:
            j = b
            b += 1
        if not tests.is_valid[j] or tests.gain[j] < least:
            continue
        if worth[j] > best + TOLERANCE:
            chosen, best = j, worth[j]
    return chosen
