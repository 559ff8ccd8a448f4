"""Trees with two branches at every test, each a threshold: what scikit-learn's trees know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from retree.trees.interchange.nodes import EachLevel, Subset, Threshold, tested_at
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


def binary_tree(tree: Tree, n_levels: Sequence[int | None]) -> BinaryTree:
    """Return a tree whose tests of levels are thresholds between the numbers of the levels.

    A test with a branch for each level becomes tests between neighbouring levels, as does one for a
    subset, of which each run of levels gets a copy of what is below it.
    """
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
    test, half = tested_at(tree, parent), len(runs) // 2
    sides = runs[:half], runs[half:]
    made.column[place] = int(tree.feature[parent])
    made.threshold[place] = test.at_most if isinstance(test, Threshold) else sides[0][-1][0] + 0.5
    heaviest = _heaviest(tree, parent)
    made.missing_left[place] = any(child == heaviest for _, child, _ in sides[0])
    numbers = []
    for side in sides:
        weight = part * sum(share * float(tree.weight[child]) for _, child, share in side)
        numbers.append(made.add(weight))
    made.left[place], made.right[place] = numbers
    return [(n, side, parent, part) for n, side in zip(numbers, sides, strict=True)]


def _runs(tree: Tree, node: int, n_levels: Sequence[int | None]) -> Runs:
    """Return the runs of levels of the tested column that take the same branch; none at a leaf."""
    if tree.feature[node] == LEAF:
        return []
    test, children = tested_at(tree, node), tree.children_of(node).tolist()
    if isinstance(test, Threshold | EachLevel):
        return [(k, child, 1.0) for k, child in enumerate(children)]
    if not isinstance(test, Subset):
        raise ValueError(
            "scikit-learn's trees compare one feature with a threshold, and this tree tests "
            "weighted sums or centres: use export_python, export_c or export_sql."
        )
    sides = [children[level not in test.levels] for level in range(n_levels[test.column] or 0)]
    ends = [k for k in range(len(sides)) if sides[k + 1 : k + 2] != [sides[k]]]
    copies = [sides[k] for k in ends]
    runs = [(k, sides[k], 1.0 / copies.count(sides[k])) for k in ends]
    heaviest = _heaviest(tree, node)
    # Of a branch that no level takes, missing values may still take it.
    return runs if heaviest in copies else [(-1, heaviest, 1.0), *runs]


def _heaviest(tree: Tree, node: int) -> int:
    """Return the child of greatest weight, which missing values take."""
    children = tree.children_of(node)
    return int(children[tree.weight[children].argmax()])
