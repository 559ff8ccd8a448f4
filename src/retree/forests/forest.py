"""A forest as one value: its trees and the weights of their votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_even_slices

from retree.arithmetic import sum_of
from retree.trees.decreases import GINI, feature_importances, normalised
from retree.trees.tree import Tree

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees over the same features and classes, and the weights of their votes."""

    trees: tuple[Tree, ...]
    vote_weight: NDArray[np.float64]  # Weight of each tree in the weighted votes; shape (n_trees,)
    # Whether a row without a tested value is divided over all branches, as C4.5 does, or takes the
    # heaviest one.
    divide_missing: bool = True
    impurity: str = GINI  # What the importances of features are about
    # Whether a tree votes for its highest share to the last bit, and not up to 1e-6.
    exact_votes: bool = False

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.trees[0].counts.shape[1]

    @property
    def node_count(self) -> int:
        """Total number of nodes over all trees."""
        return sum(tree.node_count for tree in self.trees)

    @property
    def n_leaves(self) -> int:
        """Total number of leaves over all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    @cached_property
    def max_depth(self) -> int:
        """Depth of the deepest tree."""
        return max(tree.max_depth for tree in self.trees)

    def feature_importances(self, *, weighted: bool = False) -> NDArray[np.float64]:
        """Return the mean of the trees' importances, shape (n_features,), with sum 1."""
        total = np.zeros(self.trees[0].n_features)
        for tree, weight in zip(self.trees, self._weights(weighted), strict=True):
            total += weight * feature_importances(tree, self.impurity)
        return normalised(total)

    def take(self, members: Iterable[int]) -> Forest:
        """Return the forest of these `members`, in the given order."""
        chosen = list(members)
        trees = tuple(self.trees[i] for i in chosen)
        return replace(self, trees=trees, vote_weight=self.vote_weight[chosen])

    def with_trees(self, trees: Iterable[Tree]) -> Forest:
        """Return the forest with its trees replaced."""
        return replace(self, trees=tuple(trees))

    def shares(
        self, X: NDArray[np.float64], *, weighted: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the mean of the trees' class shares (eq. 1), shape (n_samples, n_classes).

        Shapes: `X` (n_samples, n_features).
        `n_jobs`: number of threads, as in joblib, each for a part of the rows; the result does not
        depend on it.
        """
        return self.sums(X, weighted=weighted, n_jobs=n_jobs) / sum_of(self._weights(weighted))

    def _weights(self, weighted: bool) -> NDArray[np.float64]:
        return self.vote_weight if weighted else np.ones(len(self.trees))

    def sums(
        self, X: NDArray[np.float64], *, weighted: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the sums of the trees' class shares, shape (n_samples, n_classes)."""
        sums = np.zeros((len(X), self.n_classes))

        def add(rows: slice) -> None:
            for tree, weight in zip(self.trees, self._weights(weighted), strict=True):
                divide = self.divide_missing
                tree.add_predicted(sums[rows], X[rows], weight, divide_missing=divide)

        slices = gen_even_slices(len(X), min(effective_n_jobs(n_jobs), max(len(X), 1)))
        in_threads(add, slices, n_jobs)
        return sums

    def member_codes(
        self, X: NDArray[np.float64], *, n_jobs: int | None = None
    ) -> NDArray[np.int64]:
        """Return the class that each tree predicts, shape (n_trees, n_samples)."""

        def codes(tree: Tree) -> NDArray[np.int64]:
            divide = self.divide_missing
            if self.exact_votes:
                return tree.predicted(X, divide_missing=divide).argmax(axis=1)
            return tree.predicted_codes(X, divide_missing=divide)

        return np.array(in_threads(codes, self.trees, n_jobs))

    def votes(
        self, X: NDArray[np.float64], *, n_jobs: int | None = None
    ) -> tuple[NDArray[np.float64], float]:
        """Return the total weight of the trees that vote for each class, and that of all trees.

        If all weights are zero, each tree has one vote. A single tree gives its class shares
        instead, as in Weka's AdaBoostM1.

        Shapes: `X` (n_samples, n_features), first result (n_samples, n_classes).
        """
        if len(self.trees) == 1:
            return self.sums(X, n_jobs=n_jobs), 1.0
        weight = self.vote_weight if self.vote_weight.any() else np.ones(len(self.trees))
        codes = self.member_codes(X, n_jobs=n_jobs)
        return count_votes(codes, weight, self.n_classes), sum_of(weight)


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> list[Result]:
    """Apply `function` to each item in `n_jobs` threads, and return the results in order."""
    if effective_n_jobs(n_jobs) == 1:
        return [function(item) for item in items]
    # The engine works without the GIL, so that threads share the data and start at once.
    results = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(function)(item) for item in items)
    return list(results)


def count_votes(
    codes: NDArray[np.intp], weight: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]:
    """Return the weight of the votes for each class, shape (n_samples, n_classes).

    Shapes: `codes` (n_trees, n_samples), `weight` (n_trees,).
    """
    votes = np.zeros((codes.shape[1], n_classes))
    rows = np.arange(codes.shape[1])
    for member, w in zip(codes, weight, strict=True):
        votes[rows, member] += w
    return votes
