"""The rows of a node as the searches for an oblique test see them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.jit import jit

AS_IS, BY_RANGE, BY_QUARTILES = range(3)
_FLAT = 2.0**-20  # of the range: quartiles closer than this do not scale an attribute
_LARGEST = 1e100


class Data(NamedTuple):
    """All training rows; a node is a range of `rows` and of each of the sorted columns."""

    X: np.ndarray  # (n_samples, n_features) float64
    y: np.ndarray  # (n_samples,) int32 class codes
    entries: np.ndarray  # (n_features, n_samples) uint64, as in `columns.Columns`
    rows: np.ndarray  # (n_samples,) int32
    n_classes: int
    class_bits: int


class Scaling(NamedTuple):
    """An attribute that varies is z = (x / 2 - centre) / scale.

    Halves, so that the range of values near the largest float stays finite.
    """

    attribute: np.ndarray  # (n_attributes,) int64, those that vary in the node
    centre: np.ndarray  # (n_attributes,) float64
    scale: np.ndarray  # (n_attributes,) float64, positive


class Cloud(NamedTuple):
    """The rows of a node, grouped by class, their attributes shifted and scaled."""

    z: np.ndarray  # (n_attributes + 1, n) float64; the last one is 1, for the constant term
    mean: np.ndarray  # (n_attributes + 1,) float64, means of the absolute values of z
    label: np.ndarray  # (n,) int32, ascending numbers of the classes that occur
    first: np.ndarray  # (n_classes + 1,) uint64, where each class starts
    totals: np.ndarray  # (n_classes,) float64, rows of each class
    n: float
    criterion: int
    table: np.ndarray  # of `make_table`
    row: np.ndarray  # (n,) int32, row of the training data


@jit
def _half_value(data, j, start, end, share):
    """Return half of the least value that at least a share of a node's rows does not exceed."""
    place = start + max(0, np.int64(np.ceil(share * (end - start))) - 1)
    return 0.5 * data.X[np.int64(data.entries[j, place] & ROW_MASK), j]


@jit
def scale_attributes(data, start, end, method):
    """Return how the attributes of a node are shifted and scaled.

    By range, to [0, 1]; by quartiles, to median 0 and distance 1 of the quartiles, where the range
    takes their place if they are (nearly) equal; or not at all, and then attributes with values
    above 1e100 are left out.
    """
    n_features = data.X.shape[1]
    attribute = np.empty(n_features, np.int64)
    centre, scale = np.empty(n_features), np.empty(n_features)
    found = 0
    for j in range(n_features):
        low = _half_value(data, j, start, end, 0.0)
        high = _half_value(data, j, start, end, 1.0)
        if not high - low > 0.0 or (method == AS_IS and max(-low, high) > _LARGEST):
            continue
        attribute[found], centre[found], scale[found] = j, 0.0, 0.5
        if method != AS_IS:
            centre[found], scale[found] = low, high - low
        if method == BY_QUARTILES:
            centre[found] = _half_value(data, j, start, end, 0.5)
            lower = _half_value(data, j, start, end, 0.25)
            upper = _half_value(data, j, start, end, 0.75)
            if upper - lower > _FLAT * (high - low):
                scale[found] = upper - lower
        found += 1
    return Scaling(attribute[:found], centre[:found], scale[:found])


@jit
def _group_rows(data, start, end, counts):
    """Return the rows of a node class by class, their classes numbered anew, and the starts."""
    number = np.cumsum(counts > 0.0) - 1
    totals = counts[counts > 0.0]
    first = np.zeros(len(totals) + 1, np.uint64)
    for c in range(len(totals)):
        first[c + 1] = first[c] + np.uint64(totals[c])
    free = first.copy()
    row, label = np.empty(end - start, np.int32), np.empty(end - start, np.int32)
    for i in range(start, end):
        c = number[data.y[data.rows[i]]]
        row[free[c]], label[free[c]] = data.rows[i], c
        free[c] += np.uint64(1)
    return row, label, first, totals


@jit
def make_cloud(data, start, end, counts, scaling, criterion, table):
    """Lay out the rows of a node.

    Parameters
    ----------
    data : Data
    start, end : int
        The node's range.
    counts : ndarray of shape (n_classes,), float64
        Rows of each class.
    scaling : Scaling
    criterion : int
    table : ndarray
        Of `make_table`.

    Returns
    -------
    Cloud
    """
    row, label, first, totals = _group_rows(data, start, end, counts)
    n_attributes = len(scaling.attribute)
    z, mean = np.ones((n_attributes + 1, len(row))), np.ones(n_attributes + 1)
    for i in range(len(row)):
        for m in range(n_attributes):
            x = data.X[row[i], scaling.attribute[m]]
            z[m, i] = (0.5 * x - scaling.centre[m]) / scaling.scale[m]
    for m in range(n_attributes):
        mean[m] = np.abs(z[m]).mean()
    return Cloud(z, mean, label, first, totals, float(len(row)), criterion, table, row)


@jit
def original_normal(weights, scaling, normal):
    """Set `normal` to the coefficients of the attributes as they are, of about 1 at most."""
    unit = np.inf
    for m in range(len(scaling.attribute)):
        if weights[m] != 0.0:
            unit = min(unit, scaling.scale[m])
    normal[:] = 0.0
    for m in range(len(scaling.attribute)):
        # This quotient is at most 1, whatever the units are.
        if weights[m] != 0.0:
            normal[scaling.attribute[m]] = weights[m] * (unit / scaling.scale[m])
