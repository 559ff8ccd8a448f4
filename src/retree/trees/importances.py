"""How much the tests of each feature lower the impurity of a tree's nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import sum_of
from retree.trees.decreases import impurity_decreases
from retree.trees.tree import CENTRES, OBLIQUE, Tree


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
        total += decrease[node] * _parts(tree, int(node))
    return normalised(total)


def normalised(importances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `importances` over their sum; as they are if that is 0."""
    whole = sum_of(importances)
    return importances / whole if whole > 0 else importances


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
