"""The exact best step along one direction of a hyperplane's coefficients.

A row is on the left of a hyperplane if its value v is not above 0. A step t changes v to v + t * d,
where d is what the row has in the direction: its attribute when one coefficient is perturbed. The
row changes sides at t = -v / d (Murthy et al., eq. 1; it leaves the left side if d is positive and
enters it if d is negative), so the best step lies between two neighbours among these. Sorting them
would be most of the work. Here they are counted in bins, the cuts between bins are scored, what a
bin may hold is bounded, and only the bins that may hold the best cut are sorted.

Rows whose s (see `oblique_bins`) differ by less than 2^-39 are tied, so that no cut goes between
rows that stand on one point of the line but for rounding. Steps above 2^20 w are not taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_bins import (
    BOUND,
    FILLED,
    LEFT,
    OPENED,
    PLAIN,
    SCORE,
    SLOT,
    SORTED,
    count_rows,
    open_bins,
    place_rows,
    score_bins,
    sum_up,
)
from retree.trees.kernels.oblique_goodness import TIE, goodness

_APART = 1.5 * 2.0**-40


class Cut(NamedTuple):
    """A cut of a line: its goodness, -inf if there is none, and the rows just below and above."""

    goodness: float
    below: int
    above: int


@jit
def _gather(place, marks, signed, keys, rows):
    """Put the rows of the open bins where they belong, bin by bin."""
    offset = np.uint16(marks.shape[1])
    for i in range(len(place)):
        b = place[i]
        if signed and b >= offset:
            b -= offset
        s = marks[SLOT, b]
        if s >= 0:
            keys[SORTED, s], rows[s] = keys[PLAIN, i], i
            marks[SLOT, b] = s + 1


@jit
def _sort(keys, rows, start, end):
    """Sort a range of the sorted keys, and `rows` with them (Shell's sort: most are short)."""
    gap = 1
    while gap * 9 < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, end):
            key, row = keys[SORTED, i], rows[i]
            j = i
            while j >= start + gap and keys[SORTED, j - gap] > key:
                keys[SORTED, j], rows[j] = keys[SORTED, j - gap], rows[j - gap]
                j -= gap
            keys[SORTED, j], rows[j] = key, row
        gap //= 3


@jit
def _are_neighbours(marks, keys, previous, b, start):
    """Whether a cut goes between two open bins, the second of which begins at `start`."""
    if previous == 0 or keys[SORTED, start] - keys[SORTED, start - 1] <= _APART:
        return False
    b -= 1
    while b > previous and marks[FILLED, b] == 0:
        b -= 1
    return b == previous


@jit
def _scan_bin(start, end, keys, rows, direction, label, counts, totals, n, criterion, table, bar):
    """Return the best cut inside a bin, which begins with `counts`, if it reaches the bar."""
    best, below, above = -np.inf, -1, -1
    n_left = counts.sum()
    for i in range(start, end - 1):
        row = np.int64(rows[i])
        change = 1.0 if direction[row] < 0.0 else -1.0
        counts[label[row]] += change
        n_left += change
        if keys[SORTED, i + 1] - keys[SORTED, i] > _APART:
            score = goodness(counts, n_left, totals, n, criterion, table)
            if score >= bar:
                best, below, above, bar = score, row, np.int64(rows[i + 1]), score + TIE * n
    return Cut(best, below, above)


@jit
def _scan_open_bins(
    n_open, bins, marks, keys, rows, direction, label, counts, totals, n, criterion, table, bar
):
    """Return the best cut in the open bins and between them, if it reaches the bar."""
    best = Cut(-np.inf, -1, -1)
    end, previous = 0, 0
    for k in range(n_open):
        b = marks[OPENED, k]
        start, end = end, end + marks[FILLED, b]
        _sort(keys, rows, start, end)
        if bins[SCORE, b - 1] >= bar and _are_neighbours(marks, keys, previous, b, start):
            best = Cut(bins[SCORE, b - 1], np.int64(rows[start - 1]), np.int64(rows[start]))
            bar = best.goodness + TIE * n
        previous = b
        if end - start == 1 or bins[BOUND, b] < bar:
            continue
        for c in range(len(counts)):
            counts[c] = bins[LEFT + c, b - 1]
        cut = _scan_bin(
            start, end, keys, rows, direction, label, counts, totals, n, criterion, table, bar
        )
        if cut.goodness >= bar:
            best, bar = cut, cut.goodness + TIE * n
    return best


@jit
def search_line(cloud, value, direction, width, bar, bench):
    """Find the best cut of a line.

    Parameters
    ----------
    cloud : Cloud
    value, direction : ndarray of shape (n,), float64
        v and d of each row.
    width : float
        w, positive, on which hardly more than the speed depends.
    bar : float
        The least goodness that is of interest.
    bench : Bench

    Returns
    -------
    Cut
        Of tied cuts that of the least step.
    """
    totals, n, criterion, table = cloud.totals, cloud.n, cloud.criterion, cloud.table
    keys, rows, place, hist, bins, marks, counts = bench
    signed = place_rows(value, direction, width, bins.shape[1] - 1, keys, place)
    count_rows(place, cloud.first, signed, hist)
    sum_up(hist, totals, signed, bins, marks)
    score_bins(bins, hist, marks, totals, n, criterion, table, signed, counts)
    n_open, bar = open_bins(bins, marks, bar, TIE * n)
    if n_open == 0:
        return Cut(-np.inf, -1, -1)
    _gather(place, marks, signed, keys, rows)
    left = counts[0]
    return _scan_open_bins(
        n_open, bins, marks, keys, rows, direction, cloud.label, left, totals, n, criterion, table,
        bar,
    )  # fmt: skip
