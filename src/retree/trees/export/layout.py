"""Where the boxes of a picture stand, what is in them, and how much room they need."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retree.trees.export.describe import Words
from retree.trees.export.pictures import box_lines, branch_labels, drawn_nodes
from retree.trees.tree import Tree

FONT_SIZE = 8.0  # points
# Lengths in units of the font size.
LINE = 1.2
BOX_PADDING = 0.4
_LEVEL_GAP = 2.3  # between the boxes of neighbouring levels
LABEL_GAP = 0.3  # around what stands above a box
_SIDE_GAP = 1.8  # between neighbouring boxes, of which each side has its padding
_CAPITAL, _CHARACTER = 0.8, 0.62  # widths


@dataclass(frozen=True)
class Layout:
    """Where the drawn nodes stand."""

    nodes: NDArray[np.int64]  # Numbers of the nodes that are drawn; shape (n_drawn,)
    ends: NDArray[np.bool_]  # Drawn nodes below which nothing is drawn; shape (node_count,)
    # Centre of each node: ends at 0, 1, 2, ... from the left, parents above the middle of their
    # children, ``y`` being minus the depth. NaN where not drawn; shape (node_count,).
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True)
class Texts:
    """What stands in the picture."""

    boxes: dict[int, list[str]]  # Lines in the box of each drawn node
    # Lines above the box of a node: the answer that leads to it, where there are not just two.
    above: dict[int, list[str]]
    first_binary: int | None  # The node whose branches are labelled yes and no


def lay_out(tree: Tree, max_depth: int | None = None) -> Layout:
    """Return the places of the nodes down to `max_depth`."""
    nodes, ends = drawn_nodes(tree, max_depth)
    x, y = np.full((2, tree.node_count), np.nan)
    y[nodes] = -tree.depths[nodes]
    # Nodes are numbered depth first, so ends are numbered from left to right ...
    x[ends] = np.arange(ends.sum())
    # ... and children come after their parents.
    for node in nodes[::-1]:
        if not ends[node]:
            x[node] = x[tree.children_of(node)].mean()
    return Layout(nodes, ends, x, y)


def write_boxes(words: Words, layout: Layout) -> Texts:
    """Return what stands in the boxes of the drawn nodes, and above them."""
    tree = words.tree
    boxes = {i: box_lines(words, i, layout.ends[i]) for i in layout.nodes.tolist()}
    above: dict[int, list[str]] = {}
    first_binary = None
    for node in layout.nodes[~layout.ends[layout.nodes]].tolist():
        if not words.is_binary(node):
            children = tree.children_of(node).tolist()
            above |= zip(children, branch_labels(words, node), strict=True)
        elif first_binary is None:
            first_binary = node
    return Texts(boxes, above, first_binary)


def needed_inches(layout: Layout, texts: Texts) -> NDArray[np.float64]:
    """Return width and height at which no two boxes overlap."""
    width = {True: 0.0, False: 0.0}
    for node, lines in texts.boxes.items():
        end = bool(layout.ends[node])
        width[end] = max(width[end], _width(lines), _width(texts.above.get(node, [])))
    # Neighbours on a level are at least 1 apart (two ends), 1.5 (end and parent) or 2 (parents).
    cell = max(width[True], (width[True] + width[False]) / 3, width[False] / 2)
    n_ends, n_levels = layout.ends.sum(), 1 - np.nanmin(layout.y)
    level = text_height(texts.boxes.values()) + text_height(texts.above.values()) + _LEVEL_GAP
    return np.array([max(n_ends * cell, width[False]), n_levels * level]) * FONT_SIZE / 72


def _width(lines: Iterable[str]) -> float:
    """Return the width that lines need, in units of the font size."""
    return _SIDE_GAP + max((sum(map(_character_width, line)) for line in lines), default=0.0)


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return _CAPITAL if character.isupper() else _CHARACTER


def text_height(texts: Iterable[Sequence[str]]) -> float:
    """Return the height of the highest of some texts, in units of the font size."""
    highest = max(map(len, texts), default=0)
    return highest * LINE + 2 * BOX_PADDING if highest else 0.0
