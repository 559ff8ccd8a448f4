"""A forest of trees as one value: what is grown, selected, thinned and asked for predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retree.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees over the same attributes and classes, and the weights of their votes.

    Parameters
    ----------
    trees : tuple of Tree
        At least one.
    vote_weight : ndarray of shape (n_trees,)
        Weight of each tree in the weighted votes.
    divide_missing : bool, default=True
        Whether a row without a tested value is divided over all branches, as C4.5 does, or takes
        the heaviest one.
    """

    trees: tuple[Tree, ...]
    vote_weight: NDArray[np.float64]
    divide_missing: bool = True

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.trees[0].counts.shape[1]

    @property
    def node_count(self) -> int:
        """Number of nodes of all trees."""
        return sum(tree.node_count for tree in self.trees)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    @cached_property
    def max_depth(self) -> int:
        """Depth of the deepest tree."""
        return max(tree.max_depth for tree in self.trees)

    def take(self, members: Iterable[int]) -> Forest:
        """Return the forest of some `members`, in their order."""
        chosen = list(members)
        trees = tuple(self.trees[i] for i in chosen)
        return replace(self, trees=trees, vote_weight=self.vote_weight[chosen])

    def with_trees(self, trees: Iterable[Tree]) -> Forest:
        """Return the forest with other trees in the place of its own."""
        return replace(self, trees=tuple(trees))

    def shares(self, X: NDArray[np.float64], *, weighted: bool = False) -> NDArray[np.float64]:
        """Return the mean of the trees' class shares (eq. 1), shape (n_samples, n_classes).

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        weighted : bool, default=False
            Whether the mean is weighted by ``vote_weight``.
        """
        weights = self.vote_weight if weighted else np.ones(len(self.trees))
        total = np.zeros((len(X), self.n_classes))
        for tree, weight in zip(self.trees, weights, strict=True):
            tree.add_predicted(total, X, weight, divide_missing=self.divide_missing)
        return total / weights.sum()

    def member_codes(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class that each tree predicts, shape (n_trees, n_samples)."""
        divide = self.divide_missing
        return np.array([t.predicted_codes(X, divide_missing=divide) for t in self.trees])

    def votes(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of the trees that vote for each class, over the weight of all."""
        return count_votes(self.member_codes(X), self.vote_weight, self.n_classes)


def count_votes(
    codes: NDArray[np.intp], weights: NDArray[np.float64] | Sequence[float], n_classes: int
) -> NDArray[np.float64]:
    """Return the weight of the votes for each class over that of all, (n_samples, n_classes).

    Parameters
    ----------
    codes : ndarray of shape (n_trees, n_samples)
        Class that each tree predicts.
    weights : array-like of shape (n_trees,)
        If all are zero, each tree has one vote.
    n_classes : int
    """
    weight = np.asarray(weights, dtype=np.float64)
    weight = weight if weight.any() else np.ones(len(weight))
    votes = np.zeros((codes.shape[1], n_classes))
    rows = np.arange(codes.shape[1])
    for member, w in zip(codes, weight, strict=True):
        votes[rows, member] += w
    return votes / weight.sum()
