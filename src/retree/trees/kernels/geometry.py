"""Geometry of a node: class means, ranges and scatter, from which BNM and its bounds are made.

All distances are those of the node's rows scaled to [0, 1] attribute by attribute. The rows are
never copied: `Columns.scaled` holds them scaled over the whole training set, and squared
differences are weighted by the inverse squared range of the attribute in the node. Pair columns
are 0 or 1 and need no weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.jit import jit


class Geometry(NamedTuple):
    """Scratch arrays for the geometry of one node; wide columns come before pair columns."""

    counts: np.ndarray  # (n_classes,) int64 rows of each class
    ones: np.ndarray  # (n_classes, n_pair) int32 rows with the larger value of each pair column
    mean: np.ndarray  # (n_classes, n_wide + n_pair) class centroids
    weight: np.ndarray  # (n_wide + n_pair,) inverse squared range in the node, 0 where constant
    scatter: np.ndarray  # (n_classes,) sum of squared distances to the class mean
    distance: np.ndarray  # (n_samples,) distance of each row to the mean of its class


def make_geometry(n_samples: int, n_wide: int, n_pair: int, n_classes: int) -> Geometry:
    """Return scratch arrays; `n_samples` is 0 if distances are not needed."""
    return Geometry(
        np.zeros(n_classes, np.int64),
        np.zeros((n_classes, n_pair), np.int32),
        np.zeros((n_classes, n_wide + n_pair)),
        np.ones(n_wide + n_pair),
        np.zeros(n_classes),
        np.empty(n_samples),
    )


@jit
def inverse_square(extent):
    """Return ``1 / extent**2``, or 0 for no extent: a constant attribute counts for nothing."""
    return 1.0 / (extent * extent) if extent > 0.0 else 0.0


@jit
def weigh(columns, start, end, weight):
    """Set the weights of the wide columns to their inverse squared ranges in a node."""
    for j in range(len(columns.wide)):
        low = columns.entries[j, start] & ROW_MASK
        high = columns.entries[j, end - 1] & ROW_MASK
        weight[j] = inverse_square(columns.scaled[high, j] - columns.scaled[low, j])


@jit
def add_row(columns, row, total, i):
    """Add a row, all its columns, to ``total[i]``."""
    # Whole-array indices here and below: a view of a row costs more than adding it up.
    n_wide = columns.scaled.shape[1]
    for j in range(n_wide):
        total[i, j] += columns.scaled[row, j]
    for s in range(columns.set_start[row], columns.set_start[row + 1]):
        total[i, n_wide + columns.set_pairs[s]] += 1.0


@jit
def measure(columns, start, end, geometry):
    """Fill `geometry`, whose counts are known already, for the rows of a node."""
    mean, weight, scatter = geometry.mean, geometry.weight, geometry.scatter
    weigh(columns, start, end, weight)
    mean[:] = 0.0
    scatter[:] = 0.0
    for i in range(start, end):
        row = columns.rows[i]
        add_row(columns, row, mean, columns.y[row])
    for c in range(columns.n_classes):
        if geometry.counts[c] > 0:
            mean[c] /= geometry.counts[c]
    n_wide = columns.scaled.shape[1]
    base = (mean[:, n_wide:] ** 2).sum(axis=1)
    for i in range(start, end):
        row = columns.rows[i]
        c = columns.y[row]
        squared = base[c]
        for j in range(n_wide):
            squared += weight[j] * (columns.scaled[row, j] - mean[c, j]) ** 2
        # (b - m)^2 is m^2 + b (1 - 2 m) for a bit b.
        for s in range(columns.set_start[row], columns.set_start[row + 1]):
            squared += 1.0 - 2.0 * mean[c, n_wide + columns.set_pairs[s]]
        scatter[c] += squared
        geometry.distance[row] = np.sqrt(max(squared, 0.0))


@jit
def squared_norm(total, mean, c, n, weight):
    """Return the weighted squared norm of ``total[c] - n * mean[c]``."""
    n_columns = len(weight)
    # Four sums side by side, since the compiler must not reorder a single one.
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = n_columns - n_columns % 4
    for j in range(0, whole, 4):
        d0 = total[c, j] - n * mean[c, j]
        d1 = total[c, j + 1] - n * mean[c, j + 1]
        d2 = total[c, j + 2] - n * mean[c, j + 2]
        d3 = total[c, j + 3] - n * mean[c, j + 3]
        s0 += weight[j] * d0 * d0
        s1 += weight[j + 1] * d1 * d1
        s2 += weight[j + 2] * d2 * d2
        s3 += weight[j + 3] * d3 * d3
    for j in range(whole, n_columns):
        d0 = total[c, j] - n * mean[c, j]
        s0 += weight[j] * d0 * d0
    return (s0 + s1) + (s2 + s3)
