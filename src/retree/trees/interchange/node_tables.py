"""Trees as tables of numbers: what leads from node to node, and what the leaves predict.

Every test is about one number: a column, the position of a level, a weighted sum, or the nearest
centre. So each branch is an interval, (low, high]. A row that lacks the number takes edges without
an interval, several of them where the node divides such rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from retree.trees.interchange.nodes import Nearest, Node, Oblique, Subset, Threshold


class Edge(NamedTuple):
    """What leads from a node to a child."""

    node: int
    source: int  # Position of the tested number in `sources_of`
    low: float | None  # Of the numbers that go there, if any do; `low` is None if there is no limit
    high: float | None
    child: int
    part: float | None = None  # Of a row that lacks the number, if any goes there
    # The node and the number of the branch, if other parts of the row go to other branches.
    divider: int | None = None
    place: int | None = None


# No node has it; it says of what types the columns are.
NO_EDGE = Edge(-1, 0, 0.0, 0.0, -1, 1.0, -1, 0)


def sources_of(trees: list[list[Node]], n_columns: int) -> list[str]:
    """Return the names of the numbers that are tested: columns, weighted sums and centres."""
    made = [_name(t, i, n) for t, nodes in enumerate(trees) for i, n in enumerate(nodes)
            if isinstance(n.test, Oblique | Nearest)]  # fmt: skip
    return [f"c{column}" for column in range(n_columns)] + made


def firsts_of(trees: list[list[Node]]) -> list[int]:
    """Return the number of the root of each tree, where nodes are numbered through all trees."""
    return [sum(map(len, trees[:t])) for t in range(len(trees))]


def leaves_of(trees: list[list[Node]]) -> Iterator[tuple[int | float, ...]]:
    """Yield the number of each leaf with its values."""
    nodes = (node for own in trees for node in own)
    for number, node in enumerate(nodes):
        if node.test is None:
            yield number, *map(float, node.value)


def edges_of(trees: list[list[Node]], n_levels: Sequence[int | None]) -> Iterator[Edge]:
    """Yield the edges of all trees."""
    numbers = {name: number for number, name in enumerate(sources_of(trees, len(n_levels)))}
    for t, (first, nodes) in enumerate(zip(firsts_of(trees), trees, strict=True)):
        for i, node in enumerate(nodes):
            if node.test is not None:
                yield from _edges(node, first, first + i, numbers[_name(t, i, node)], n_levels)


def _edges(
    node: Node, first: int, number: int, source: int, n_levels: Sequence[int | None]
) -> Iterator[Edge]:
    for low, high, branch in _intervals(node, n_levels):
        yield Edge(number, source, low, high, first + node.children[branch])
    for place, (child, part) in enumerate(zip(node.children, node.parts, strict=True)):
        if part is not None:
            own = (number, place) if divides(node) else (None, None)
            yield Edge(number, source, None, None, first + child, part, *own)


def most_divisions(nodes: list[Node]) -> int:
    """Return how often a row can be divided on the way to a leaf."""
    above = [0] * len(nodes)  # a parent stands before its children
    for i, node in enumerate(nodes):
        for child in node.children:
            above[child] = above[i] + divides(node)
    return max(above)


def divides(node: Node) -> bool:
    """Whether a row without the tested number goes to several branches."""
    return sum(part is not None for part in node.parts) > 1


def _name(t: int, i: int, node: Node) -> str:
    """Return the name of what a node tests."""
    match node.test:
        case None | Oblique() | Nearest():
            return f"s{t}_{i}"
        case test:
            return f"c{test.column}"


def _intervals(
    node: Node, n_levels: Sequence[int | None]
) -> Iterator[tuple[float | None, float, int]]:
    """Yield the numbers that take a branch, as (low, high], and the branch."""
    match node.test:
        case Threshold(_, at_most) | Oblique(_, at_most):
            yield None, at_most, 0
            yield at_most, math.inf, 1
            return
        case Subset(column, levels):
            inside = set(levels)
            branches = [int(level not in inside) for level in range(n_levels[column] or 0)]
        case _:
            branches = list(range(len(node.children)))
    # Levels that stand side by side are one interval: deep in a tree, most take the same branch.
    for branch, run in groupby(range(len(branches)), branches.__getitem__):
        values = list(run)
        yield values[0] - 0.5, values[-1] + 0.5, branch
