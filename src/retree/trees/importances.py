"""How much the tests of each feature lower the impurity of a tree's nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums, sum_of
from retree.trees.tree import CENTRES, OBLIQUE, Tree

GINI, ENTROPY = "gini", "entropy"


def feature_importances(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return the impurity-based importance of each feature, normalised to a sum of 1.

    The test of a node counts by its weight times its impurity, less the same of its children.
    All of that goes to the feature of the test. An oblique test shares it out in proportion to the
    absolute values of its coefficients, which depend on the units of the features. A test for the
    nearest centre shares it out by the weights of the columns in the distance, times gamma for
    numeric ones and 1 - gamma for categorical ones.

    Parameters
    ----------
    tree : Tree
    criterion : {"gini", "entropy"}
        The impurity of a classification tree; that of a regression tree is the variance.

    Returns
    -------
    ndarray of shape (n_features,)
        Zeros if no test lowers the impurity.
    """
    decrease = _decreases(tree, criterion)
    has_feature = tree.feature >= 0
    total = np.zeros(tree.n_features)
    np.add.at(total, tree.feature[has_feature], decrease[has_feature])
    for node in np.flatnonzero((tree.feature == OBLIQUE) | (tree.feature == CENTRES)):
        total += decrease[node] * _parts(tree, int(node))
    return normalised(total)


def impurities(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return the impurity of each node, shape (node_count,); criteria as above."""
    if tree.moments is not None:
        return tree.moments[:, 1]
    weight = row_sums(tree.counts)
    shares = tree.counts / np.where(weight > 0, weight, 1.0)[:, None]
    if criterion == ENTROPY:
        return entropies(shares)
    return np.where(weight > 0, 1 - row_sums(shares**2), 0.0)


def normalised(importances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `importances` over their sum; as they are if that is 0."""
    whole = sum_of(importances)
    return importances / whole if whole > 0 else importances


def _decreases(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return by how much each node's test lowers the impurity, times the weight of the node."""
    weight = row_sums(tree.counts)
    largest = weight.max()
    # In parts of the root, so that nothing overflows.
    weighted = weight / (largest if largest > 0 else 1.0) * impurities(tree, criterion)
    below = np.bincount(tree.parents[1:], weighted[1:], tree.node_count)
    # An impurity is concave: what is below 0 is rounding.
    return np.where(tree.is_leaf, 0.0, np.maximum(weighted - below, 0.0))


def _parts(tree: Tree, node: int) -> NDArray[np.float64]:
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
