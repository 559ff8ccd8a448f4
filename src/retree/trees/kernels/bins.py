"""Class sums by bin of a column's range, from which bounds of BNM in large nodes follow.

The sums of all columns come from one pass over a node's rows in memory order. At the borders of the
bins they say what the left rows' deviations add up to; in between it moves by no more than the
distances of the rows that are passed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.geometry import add_row, squared_norm
from retree.trees.kernels.jit import jit

# Bins of a column's range at whose borders the class sums are known beforehand, the size of node
# from which that pays, and how many numbers the sums of one pass may take (they stay in cache).
BINS = 16
BINNED_ROWS = 2048
_SUMS_IN_CACHE = 1 << 17


class Bins(NamedTuple):
    """Class sums by bin of the ranges of a few wide columns, and what follows for the borders.

    Row ``(column * BINS + bin) * n_classes + class`` of the sums belongs to a place of the list of
    columns.
    """

    total: np.ndarray  # (n_columns * BINS * n_classes, n_wide + n_pair) sums of the rows
    n_rows: np.ndarray  # (n_columns * BINS * n_classes,) number of rows
    path: np.ndarray  # (n_columns * BINS * n_classes,) sums of their distances
    norm: np.ndarray  # (BINS + 1, n_classes) |A| at the borders, of one column
    first: np.ndarray  # (BINS + 1,) int64 position of the first row of each bin, of one column


def make_bins(n_wide: int, n_pair: int, n_classes: int) -> Bins:
    """Return bins for as many columns as stay in cache."""
    per_column = BINS * n_classes
    n_columns = min(n_wide, max(1, _SUMS_IN_CACHE // (per_column * max(1, n_wide + n_pair))))
    return Bins(
        np.zeros((n_columns * per_column, n_wide + n_pair)),
        np.zeros(n_columns * per_column),
        np.zeros(n_columns * per_column),
        np.zeros((BINS + 1, n_classes)),
        np.zeros(BINS + 1, np.int64),
    )


@jit
def _bin(value, low, extent):
    """Return the bin of a value of a column that reaches from `low` over `extent`."""
    return min(BINS - 1, np.int64(BINS * ((value - low) / extent)))


@jit
def column_range(columns, start, end, column):
    """Return least value and extent of a wide column in a node, scaled; the extent is not 0."""
    low = columns.scaled[columns.entries[column, start] & ROW_MASK, column]
    high = columns.scaled[columns.entries[column, end - 1] & ROW_MASK, column]
    # Values may differ by less than the scaled columns can tell.
    return low, high - low if high > low else 1.0


@jit
def fill_bins(columns, start, end, some, geometry, bins):
    """Sum up the rows of a node by bin, in every column of `some` at once."""
    lows, extents = np.empty(len(some)), np.empty(len(some))
    for place in range(len(some)):
        lows[place], extents[place] = column_range(columns, start, end, some[place])
    n_used = len(some) * BINS * columns.n_classes
    bins.total[:n_used] = 0.0
    bins.n_rows[:n_used] = 0.0
    bins.path[:n_used] = 0.0
    for i in range(start, end):
        row = columns.rows[i]
        for place in range(len(some)):
            b = _bin(columns.scaled[row, some[place]], lows[place], extents[place])
            where = (place * BINS + b) * columns.n_classes + columns.y[row]
            bins.n_rows[where] += 1.0
            bins.path[where] += geometry.distance[row]
            add_row(columns, row, bins.total, where)


@jit
def measure_borders(geometry, sweep, bins, place):
    """Fill ``bins.norm`` and ``bins.first`` for the column at `place`."""
    n_classes = len(geometry.counts)
    left = np.zeros(n_classes)
    sweep.total[:] = 0.0
    for b in range(BINS):
        for c in range(n_classes):
            where = (place * BINS + b) * n_classes + c
            left[c] += bins.n_rows[where]
            for j in range(sweep.total.shape[1]):
                sweep.total[c, j] += bins.total[where, j]
            squared = squared_norm(sweep.total, geometry.mean, c, left[c], geometry.weight)
            bins.norm[b + 1, c] = np.sqrt(squared)
        bins.first[b + 1] = np.int64(left.sum())


@jit
def enter_bin(geometry, sweep, bins, place, b):
    """Tighten the bounds at the lower border of bin `b`."""
    n_classes = len(geometry.counts)
    for c in range(n_classes):
        sweep.reach[c] = min(sweep.reach[c], bins.norm[b, c])
        where = (place * BINS + b) * n_classes + c
        sweep.ahead[c] = bins.norm[b + 1, c] + bins.path[where]
