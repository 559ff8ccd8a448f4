"""Kernels of trees that are grown on linear combinations of the attributes."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit

_SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_HALF = np.uint64(32)


@jit
def hash_rows(X):
    """Return a number for each row that depends on its values alone; C order."""
    bits = X.view(np.uint64)
    keys = np.zeros(X.shape[0], np.uint64)
    for i in range(X.shape[0]):
        key = np.uint64(0)
        for j in range(X.shape[1]):
            # Negative zero is the same number as zero.
            if X[i, j] != 0.0:
                key ^= bits[i, j]
            key *= _SCRAMBLE
            key ^= key >> _HALF
        keys[i] = key
    return keys


@jit
def project(X, directions):
    """Return the dot product of each row with each direction.

    The terms are added in the order of the attributes, as an oblique test adds them, so a row is on
    the same side of a threshold in training and in prediction, to the last bit.
    """
    turned = np.ascontiguousarray(directions.T)
    latent = np.zeros((X.shape[0], directions.shape[0]))
    for i in range(X.shape[0]):
        row = latent[i]
        for j in range(X.shape[1]):
            for k in range(len(row)):
                row[k] += turned[j, k] * X[i, j]
    return latent


@jit
def gaps(X, children_ptr, children, feature, threshold):
    """Return the tested values of the rows that are next to each threshold.

    Returns
    -------
    ndarray of shape (node_count, 2)
        Greatest value on the left and least value on the right of each test.
    """
    nearest = np.empty((len(feature), 2))
    nearest[:, 0], nearest[:, 1] = -np.inf, np.inf
    for i in range(X.shape[0]):
        node = 0
        while feature[node] >= 0:
            value = X[i, feature[node]]
            if value <= threshold[node]:
                nearest[node, 0] = max(nearest[node, 0], value)
                node = children[children_ptr[node]]
            else:
                nearest[node, 1] = min(nearest[node, 1], value)
                node = children[children_ptr[node] + 1]
    return nearest
