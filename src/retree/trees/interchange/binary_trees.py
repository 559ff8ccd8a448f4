"""Trees whose tests all compare a number with a threshold, as most other programs know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from retree.arithmetic import running_sum
from retree.trees.interchange.model import Model
from retree.trees.tree import LEAF, Tree

_MOST_NODES = 100_000

# The last level of a run of levels, the child that it goes to, and its share of that child's rows.
Runs = list[tuple[int, int, float]]


@dataclass
class BinaryTree:
    """Nodes depth first; the left branch is taken if the column is at most the threshold."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    # Whether a row without a value goes left: to where the heaviest branch is.
    missing_left: list[bool] = field(default_factory=list)
    # Node of the tree that a node stands for, of which there may be several copies; -1 of a test
    # between the branches of one.
    source: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)  # Training rows, or their weights

    def add(self, weight: float = 0.0) -> int:
        """Add a leaf and return its number."""
        if len(self.left) == _MOST_NODES:
            raise ValueError(
                f"The tree would need more than {_MOST_NODES:,} nodes, since each run of "
                "neighbouring levels gets a copy of what is below a test for a subset of them. Fit "
                "with max_depth, prune the tree, or fit CodedCartClassifier, which tests numbers."
            )
        new = (-1, -1, -1, np.nan, False, -1, weight)
        for values, value in zip(vars(self).values(), new, strict=True):
            values.append(value)
        return len(self.left) - 1


def binary_tree(model: Model, number: int) -> BinaryTree:
    """Return a tree of a model with thresholds between the numbers of levels for tests of these.

    A test with a branch for each level becomes tests between neighbouring levels, as does one for a
    subset, of which each run of levels gets a copy of what is below it.
    """
    tree = model.trees[number]
    of_features = [0 if levels is None else len(levels) for levels in model.levels]
    n_levels = [of_features[j] if level is None else 0 for j, level in model.columns]
    made = BinaryTree()
    # A node to fill, the runs of levels that go there, the test above them, and the part of the
    # rows of each child that go there.
    pending: list[tuple[int, Runs, int, float]] = [(made.add(), [(0, 0, 1.0)], 0, 1.0)]
    while pending:
        place, runs, parent, part = pending.pop()
        if len(runs) == 1:
            _, node, share = runs[0]
            parent, part = node, part * share
            made.source[place], made.weight[place] = node, part * float(tree.weight[node])
            runs = _runs(tree, node, n_levels)
            if not runs:
                continue
            if len(runs) == 1:
                pending.append((place, runs, parent, part))
                continue
        pending += _split(made, place, runs, tree, parent, part)
    return made


def _split(
    made: BinaryTree, place: int, runs: Runs, tree: Tree, parent: int, part: float
) -> list[tuple[int, Runs, int, float]]:
    """Make `place` a test of the column of `parent` between two of the runs."""
    sides, at_most = (runs[: len(runs) // 2], runs[len(runs) // 2 :]), float(tree.threshold[parent])
    made.column[place] = int(tree.feature[parent])
    made.threshold[place] = sides[0][-1][0] + 0.5 if np.isnan(at_most) else at_most
    heaviest = _heaviest(tree, parent)
    made.missing_left[place] = any(child == heaviest for _, child, _ in sides[0])
    numbers = []
    for side in sides:
        weights = [share * float(tree.weight[child]) for _, child, share in side]
        weight = part * running_sum(weights)
        numbers.append(made.add(weight))
    made.left[place], made.right[place] = numbers
    return [(n, side, parent, part) for n, side in zip(numbers, sides, strict=True)]


def _runs(tree: Tree, node: int, n_levels: Sequence[int]) -> Runs:
    """Return the runs of levels of the tested column that take the same branch; none at a leaf."""
    if tree.feature[node] == LEAF:
        return []
    column, subset = int(tree.feature[node]), int(tree.tests.subset[node])
    if tree.missing_branch is not None and tree.missing_branch[node]:
        raise ValueError(
            "What reads this has no third branch for missing values: keep the tree with to_json."
        )
    children = tree.children_of(node).tolist()
    if subset < 0:
        return [(k, child, 1.0) for k, child in enumerate(children)]
    left = set(tree.tests.left_levels.levels(subset))
    sides = [children[level not in left] for level in range(n_levels[column])]
    ends = [k for k in range(len(sides)) if sides[k + 1 : k + 2] != [sides[k]]]
    copies = [sides[k] for k in ends]
    runs = [(k, sides[k], 1.0 / copies.count(sides[k])) for k in ends]
    heaviest = _heaviest(tree, node)
    # Of a branch that no level takes, missing values may still take it.
    return runs if heaviest in copies else [(-1, heaviest, 1.0), *runs]


def _heaviest(tree: Tree, node: int) -> int:
    """Return the heaviest child, which missing values take."""
    children = tree.children_of(node)
    return int(children[tree.weight[children].argmax()])
