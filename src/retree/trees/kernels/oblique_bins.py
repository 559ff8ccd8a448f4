"""The rows of a node counted in bins along a line, and which bins may hold the best cut.

Rows are ordered by s = t / (w + abs(t)), where t is the step at which a row changes sides and w
about the mean of abs(t). Bins divide the range of s, [-1, 1], evenly; they are numbered from 1, and
no step reaches the rows of bin 0 and of the bin after the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_goodness import TWOING, bound_box, goodness

N_LEFT, SCORE, BOUND, WORK, LEFT = range(5)
FILLED, SLOT, OPENED = range(3)
PLAIN, SORTED = range(2)
_LEAST_BINS, _MOST_BINS = 16, 1024
_TINY, _TINIER = 1e-300, 1e-307
_REACH = 1.0 + 2.0**-20
_GRID = 1.5 * 2.0**12  # adding and subtracting it rounds to multiples of 2^-40


class Bench(NamedTuple):
    """Working memory of the search in a cloud.

    There are few arrays, each of several parts, because to hand on an array costs as much as to
    look at a dozen rows.
    """

    keys: np.ndarray  # (2, n) float64: s of the rows, PLAIN, and SORTED in the open bins
    rows: np.ndarray  # (n,) int32, the rows of the sorted keys
    place: np.ndarray  # (n,) uint16: bin, or bin + n_bins + 2 of rows that enter the left side
    hist: np.ndarray  # (n_classes, 2 * (n_bins + 2)) int32, rows of a class in each place
    # After each bin: rows on the left (N_LEFT), the goodness of the cut (SCORE), of the cuts inside
    # the bin at most (BOUND), scratch (WORK), rows of class c on the left (LEFT + c).
    bins: np.ndarray  # (4 + n_classes, n_bins + 1) float64
    # Of each bin: rows (FILLED), where the next row is put, -1 if it is closed (SLOT); and the list
    # of the open bins (OPENED).
    marks: np.ndarray  # (3, n_bins + 2) int32
    counts: np.ndarray  # (3, n_classes) float64, scratch


@jit
def make_bench(n, n_classes):
    """Return working memory for a cloud of `n` rows."""
    n_bins = _LEAST_BINS
    # About as many bins as rows; of many rows a quarter, since the bins then cost more.
    while n_bins < _MOST_BINS and (n_bins < n if n_bins < 128 else 4 * n_bins < n):
        n_bins *= 2
    return Bench(
        keys=np.empty((2, n)),
        rows=np.empty(n, np.int32),
        place=np.empty(n, np.uint16),
        hist=np.empty((n_classes, 2 * (n_bins + 2)), np.int32),
        bins=np.empty((4 + n_classes, n_bins + 1)),
        marks=np.empty((3, n_bins + 2), np.int32),
        counts=np.empty((3, n_classes)),
    )


@jit
def place_rows(value, direction, width, n_bins, keys, place):
    """Set s and the place of each row; return whether some rows enter the left side."""
    stretch = 0.5 * n_bins * _REACH
    middle = 0.5 * n_bins + 1.0
    offset = n_bins + 2
    n_entering = 0
    for i in range(len(value)):
        # A row of value 0 is on the left, so where no step moves it, it stays there.
        v, d = value[i] - _TINY, direction[i]
        s = v / (width * abs(d) + abs(v) + _TINIER)
        s = ((s if d < 0.0 else -s) + _GRID) - _GRID
        keys[PLAIN, i] = s
        n_entering += d < 0.0
        place[i] = np.uint16(np.int32(s * stretch + middle) + (offset if d < 0.0 else 0))
    return n_entering > 0


@jit
def count_rows(place, first, signed, hist):
    """Count the rows of each class in each place."""
    used = hist.shape[1] if signed else hist.shape[1] // 2
    for c in range(len(hist)):
        for b in range(used):
            hist[c, b] = 0
        for i in range(first[c], first[c + 1]):
            hist[c, place[i]] += 1


@jit
def sum_up(hist, totals, signed, bins, marks):
    """Set how many rows are on the left after each bin, and how many are in each bin."""
    offset = bins.shape[1] + 1
    bins[N_LEFT] = 0.0
    marks[FILLED] = 0
    for c in range(len(totals)):
        for b in range(offset):
            marks[FILLED, b] += hist[c, b]
        running = np.int32(totals[c]) - hist[c, 0]
        if signed:
            running += hist[c, offset]
            for b in range(offset):
                running -= hist[c, offset + b]
                marks[FILLED, b] += hist[c, offset + b]
            for b in range(1, offset):
                bins[LEFT + c, b - 1] = running
                running += hist[c, offset + b] - hist[c, b]
        else:
            for b in range(1, offset):
                bins[LEFT + c, b - 1] = running
                running -= hist[c, b]
        for b in range(offset - 1):
            bins[N_LEFT, b] += bins[LEFT + c, b]


@jit
def _score_twoing(bins, totals, n):
    """Score the cuts after the bins by twoing."""
    bins[SCORE] = 0.0
    # Class by class, so that the loops over the bins are vector instructions.
    for c in range(len(totals)):
        total = totals[c]
        for b in range(bins.shape[1]):
            bins[SCORE, b] += abs(bins[LEFT + c, b] * n - total * bins[N_LEFT, b])
    for b in range(bins.shape[1]):
        product = bins[N_LEFT, b] * (n - bins[N_LEFT, b])
        score = bins[SCORE, b] * bins[SCORE, b] / (n * max(product, 1.0))
        bins[SCORE, b] = score if product > 0.0 else -np.inf


@jit
def _bound_twoing(bins, hist, marks, totals, n, signed):
    """Bound the cuts inside the bins by twoing.

    The sum over the classes of abs(g), where g = totals * n_left - n * left, is twice the greatest
    sum of g over a set of classes, and twice the greatest sum of -g. A row that leaves the left
    side raises such a sum of g by n less the rows of the set's classes if its class c is in the
    set, a row that enters it by those rows if its class is not: either by n - totals[c] at most.
    The product n_left * n_right, being concave, is least at an end.
    """
    n_bins = bins.shape[1] - 1
    bins[BOUND], bins[WORK] = 0.0, 0.0
    for c in range(len(totals)):
        total = totals[c]
        if signed:
            for b in range(1, n_bins + 1):
                g = total * bins[N_LEFT, b - 1] - n * bins[LEFT + c, b - 1]
                out, into = (n - total) * hist[c, b], (n - total) * hist[c, n_bins + 2 + b]
                bins[BOUND, b] += max(into, g + out)
                bins[WORK, b] += max(out, into - g)
        else:
            for b in range(1, n_bins + 1):
                g = total * bins[N_LEFT, b - 1] - n * bins[LEFT + c, b - 1]
                bins[BOUND, b] += max(0.0, g + (n - total) * hist[c, b])
    for b in range(1, n_bins + 1):
        most = min(bins[BOUND, b], bins[WORK, b]) if signed else bins[BOUND, b]
        before, after = bins[N_LEFT, b - 1], bins[N_LEFT, b]
        out = 0.5 * (marks[FILLED, b] + before - after)
        low, high = max(before - out, 1.0), min(after + out, n - 1.0)
        product = min(low * (n - low), high * (n - high))
        bins[BOUND, b] = 4.0 * most * most / (n * max(product, 1.0))


@jit
def score_bins(bins, hist, marks, totals, n, criterion, table, signed, counts):
    """Score the cuts after the bins and bound those inside the bins."""
    if criterion == TWOING:
        _score_twoing(bins, totals, n)
        _bound_twoing(bins, hist, marks, totals, n, signed)
        return
    left, low, high = counts[0], counts[1], counts[2]
    offset = bins.shape[1] + 1
    for b in range(bins.shape[1]):
        for c in range(len(totals)):
            left[c] = bins[LEFT + c, b]
            before = bins[LEFT + c, b - 1] if b > 0 else left[c]
            low[c] = before - hist[c, b]
            high[c] = before + (hist[c, offset + b] if signed else 0)
        bins[SCORE, b] = goodness(left, bins[N_LEFT, b], totals, n, criterion, table)
        bins[BOUND, b] = bound_box(low, high, totals, n, criterion, table)


@jit
def open_bins(bins, marks, bar, slack):
    """Give room to the bins that may hold the best cut; return their number and the new bar."""
    first, last = 1, bins.shape[1] - 1
    while last > 0 and marks[FILLED, last] == 0:
        last -= 1
    while first < last and marks[FILLED, first] == 0:
        first += 1
    # Only between two rows that steps reach is a cut between bins a cut.
    best = -np.inf
    for b in range(first, last):
        best = max(best, bins[SCORE, b])
    bar = max(bar, best - slack)
    n_open, used = 0, 0
    marks[SLOT] = -1
    for b in range(1, last + 1):
        if bins[BOUND, b] >= bar and marks[FILLED, b] > 0:
            marks[SLOT, b] = used
            used += marks[FILLED, b]
            marks[OPENED, n_open] = b
            n_open += 1
    return n_open, bar
