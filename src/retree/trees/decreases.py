"""By how much the tests of a tree lower its impurity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums
from retree.trees.tree import Tree

GINI, ENTROPY, TWOING = "gini", "entropy", "twoing"


def impurity_decreases(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return by how much each node's test lowers the impurity of the whole tree.

    That is the impurity of the node less the mean of its children, times the node's share of the
    training weight. Rows without the tested value count where the tree sends them.

    Shapes: result (node_count,).
    `criterion`: the impurity of a classification tree, that of a regression tree being the
    variance. Twoing is no impurity: its value for the node's test, which is binary, takes the place
    of what the test lowers.
    """
    weight = row_sums(tree.counts)
    share = weight / (weight[0] if weight[0] > 0 else 1.0)
    if criterion == TWOING and tree.moments is None:
        return share * _twoing_values(tree, weight)
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


def _twoing_values(tree: Tree, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the twoing value of each node's test, 0 at leaves."""
    tests = np.flatnonzero(~tree.is_leaf)
    left, right = (tree.children[tree.children_ptr[tests] + side] for side in (0, 1))
    shares = _class_shares(tree, weight)
    between = row_sums(np.abs(shares[left] - shares[right]))
    values = np.zeros(tree.node_count)
    values[tests] = weight[left] * weight[right] / weight[tests] ** 2 / 4 * between**2
    return values
