"""Kernels that walk down a finished tree."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit


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
