"""Growing trees with oblique tests, depth first."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_node import LEAF, OBLIQUE, choose_test
from retree.trees.kernels.oc1_random import child_seed
from retree.trees.kernels.partition import move
from retree.trees.kernels.stacks import with_room


@jit
def _is_terminal(counts, depth, rule):
    """Whether a node is a leaf whatever its tests."""
    n = counts.sum()
    return depth >= rule.max_depth or n < rule.min_samples_split or counts.max() == n


@jit
def _partition(data, start, end, goes_left, buffer):
    """Move the rows of a node to their sides; return where the right side begins."""
    middle = start
    for i in range(start, end):
        middle += goes_left[data.rows[i]]
    move(data.rows[start:end], np.int32(-1), goes_left, True, True, buffer)
    for j in range(len(data.entries)):
        move(data.entries[j, start:end], ROW_MASK, goes_left, True, True, buffer)
    return middle


@jit
def _count_classes(data, start, end):
    """Return the rows of each class in a node."""
    counts = np.zeros(data.n_classes)
    for i in range(start, end):
        counts[data.y[data.rows[i]]] += 1.0
    return counts


@jit
def grow(data, rule, table, seed):
    """Grow the tree.

    Parameters
    ----------
    data : Data
        Its rows and entries are moved about.
    rule : Rule
    table : ndarray
        Of `make_table`.
    seed : uint64
        Of the root; that of another node follows from the way to it.

    Returns
    -------
    numbers : ndarray of shape (node_count, 3), int64
        Parent, attribute (-1: leaf, -2: oblique test), row of `normals` or -1; depth first.
    reals : ndarray of shape (node_count, 1 + n_classes), float64
        Threshold, rows of each class.
    normals : ndarray of shape (n_oblique, n_features), float64
        Coefficients of the oblique tests.
    """
    n_samples, n_features = data.X.shape
    numbers, reals = np.empty((64, 3), np.int64), np.empty((64, 1 + data.n_classes))
    normals, normal = np.empty((16, n_features)), np.empty(n_features)
    goes_left, buffer = np.empty(n_samples, np.uint8), np.empty(n_samples, np.uint64)
    # Item: start, end, depth, parent.
    stack, seeds = np.empty((64, 4), np.int64), np.empty((64, 1), np.uint64)
    stack[0], seeds[0, 0] = (0, n_samples, 0, -1), seed
    top, n_nodes, n_normals = 1, 0, 0
    while top > 0:
        top -= 1
        start, end, depth, parent = stack[top]
        own_seed = seeds[top, 0]
        numbers, reals = with_room(numbers, n_nodes, 1), with_room(reals, n_nodes, 1)
        node = n_nodes
        n_nodes += 1
        counts = _count_classes(data, start, end)
        numbers[node] = (parent, LEAF, -1)
        reals[node, 0], reals[node, 1:] = np.nan, counts
        if _is_terminal(counts, depth, rule):
            continue
        feature, threshold = choose_test(
            data, start, end, counts, rule, table, own_seed, normal, goes_left
        )
        if feature == LEAF:
            continue
        numbers[node, 1], reals[node, 0] = feature, threshold
        if feature == OBLIQUE:
            normals = with_room(normals, n_normals, 1)
            numbers[node, 2], normals[n_normals] = n_normals, normal
            n_normals += 1
        middle = _partition(data, start, end, goes_left, buffer)
        stack, seeds = with_room(stack, top, 2), with_room(seeds, top, 2)
        stack[top] = (middle, end, depth + 1, node)
        stack[top + 1] = (start, middle, depth + 1, node)
        seeds[top, 0], seeds[top + 1, 0] = child_seed(own_seed, 1), child_seed(own_seed, 0)
        top += 2
    return numbers[:n_nodes].copy(), reals[:n_nodes].copy(), normals[:n_normals].copy()
