"""Impurity decreases of a tree's tests, and feature importances."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import entropies, row_sums, sum_of
from retree.trees.tree import CENTRES, OBLIQUE, Tree

GINI, ENTROPY = "gini", "entropy"


@cache
def cart_criteria(of_numbers: bool = False) -> dict[str, int]:
    """Return the numbers of the criteria in ``src/engine/cart/criteria.hpp``, by name."""
    names, is_regression = engine.call("cart_criteria")
    numbers = {name: number for number, name in enumerate(bytes(names).decode().split())}
    return {name: number for name, number in numbers.items() if is_regression[number] == of_numbers}


def impurity_decreases(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return the decrease in the impurity of the whole tree that each node's test achieves.

    It is the impurity of the node minus the weighted mean impurity of its children, times the
    node's share of the training weight. Rows without the tested value count where the tree sends
    them.

    Shapes: result (node_count,).
    `criterion`: "gini" or "entropy" for a classification tree; a regression tree uses the variance.
    Other criteria of CART are not impurities: for them the result is the gain of each test, which
    is binary.
    """
    weight = row_sums(tree.counts)
    share = weight / (weight[0] if weight[0] > 0 else 1.0)
    if criterion not in (GINI, ENTROPY) and tree.moments is None:
        return share * _gains(tree, weight, criterion)
    weighted = share * impurities(tree, criterion)
    below = np.bincount(tree.parents[1:], weighted[1:], tree.node_count)
    # An impurity is concave: what is below 0 is rounding.
    return np.where(tree.is_leaf, 0.0, np.maximum(weighted - below, 0.0))


def impurities(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return the Gini index, entropy or variance of each node, shape (node_count,)."""
    if tree.moments is not None:
        return tree.moments[:, 1]
    weight = row_sums(tree.counts)
    shares = _class_shares(tree, weight)
    if criterion == ENTROPY:
        return entropies(shares)
    return np.where(weight > 0, 1 - row_sums(shares**2), 0.0)


def _class_shares(tree: Tree, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the class shares of each node, zeros in nodes without training rows."""
    return tree.counts / np.where(weight > 0, weight, 1.0)[:, None]


def _gains(tree: Tree, weight: NDArray[np.float64], criterion: str) -> NDArray[np.float64]:
    """Return the gain of each node's test by a criterion of CART, 0 at leaves."""
    tests = np.flatnonzero(~tree.is_leaf & (weight > 0))
    left = tree.children[tree.children_ptr[tests]]
    shares = [tree.counts[nodes] / weight[tests, None] for nodes in (left, tests)]
    values = np.zeros(tree.node_count)
    (values[tests],) = engine.call("cart_gains", *shares, cart_criteria()[criterion])
    return values


def feature_importances(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return the impurity-based importance of each feature, normalised to a sum of 1.

    The test of a node counts with the weighted impurity of the node minus that of its children. All
    of it goes to the tested feature. An oblique test divides it in proportion to the absolute
    values of its coefficients, which depend on the units of the features. A test for the nearest
    centre divides it in proportion to the weights of the columns in the distance, times gamma for
    numeric and 1 - gamma for categorical columns.

    Shapes: result (n_features,).
    """
    decrease = impurity_decreases(tree, criterion)
    has_feature = tree.feature >= 0
    total = np.zeros(tree.n_features)
    np.add.at(total, tree.feature[has_feature], decrease[has_feature])
    for node in np.flatnonzero((tree.feature == OBLIQUE) | (tree.feature == CENTRES)):
        total += decrease[node] * _feature_shares(tree, int(node))
    return normalised(total)


def normalised(importances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `importances` divided by their sum, unchanged if that is 0."""
    whole = sum_of(importances)
    return importances / whole if whole > 0 else importances


def _feature_shares(tree: Tree, node: int) -> NDArray[np.float64]:
    """Return the share of each feature in a test of several features; the shares sum to 1."""
    if tree.feature[node] == OBLIQUE:
        assert tree.normals is not None
        size = np.abs(tree.normals[node])
    else:
        centres = tree.centres
        assert centres is not None
        gamma = centres.gamma[node]
        size = centres.weight[node] * np.where(centres.nominal, 1 - gamma, gamma)
    largest = size.max()
    return normalised(size / largest) if largest > 0 else size
