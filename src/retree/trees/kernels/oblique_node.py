"""The test of a node: the best axis-parallel one, or an oblique one that is better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.cart_lc_search import Cycling, search_cart_lc
from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_axis import best_axis_test, middle
from retree.trees.kernels.oblique_cloud import make_cloud, original_normal, scale_attributes
from retree.trees.kernels.oblique_goodness import TIE, goodness
from retree.trees.kernels.oc1_climb import Climbing
from retree.trees.kernels.oc1_search import search_oc1

LEAF, OBLIQUE = -1, -2


class Rule(NamedTuple):
    """How a node is split and when it is not."""

    criterion: int
    max_depth: int
    min_samples_split: int
    rows_per_feature: float
    scaling: int
    is_oc1: bool  # otherwise CART-LC
    climbing: Climbing
    cycling: Cycling


@jit
def _start(axis, scaling):
    """Return the coefficients of the axis-parallel test, all 0 if its attribute hardly varies."""
    weights = np.zeros(len(scaling.attribute) + 1)
    for m in range(len(scaling.attribute)):
        if scaling.attribute[m] == axis.feature:
            weights[m] = 1.0
            weights[-1] = -(0.5 * axis.threshold - scaling.centre[m]) / scaling.scale[m]
    return weights


@jit
def _is_left(cloud, weights, i):
    """Whether a row of the cloud is on the left of a hyperplane."""
    value = weights[-1]
    for m in range(len(weights) - 1):
        value += weights[m] * cloud.z[m, i]
    return value <= 0.0


@jit
def _project(x, normal):
    """Return what prediction compares with the threshold, to the last bit."""
    total = 0.0
    for j in range(len(normal)):
        if normal[j] != 0.0:
            total += normal[j] * x[j]
    return total


@jit
def _test_in_original(data, cloud, weights, normal, goes_left):
    """Find the threshold of a hyperplane on the original attributes.

    It is the middle between the nearest projections on both sides. Rounding may move rows to the
    other side, so the goodness is that of the test as it is.

    Returns
    -------
    float
        The threshold.
    float
        The goodness, -inf if numbers are too large.
    """
    projected = np.empty(len(cloud.row))
    low, high = -np.inf, np.inf
    for i in range(len(projected)):
        projected[i] = _project(data.X[cloud.row[i]], normal)
        if _is_left(cloud, weights, i):
            low = max(low, projected[i])
        else:
            high = min(high, projected[i])
    threshold = middle(low, high)
    if not (np.isfinite(projected).all() and np.isfinite(threshold)):
        return threshold, -np.inf
    left, n_left = np.zeros(len(cloud.totals)), 0.0
    for i in range(len(projected)):
        goes_left[cloud.row[i]] = projected[i] <= threshold
        left[cloud.label[i]] += goes_left[cloud.row[i]]
        n_left += goes_left[cloud.row[i]]
    score = goodness(left, n_left, cloud.totals, cloud.n, cloud.criterion, cloud.table)
    return threshold, score


@jit
def _oblique_test(data, start, end, counts, axis, rule, table, seed, normal, goes_left):
    """Search for an oblique test; return its threshold and goodness."""
    scaling = scale_attributes(data, start, end, rule.scaling)
    weights = _start(axis, scaling)
    if not weights.any():
        return np.nan, -np.inf
    cloud = make_cloud(data, start, end, counts, scaling, rule.criterion, table)
    if rule.is_oc1:
        weights = search_oc1(cloud, weights, rule.climbing, np.array([seed]))
    else:
        weights = search_cart_lc(cloud, weights, rule.cycling)
    original_normal(weights, scaling, normal)
    return _test_in_original(data, cloud, weights, normal, goes_left)


@jit
def choose_test(data, start, end, counts, rule, table, seed, normal, goes_left):
    """Choose the test of a node and mark the rows that go left.

    Parameters
    ----------
    data : Data
    start, end : int
        The node's range.
    counts : ndarray of shape (n_classes,), float64
        Rows of each class.
    rule : Rule
    table : ndarray
        Of `make_table`.
    seed : uint64
        Of the node.
    normal : ndarray of shape (n_features,), float64
        Set to the coefficients of an oblique test.
    goes_left : ndarray of shape (n_samples,), uint8
        Set for the rows of the node.

    Returns
    -------
    int
        The attribute that is tested, or OBLIQUE, or LEAF if all rows are equal.
    float
        The threshold.
    """
    axis = best_axis_test(data, start, end, counts, rule.criterion, table)
    if axis.feature < 0:
        return LEAF, np.nan
    n, n_features = end - start, data.X.shape[1]
    if n > rule.rows_per_feature * n_features:
        threshold, score = _oblique_test(
            data, start, end, counts, axis, rule, table, seed, normal, goes_left
        )
        if score > axis.goodness + TIE * n:
            return OBLIQUE, threshold
    for i in range(start, end):
        row = data.rows[i]
        goes_left[row] = data.X[row, axis.feature] <= axis.threshold
    return axis.feature, axis.threshold
