"""The pruning set in the nodes of a forest: what thinning starts from and moves along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.forests.forest import Forest, in_threads
from retree.trees.tree import Tree, majority_class


class ForestRows(NamedTuple):
    """The nodes of all trees, one tree after the other, and the rows that reach them.

    An entry is a row in a leaf. One that lacks tested values has an entry in every leaf that it is
    divided over. Entries stand in the order of the leaves, nodes in depth-first order, so those of
    node ``v`` and of all below it are ``start[v]:start[stop[v]]``.
    """

    first: NDArray[Any]  # (n_trees + 1,) int64, root of each tree
    stop: NDArray[Any]  # (n_nodes,) int64, the node after the last one below
    start: NDArray[Any]  # (n_nodes + 1,) int64
    row: NDArray[Any]  # (n_entries,) int32
    part: NDArray[Any]  # (n_entries,) float64, how much of the row it is


class Thinning(NamedTuple):
    """What passes of thinning need to know and what they change."""

    rows: ForestRows
    value: NDArray[np.float64]  # Class shares of the nodes of all trees; shape (n_nodes, n_classes)
    y: NDArray[np.intp]  # Class codes; shape (n_samples,)
    # What each tree counts for in the forest; they sum to 1 unless they make log odds; shape
    # (n_trees,).
    tree_weight: NDArray[np.float64]
    ends: NDArray[np.int32]  # Node in which each entry of `rows` ends; shape (n_entries,)
    cut: NDArray[np.bool_]  # Nodes that have become leaves; shape (n_nodes,)
    # Class shares of the forest, or their log odds; shape (n_samples, n_classes).
    shares: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlacedForest:
    """A forest, and the rows of a pruning set in its nodes."""

    forest: Forest
    rows: ForestRows

    def recounted(
        self, X: NDArray[np.float64], y: NDArray[np.intp], n_jobs: int | None = None
    ) -> PlacedForest:
        """Return the forest with the classes of the rows that reach each node as its counts.

        A row that is divided over several branches is counted with the parts that it had. How it
        is divided from then on follows the new counts.
        """
        counts = np.empty((len(self.rows.stop), self.forest.n_classes))
        engine.call("class_counts", engine.bundle(*self.rows), y, counts)
        of_trees = np.split(counts, self.rows.first[1:-1])
        trees = [
            replace(tree, counts=own, row_sums=None)
            for tree, own in zip(self.forest.trees, of_trees, strict=True)
        ]
        forest = self.forest.with_trees(trees)
        if not np.isnan(X).any():
            return PlacedForest(forest, self.rows)
        return place(forest, X, n_jobs)

    def thinning(self, y: NDArray[np.intp], *, pooling: str, decisions: bool) -> Thinning:
        """Return the state before the first pass.

        Shapes: `y` (n_samples,).
        `decisions`: whether a node has all its share in the class that it decides on.
        """
        weight = self.forest.vote_weight if pooling != "mean" else np.ones(len(self.forest.trees))
        weight = weight if pooling == "log_odds" else weight / sum_of(weight)
        value = np.concatenate([tree.value for tree in self.forest.trees])
        if decisions:
            value = np.eye(self.forest.n_classes)[majority_class(value)]
        ends = np.empty(len(self.rows.row), np.int32)
        shares = np.empty((len(y), self.forest.n_classes))
        engine.call("mean_shares", engine.bundle(*self.rows), value, weight, ends, shares)
        cut = np.zeros(len(value), np.bool_)
        return Thinning(self.rows, value, y, weight, ends, cut, shares)

    def cut(self, nodes: NDArray[np.bool_]) -> Forest:
        """Return the forest with `nodes`, a mask over those of all trees, as leaves."""
        of_trees = zip(self.forest.trees, np.split(nodes, self.rows.first[1:-1]), strict=True)
        return self.forest.with_trees(t.cut(mask) if mask.any() else t for t, mask in of_trees)


def place(forest: Forest, X: NDArray[np.float64], n_jobs: int | None = None) -> PlacedForest:
    """Send rows down every tree.

    Shapes: `X` (n_samples, n_features).
    """
    columns, how = np.ascontiguousarray(X.T), (bool(np.isnan(X).any()), forest.divide_missing)

    def place_in(tree: Tree) -> tuple[NDArray[Any], ...]:
        return engine.call("place_rows", X, columns, tree.views, tree.weight, *how)

    placed = in_threads(place_in, forest.trees, n_jobs)
    stop, start, row, part = zip(*placed, strict=True)
    first = np.cumsum([0, *map(len, stop)])
    entry = np.cumsum([0, *map(len, row)])
    rows = ForestRows(
        first=first,
        stop=np.concatenate([s + at for s, at in zip(stop, first, strict=False)]),
        start=np.append(
            np.concatenate([s[:-1] + at for s, at in zip(start, entry, strict=False)]), entry[-1]
        ),
        row=np.concatenate(row),
        part=np.concatenate(part),
    )
    return PlacedForest(forest, rows)
