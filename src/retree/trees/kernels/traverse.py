"""Kernels that walk down a finished tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.centres import Centres, nearest_centre
from retree.trees.kernels.jit import jit

_LEAF = -1
_CENTRES = -3


class Tests(NamedTuple):
    """Where each value goes; the fields are those of `retree.trees.tree.Tree`."""

    children_ptr: np.ndarray  # (node_count + 1,) int32
    children: np.ndarray  # (n_edges,) int32
    feature: np.ndarray  # (node_count,) int32
    threshold: np.ndarray  # (node_count,) float64
    subset: np.ndarray  # (node_count,) int32, -1 where no subset of levels is tested
    left_levels: np.ndarray  # (n_subsets, n_levels) bool
    normals: np.ndarray  # (node_count, n_features) float64, or no rows
    centres: Centres  # or empty


@jit
def apply_thresholds(X, children_ptr, children, feature, threshold):
    """Return the leaf of each row under tests ``x[feature] <= threshold``."""
    leaves = np.empty(X.shape[0], np.int32)
    for i in range(X.shape[0]):
        node = 0
        while feature[node] >= 0:
            branch = 0 if X[i, feature[node]] <= threshold[node] else 1
            node = children[children_ptr[node] + branch]
        leaves[i] = node
    return leaves


@jit
def branch_of(value, threshold, subset, left_levels):
    """Return the branch that a value takes at a test of one attribute, -1 if it is missing."""
    if np.isnan(value):
        return -1
    if not np.isnan(threshold):
        return 0 if value <= threshold else 1
    if subset >= 0:
        return 0 if left_levels[subset, int(value)] else 1
    return int(value)


@jit
def side_of(row, normal, threshold):
    """Return the side of a hyperplane that a row is on, -1 if a value is missing."""
    total = 0.0
    for j in range(len(row)):
        # A missing value does not matter where its coefficient is zero.
        if normal[j] != 0.0:
            total += normal[j] * row[j]
    if np.isnan(total):
        return -1
    return 0 if total <= threshold else 1


@jit
def branch_at(row, node, tests):
    """Return the branch that a row takes at a test of any kind, -1 if a value is missing."""
    j, threshold = tests.feature[node], tests.threshold[node]
    if j >= 0:
        return branch_of(row[j], threshold, tests.subset[node], tests.left_levels)
    if j == _CENTRES:
        return nearest_centre(row, node, tests.centres)
    return side_of(row, tests.normals[node], threshold)


@jit
def apply_tests(X, tests, weight):
    """Return the leaf of each row under tests of any kind; a missing value takes the heaviest."""
    leaves = np.empty(X.shape[0], np.int32)
    # Arrays by themselves: to hand over all of `tests` at every node takes longer than most tests.
    children_ptr, children, feature = tests.children_ptr, tests.children, tests.feature
    threshold, subset, left_levels = tests.threshold, tests.subset, tests.left_levels
    normals, centres = tests.normals, tests.centres
    for i in range(X.shape[0]):
        node = 0
        while feature[node] != _LEAF:
            j = feature[node]
            if j >= 0:
                b = branch_of(X[i, j], threshold[node], subset[node], left_levels)
            elif j == _CENTRES:
                b = nearest_centre(X[i], node, centres)
            else:
                b = side_of(X[i], normals[node], threshold[node])
            if b < 0:
                b = np.argmax(weight[children[children_ptr[node] : children_ptr[node + 1]]])
            node = children[children_ptr[node] + b]
        leaves[i] = node
    return leaves


@jit
def divided_values(X, tests, weight, value):
    """Return the value of each row, divided over all branches where a tested value is missing."""
    sums = np.zeros((X.shape[0], value.shape[1]))
    children_ptr, children, feature = tests.children_ptr, tests.children, tests.feature
    threshold, subset, left_levels = tests.threshold, tests.subset, tests.left_levels
    normals, centres = tests.normals, tests.centres
    nodes, parts = np.empty(len(weight), np.int32), np.empty(len(weight))
    for i in range(X.shape[0]):
        nodes[0], parts[0], top = 0, 1.0, 1
        while top > 0:
            top -= 1
            node, part = nodes[top], parts[top]
            while feature[node] != _LEAF:
                j = feature[node]
                if j >= 0:
                    b = branch_of(X[i, j], threshold[node], subset[node], left_levels)
                elif j == _CENTRES:
                    b = nearest_centre(X[i], node, centres)
                else:
                    b = side_of(X[i], normals[node], threshold[node])
                if b < 0:
                    if weight[node] > 0.0:
                        break
                    b = 0  # all that is below a node without weight has its value
                node = children[children_ptr[node] + b]
            if feature[node] == _LEAF:
                sums[i] += part * value[node]
                continue
            for child in children[children_ptr[node] : children_ptr[node + 1]]:
                if weight[child] > 0.0:
                    nodes[top] = child
                    parts[top] = part * weight[child] / weight[node]
                    top += 1
    return sums


@jit
def mark_below(is_cut, parents):
    """Return which nodes have one of the nodes `is_cut` above them; parents come first."""
    below = np.zeros(len(parents), np.bool_)
    for node in range(1, len(parents)):
        below[node] = below[parents[node]] or is_cut[parents[node]]
    return below


@jit
def inherit_empty(value, weight, parents):
    """Give the nodes that no weight reaches the class shares of their parents."""
    for node in range(1, len(parents)):
        if weight[node] <= 0.0:
            value[node] = value[parents[node]]


@jit
def node_depths(children_ptr, children):
    """Return the depth of each node; children come after their parent."""
    depths = np.zeros(len(children_ptr) - 1, np.int32)
    for node in range(len(depths)):
        for edge in range(children_ptr[node], children_ptr[node + 1]):
            depths[children[edge]] = depths[node] + 1
    return depths


@jit
def node_parents(children_ptr, children):
    """Return the parent of each node, -1 for the root."""
    parents = np.full(len(children_ptr) - 1, -1, np.int32)
    for node in range(len(parents)):
        for edge in range(children_ptr[node], children_ptr[node + 1]):
            parents[children[edge]] = node
    return parents


@jit
def mark_paths(leaves, parents, depths):
    """Return the nodes on the way to each of `leaves` as row pointers and sorted node numbers."""
    pointer = np.zeros(len(leaves) + 1, np.int64)
    for i in range(len(leaves)):
        pointer[i + 1] = pointer[i] + depths[leaves[i]] + 1
    nodes = np.empty(pointer[-1], np.int32)
    for i in range(len(leaves)):
        node = leaves[i]
        for place in range(pointer[i + 1] - 1, pointer[i] - 1, -1):
            nodes[place] = node
            node = parents[node]
    return pointer, nodes
