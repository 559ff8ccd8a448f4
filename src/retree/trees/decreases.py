"""By how much the tests of a tree lower its impurity."""

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
    """Return the criteria of ``src/engine/cart/criteria.hpp`` with their numbers there."""
    names, is_regression = engine.call("cart_criteria")
    numbers = {name: number for number, name in enumerate(bytes(names).decode().split())}
    return {name: number for name, number in numbers.items() if is_regression[number] == of_numbers}


def impurity_decreases(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return by how much each node's test lowers the impurity of the whole tree.

    That is the impurity of the node less the mean of its children, times the node's share of the
    training weight. Rows without the tested value count where the tree sends them.

    Shapes: result (node_count,).
    `criterion`: the impurity of a classification tree, that of a regression tree being the
    variance. Any other criterion of CART is no impurity: its gain by the node's test, which is
    binary, takes the place of what the test lowers.
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
    """Return the class shares of each node, zeros where no training row is."""
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

    The test of a node counts by its weight times its impurity, less the same of its children.
    All of that goes to the feature of the test. An oblique test shares it out in proportion to the
    absolute values of its coefficients, which depend on the units of the features. A test for the
    nearest centre shares it out by the weights of the columns in the distance, times gamma for
    numeric ones and 1 - gamma for categorical ones.

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
    """Return `importances` over their sum; as they are if that is 0."""
    whole = sum_of(importances)
    return importances / whole if whole > 0 else importances


def _feature_shares(tree: Tree, node: int) -> NDArray[np.float64]:
    """Return the part of each feature in a test of several, summing to 1."""
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
