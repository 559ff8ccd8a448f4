"""The one structure in which every family of trees lives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retree.trees.kernels.traverse import apply_thresholds, node_depths, node_parents

LEAF = -1


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted decision tree as flat arrays, nodes numbered in depth-first order from the root.

    Parameters
    ----------
    n_features : int
        Number of input attributes.
    children_ptr : ndarray of shape (node_count + 1,), int32
        ``children[children_ptr[i]:children_ptr[i + 1]]`` are the children of node ``i``.
    children : ndarray of shape (n_edges,), int32
        Of a threshold split, the first child holds the rows with ``x[feature] <= threshold``.
    feature : ndarray of shape (node_count,), int32
        Attribute tested at each node, ``LEAF`` (-1) at a leaf.
    threshold : ndarray of shape (node_count,), float64
        Threshold of each test, NaN at a leaf.
    counts : ndarray of shape (node_count, n_classes), float64
        Training rows (or their weights) of each class that reach each node.
    """

    n_features: int
    children_ptr: NDArray[np.int32]
    children: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    counts: NDArray[np.float64]

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Mask of the leaves, shape (node_count,)."""
        return self.feature == LEAF

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """Number of edges between the root and each node, shape (node_count,)."""
        return node_depths(self.children_ptr, self.children)

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """Parent of each node, -1 for the root, shape (node_count,)."""
        return node_parents(self.children_ptr, self.children)

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree that is one leaf."""
        return int(self.depths.max())

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """Class shares of each node, shape (node_count, n_classes)."""
        return self.counts / self.counts.sum(axis=1, keepdims=True)

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node`, first branch first; empty at a leaf."""
        return self.children[self.children_ptr[node] : self.children_ptr[node + 1]]

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the leaf that each row of `X`, shape (n_samples, n_features), ends in."""
        return apply_thresholds(X, self.children_ptr, self.children, self.feature, self.threshold)
