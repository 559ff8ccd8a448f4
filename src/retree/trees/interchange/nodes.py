"""Trees as plain tuples, node after node: what is written into code of other languages."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree.trees.interchange.model import Model
from retree.trees.tree import CENTRES, OBLIQUE, Tree


class Threshold(NamedTuple):
    """The first branch if the column is at most the threshold."""

    column: int
    at_most: float


class Subset(NamedTuple):
    """The first branch if the level of the column is one of these."""

    column: int
    levels: tuple[int, ...]


class EachLevel(NamedTuple):
    """A branch for each level of the column."""

    column: int


class Oblique(NamedTuple):
    """The first branch if a weighted sum of columns, added in this order, is at most this."""

    terms: tuple[tuple[int, float], ...]
    at_most: float


class CentreColumn(NamedTuple):
    """A column in the distance from centres; a categorical one has a slot for each level."""

    column: int
    weight: float
    is_categorical: bool
    slot: int
    offset: float
    scale: float


class Nearest(NamedTuple):
    """The branch of the nearest centre; `gamma` is the part of the numeric columns."""

    metric: int
    gamma: float
    columns: tuple[CentreColumn, ...]
    centres: tuple[tuple[float, ...], ...]


Test = Threshold | Subset | EachLevel | Oblique | Nearest


class Node(NamedTuple):
    """A node of a tree."""

    value: tuple[float, ...]  # What it predicts if it is a leaf
    test: Test | None
    children: tuple[int, ...]
    # The part of a row that goes to each child if the tested value is missing; None for no part.
    parts: tuple[float | None, ...]


def nodes_of(model: Model) -> list[list[Node]]:
    """Return the nodes of each tree of a model."""
    pairs = zip(model.trees, model.values, strict=True)
    return [_nodes(tree, value, model.divide_missing) for tree, value in pairs]


def _nodes(tree: Tree, value: NDArray[np.float64], divide_missing: bool) -> list[Node]:
    found = []
    for i in range(tree.node_count):
        children = tree.children_of(i)
        test = None if tree.is_leaf[i] else tested_at(tree, i)
        parts = _parts(tree, i, children, divide_missing) if len(children) else ()
        found.append(Node(tuple(value[i].tolist()), test, tuple(children.tolist()), parts))
    return found


def _parts(
    tree: Tree, node: int, children: NDArray[np.int32], divide_missing: bool
) -> tuple[float | None, ...]:
    """Return where a row goes of which `node` tests a missing value."""
    weight = tree.weight[children]
    if divide_missing and tree.weight[node] > 0:
        parts = (tree.sent[children] / tree.weight[node]).tolist()
        return tuple(p if w > 0 else None for p, w in zip(parts, weight, strict=True))
    # All that is below a node without weight predicts the same.
    whole = 0 if divide_missing else int(weight.argmax())
    return tuple(1.0 if c == whole else None for c in range(len(children)))


def tested_at(tree: Tree, node: int) -> Test:
    """Return the test of a node that is no leaf."""
    tests, j = tree.tests, int(tree.feature[node])
    threshold = float(tests.threshold[node])
    if j == CENTRES:
        return _nearest(tree, node)
    if j == OBLIQUE:
        normal = tests.normals[node]
        return Oblique(tuple((int(k), float(normal[k])) for k in normal.nonzero()[0]), threshold)
    if not math.isnan(threshold):
        return Threshold(j, threshold)
    subset = int(tests.subset[node])
    return Subset(j, tuple(tests.left_levels.levels(subset))) if subset >= 0 else EachLevel(j)


def _nearest(tree: Tree, node: int) -> Nearest:
    centres: Any = tree.centres
    first, n = int(centres.first[node]), int(centres.n_centres[node])
    columns = tuple(
        CentreColumn(
            j,
            float(centres.weight[node, j]),
            bool(centres.nominal[j]),
            int(centres.start[j]),
            float(centres.offset[j]),
            float(centres.scale[j]),
        )
        for j in centres.weight[node].nonzero()[0].tolist()
    )
    positions = tuple(map(tuple, centres.position[first : first + n].tolist()))
    return Nearest(int(centres.metric[node]), float(centres.gamma[node]), columns, positions)
