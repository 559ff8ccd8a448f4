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
def branch_of(value, threshold, level):
    """Return the branch that a value takes at a test of any kind, -1 if it is missing."""
    if np.isnan(value):
        return -1
    if not np.isnan(threshold):
        return 0 if value <= threshold else 1
    if level >= 0:
        return 0 if value == level else 1
    return int(value)


@jit
def apply_tests(X, children_ptr, children, feature, threshold, level, weight):
    """Return the leaf of each row under tests of any kind; a missing value takes the heaviest."""
    leaves = np.empty(X.shape[0], np.int32)
    for i in range(X.shape[0]):
        node = 0
        while feature[node] >= 0:
            branches = children[children_ptr[node] : children_ptr[node + 1]]
            b = branch_of(X[i, feature[node]], threshold[node], level[node])
            node = branches[b if b >= 0 else np.argmax(weight[branches])]
        leaves[i] = node
    return leaves


@jit
def divided_shares(X, children_ptr, children, feature, threshold, level, weight, value):
    """Return the class shares of each row, divided over all branches where a value is missing."""
    shares = np.zeros((X.shape[0], value.shape[1]))
    nodes, parts = np.empty(len(feature), np.int32), np.empty(len(feature))
    for i in range(X.shape[0]):
        nodes[0], parts[0], top = 0, 1.0, 1
        while top > 0:
            top -= 1
            node, part = nodes[top], parts[top]
            while feature[node] >= 0:
                b = branch_of(X[i, feature[node]], threshold[node], level[node])
                branches = children[children_ptr[node] : children_ptr[node + 1]]
                if b < 0:
                    break
                node = branches[b]
            if feature[node] < 0:
                shares[i] += part * value[node]
                continue
            for child in branches:
                if weight[child] > 0.0:
                    nodes[top] = child
                    parts[top] = part * weight[child] / weight[node]
                    top += 1
    return shares


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
