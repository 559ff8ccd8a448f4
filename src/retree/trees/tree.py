"""The one structure in which every family of trees lives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.kernels.traverse import (
    apply_tests,
    apply_thresholds,
    divided_shares,
    inherit_empty,
    node_depths,
    node_parents,
)

LEAF = -1

Levels = Sequence[Sequence[Any] | None]


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
        Of a threshold split, the first child holds the rows with ``x[feature] <= threshold``; of a
        nominal split, child ``c`` those of level ``c``, or, if `level` is set, the first child
        those of that level and the second child all others.
    feature : ndarray of shape (node_count,), int32
        Attribute tested at each node, ``LEAF`` (-1) at a leaf.
    threshold : ndarray of shape (node_count,), float64
        Threshold of each test, NaN at a leaf and at a nominal split.
    counts : ndarray of shape (node_count, n_classes), float64
        Training rows (or their weights) of each class that reach each node.
    level : ndarray of shape (node_count,), int32, or None, default=None
        Level that a binary nominal split sends to its first child, -1 elsewhere; None if there is
        no such split.
    """

    n_features: int
    children_ptr: NDArray[np.int32]
    children: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    counts: NDArray[np.float64]
    level: NDArray[np.int32] | None = None

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
        """Class shares of each node, (node_count, n_classes); where no row is, the parent's."""
        total = self.weight
        value = self.counts / np.where(total > 0, total, 1.0)[:, None]
        if (total <= 0).any():
            inherit_empty(value, total, self.parents)
        return value

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """Training rows (or their weights) that reach each node, shape (node_count,)."""
        total: NDArray[np.float64] = self.counts.sum(axis=1)
        return total

    @cached_property
    def has_thresholds_only(self) -> bool:
        """Whether no split is nominal."""
        return not np.isnan(self.threshold[~self.is_leaf]).any()

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node`, first branch first; empty at a leaf."""
        return self.children[self.children_ptr[node] : self.children_ptr[node + 1]]

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the leaf that each row of `X`, shape (n_samples, n_features), ends in.

        Where the tested value is missing (NaN), a row takes the branch of greatest weight.
        """
        if self.has_thresholds_only and not np.isnan(X).any():
            return apply_thresholds(
                X, self.children_ptr, self.children, self.feature, self.threshold
            )
        return apply_tests(X, *self._tests(), self.weight)

    def class_shares(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class shares of each row, shape (n_samples, n_classes).

        Where the tested value is missing (NaN), they are those of all branches, weighted by the
        training rows in each.
        """
        if not np.isnan(X).any():
            leaves = self.apply(X)
            return self.value[leaves]
        return divided_shares(X, *self._tests(), self.weight, self.value)

    def _tests(self) -> tuple[NDArray[np.generic], ...]:
        """Return the arrays that say where each value goes, as the kernels want them."""
        level = self.level
        if level is None:
            level = np.full(self.node_count, -1, np.int32)
        return self.children_ptr, self.children, self.feature, self.threshold, level

    def describe_branch(
        self, node: int, branch: int, number: Callable[[float], str], levels: Levels | None = None
    ) -> str:
        """Return the outcome of the test of `node` that leads to its child number `branch`.

        Parameters
        ----------
        node, branch : int
            An inner node and the position of one of its children.
        number : callable
            Turns a threshold into text.
        levels : sequence of (sequence or None), optional
            Names of the levels of each nominal attribute; by default their numbers.

        Returns
        -------
        str
            Sign and value, such as ``<= 1.5`` or ``= red``.
        """
        if not np.isnan(self.threshold[node]):
            return f"{('<=', '>')[branch]} {number(float(self.threshold[node]))}"
        names = None if levels is None else levels[int(self.feature[node])]
        level = -1 if self.level is None else int(self.level[node])
        sign = "!=" if level >= 0 and branch == 1 else "="
        code = level if level >= 0 else branch
        return f"{sign} {code if names is None else names[code]}"
