"""Trees over weighted sums of the features, and the same trees over the features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.tree import LEAF, OBLIQUE, Tree


def center_thresholds(tree: Tree, X: NDArray[np.float64]) -> Tree:
    """Return the tree with each threshold in the middle between the neighbouring tested values.

    Shapes: `X` (n_samples, n_features).
    `X`: the rows that the tree was grown on; each stays in its leaf.
    """
    nearest = np.empty((tree.node_count, 2))
    engine.call("gaps", X, tree.children_ptr, tree.children, tree.feature, tree.threshold, nearest)
    low, high = nearest[~tree.is_leaf].T
    middle = low / 2 + high / 2
    threshold = tree.threshold.copy()
    threshold[~tree.is_leaf] = np.where((low <= middle) & (middle < high), middle, low)
    return replace(tree, threshold=threshold)


def project(X: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dot product of each row with each direction, shape (n_samples, n_directions).

    The terms are added in the order of the features, as an oblique test adds them, so a row is on
    the same side of a threshold in training and in prediction, to the last bit.
    """
    latent = np.empty((len(X), len(directions)))
    engine.call("project", np.ascontiguousarray(X), np.ascontiguousarray(directions), latent)
    return latent


def fold(tree: Tree, directions: NDArray[np.float64]) -> Tree:
    """Return the tree over the features of which latent features are weighted sums.

    Shapes: `directions` (n_latent, n_features).
    `directions`: coefficients of the latent features; a single one is 1.
    """
    inner = np.flatnonzero(~tree.is_leaf)
    tested = directions[tree.feature[inner]]
    is_oblique = np.count_nonzero(tested, axis=1) > 1
    feature = np.full(tree.node_count, LEAF, np.int32)
    feature[inner] = np.where(is_oblique, OBLIQUE, (tested != 0).argmax(axis=1))
    normals = None
    if is_oblique.any():
        normals = np.zeros((tree.node_count, directions.shape[1]))
        normals[inner[is_oblique]] = tested[is_oblique]
    return replace(tree, n_features=directions.shape[1], feature=feature, normals=normals)


def unfold(tree: Tree) -> tuple[Tree, NDArray[np.float64]]:
    """Return the tree over the sums that it tests, and their coefficients; undone by `fold`.

    Shapes: result (n_sums, n_features).
    """
    inner = np.flatnonzero(~tree.is_leaf)
    is_oblique = tree.feature[inner] == OBLIQUE
    tested = np.zeros((len(inner), tree.n_features))
    tested[~is_oblique, tree.feature[inner[~is_oblique]]] = 1.0
    if tree.normals is not None:
        tested[is_oblique] = tree.normals[inner[is_oblique]]
    directions, which = np.unique(tested, axis=0, return_inverse=True)
    feature = tree.feature.copy()
    feature[inner] = which
    return replace(tree, n_features=len(directions), feature=feature, normals=None), directions
