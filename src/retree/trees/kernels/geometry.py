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
    """Scratch arrays for the geometry of one node."""

    counts: np.ndarray  # (n_classes,) int64 rows of each class
    ones: np.ndarray  # (n_classes, n_pair) int32 rows with the larger value of each pair column
    mean: np.ndarray  # (n_classes, n_wide) mean of `Columns.scaled`
    weight: np.ndarray  # (n_wide,) inverse squared range in the node, 0 where it is constant
    scatter: np.ndarray  # (n_classes,) sum of squared distances to the class mean
    distance: np.ndarray  # (n_samples,) distance of each row to the mean of its class


def make_geometry(n_samples: int, n_wide: int, n_pair: int, n_classes: int) -> Geometry:
    """Return scratch arrays; `n_samples` is 0 if only counts are needed."""
    return Geometry(
        np.zeros(n_classes, np.int64),
        np.zeros((n_classes, n_pair), np.int32),
        np.zeros((n_classes, n_wide)),
        np.zeros(n_wide),
        np.zeros(n_classes),
        np.empty(n_samples),
    )


@jit
def inverse_square(extent):
    """Return ``1 / extent**2``, or 0 for no extent: a constant attribute counts for nothing."""
    return 1.0 / (extent * extent) if extent > 0.0 else 0.0


@jit
def measure(columns, start, end, geometry):
    """Fill `geometry` (whose counts and ones are known already) for the rows of a node."""
    mean, weight = geometry.mean, geometry.weight
    mean[:] = 0.0
    for j in range(len(weight)):
        low = columns.entries[j, start] & ROW_MASK
        high = columns.entries[j, end - 1] & ROW_MASK
        weight[j] = inverse_square(columns.scaled[high, j] - columns.scaled[low, j])
    for i in range(start, end):
        row = columns.rows[i]
        total = mean[columns.y[row]]
        x = columns.scaled[row]
        for j in range(len(x)):
            total[j] += x[j]
    for c in range(columns.n_classes):
        if geometry.counts[c] > 0:
            mean[c] /= geometry.counts[c]
    geometry.scatter[:] = 0.0
    share = geometry.ones / np.maximum(geometry.counts, 1).reshape(-1, 1)
    for i in range(start, end):
        row = columns.rows[i]
        c = columns.y[row]
        squared = _squared_distance(columns.scaled[row], mean[c], weight)
        bits, expected = columns.bits[row], share[c]
        for j in range(len(bits)):
            squared += (bits[j] - expected[j]) ** 2
        geometry.scatter[c] += squared
        geometry.distance[row] = np.sqrt(squared)


@jit
def _squared_distance(a, b, weight):
    """Return the weighted squared distance of two points."""
    total = 0.0
    for j in range(len(weight)):
        difference = a[j] - b[j]
        total += weight[j] * difference * difference
    return total
