"""Trees as Matplotlib pictures: layout, drawing, and SVG for notebooks."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from retree.trees.export.describe import Names, Words
from retree.trees.export.pictures import (
    box_lines,
    branch_labels,
    drawn_nodes,
    fill_colors,
    picture_words,
)
from retree.trees.tree import Levels, Tree

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
    """The places of the drawn nodes."""

    nodes: NDArray[np.int64]  # Numbers of the nodes that are drawn; shape (n_drawn,)
    ends: NDArray[np.bool_]  # Drawn nodes below which nothing is drawn; shape (node_count,)
    # Centre of each node: ends at 0, 1, 2, ... from the left, parents above the middle of their
    # children, ``y`` being minus the depth. NaN where not drawn; shape (node_count,).
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def inner(self) -> list[int]:
        """The drawn nodes that have drawn children."""
        tests: list[int] = self.nodes[~self.ends[self.nodes]].tolist()
        return tests


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


def _width(lines: Iterable[str]) -> float:
    """Return the width of lines of text, in units of the font size."""
    return _SIDE_GAP + max((sum(map(_character_width, line)) for line in lines), default=0.0)


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return _CAPITAL if character.isupper() else _CHARACTER


def text_height(texts: Iterable[Sequence[str]]) -> float:
    """Return the height of the tallest text, in units of the font size."""
    highest = max(map(len, texts), default=0)
    return highest * LINE + 2 * BOX_PADDING if highest else 0.0


_LARGEST = np.array([50.0, 30.0])  # inches; larger trees get smaller letters


@dataclass(frozen=True)
class Pen:
    """An axes to write on, with a font size."""

    ax: Axes
    font_size: float
    unit: float  # The font size in units of the y axis

    def write(self, place: ArrayLike, text: str, align: str) -> None:
        """Write the outcome of a test, its lower end at `place`."""
        x, y = np.asarray(place)
        self.ax.text(
            x, y, text, ha=align, va="bottom", fontsize=self.font_size, color="0.4",
            parse_math=False,
        )  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """The layout of a tree, which can be drawn on any axes."""

    tree: Tree
    layout: Layout
    boxes: dict[int, list[str]]  # Lines in the box of each drawn node
    # Lines above the box of a node: the answer that leads to it, where there are not just two.
    above: dict[int, list[str]]
    first_binary: int | None  # The node whose branches are labelled yes and no

    @classmethod
    def of(cls, words: Words, max_depth: int | None = None) -> Picture:
        """Lay out a tree down to `max_depth`."""
        tree, layout = words.tree, lay_out(words.tree, max_depth)
        boxes = {i: box_lines(words, i, layout.ends[i]) for i in layout.nodes.tolist()}
        above: dict[int, list[str]] = {}
        for node in layout.inner:
            if not words.is_binary(node):
                above |= zip(
                    tree.children_of(node).tolist(), branch_labels(words, node), strict=True
                )
        first_binary = next(filter(words.is_binary, layout.inner), None)
        return cls(tree, layout, boxes, above, first_binary)

    @cached_property
    def inches(self) -> NDArray[np.float64]:
        """Width and height at which no boxes overlap at the default font size."""
        width = {True: 0.0, False: 0.0}
        for node, lines in self.boxes.items():
            end = bool(self.layout.ends[node])
            width[end] = max(width[end], _width(lines), _width(self.above.get(node, [])))
        # Neighbours are at least 1 apart (two ends), 1.5 (end and parent) or 2 (parents).
        cell = max(width[True], (width[True] + width[False]) / 3, width[False] / 2)
        n_ends, n_levels = self.layout.ends.sum(), 1 - np.nanmin(self.layout.y)
        level = text_height(self.boxes.values()) + text_height(self.above.values()) + _LEVEL_GAP
        return np.array([max(n_ends * cell, width[False]), n_levels * level]) * FONT_SIZE / 72

    @property
    def figsize(self) -> tuple[float, float]:
        """Width and height, in inches, of a figure that holds only this picture."""
        width, height = np.minimum(self.inches, _LARGEST).tolist()
        return width, height

    def draw(self, ax: Axes) -> Axes:
        """Draw the picture, with a smaller font if `ax` has too little room; return `ax`."""
        available = np.array(ax.get_window_extent().size) / ax.figure.dpi
        font_size = FONT_SIZE * min(1.0, *(available / self.inches))
        n_levels = 1 - np.nanmin(self.layout.y)
        pen = Pen(ax, font_size, font_size / 72 * n_levels / available[1])
        _draw_edges(self, pen)
        _draw_boxes(self, pen)
        ax.set_axis_off()
        ax.set_xlim(-0.5, self.layout.ends.sum() - 0.5)
        ax.set_ylim(0.5 - n_levels, 0.5)
        return ax


def plot_tree(
    tree: Tree,
    feature_names: Sequence[str],
    class_names: Names | None = None,
    *,
    ax: Axes | None = None,
    max_depth: int | None = None,
    levels: Levels | None = None,
) -> Axes:
    """Draw a tree: rows that pass the test in a box go left, all others right.

    If a test has more than two branches, their labels are above the children. A box shows the
    number of training rows of each class, or of the majority class and of all classes; in a
    regression tree the number of rows and the standard deviation of their target. If rows were held
    out for pruning, the root says how many. Leaves are coloured by their majority class, or darker
    the greater their mean. Long names, lists of levels and sums are abbreviated.

    `ax`: where to draw. By default a new pyplot figure as large as the tree needs, which a notebook
    or ``plt.show()`` shows and ``ax.figure.savefig`` saves.
    `max_depth`: maximum depth to draw; a node cut off there shows its prediction and "…".
    `levels`: names of the levels of each categorical feature; by default their numbers.
    """
    picture = Picture.of(picture_words(tree, feature_names, class_names, levels), max_depth)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=picture.figsize).add_axes((0.0, 0.0, 1.0, 1.0))
    return picture.draw(ax)


def _draw_edges(picture: Picture, pen: Pen) -> None:
    """Draw the lines between parents and children, with the outcomes that they stand for."""
    place = np.column_stack([picture.layout.x, picture.layout.y])
    lines: list[Any] = []
    for node in picture.layout.inner:
        children = picture.tree.children_of(node)
        if int(children[0]) in picture.above:
            paths = _lead_to_answers(place[children], children.tolist(), picture, pen)
        else:
            paths = place[children, None].tolist()
        lines += [[place[node], *path] for path in paths]
        if node == picture.first_binary:
            _tell_yes_and_no(place, node, children.tolist(), picture, pen)
    pen.ax.add_collection(
        LineCollection(lines, colors="0.6", linewidths=pen.font_size / 10, zorder=1)
    )


def _tell_yes_and_no(
    place: NDArray[np.float64], node: int, children: list[int], picture: Picture, pen: Pen
) -> None:
    """Label the two lines from a node to its children, halfway between the boxes."""
    for child, answer, side in zip(children, (" yes ", " no "), ("right", "left"), strict=True):
        line = place[child] - place[node]
        taller = _half_height(picture, node, pen) - _half_height(picture, child, pen)
        pen.write(place[node] + line * (1 - taller / line[1]) / 2, answer, side)


def _lead_to_answers(
    places: NDArray[np.float64], children: list[int], picture: Picture, pen: Pen
) -> list[list[tuple[float, float]]]:
    """Label some children above their boxes; return the points of the lines that end there."""
    tops = []
    for (x, y), child in zip(places, children, strict=True):
        bottom = y + _half_height(picture, child, pen) + pen.unit * LABEL_GAP
        tops.append(bottom + pen.unit * LINE * len(picture.above[child]))
        pen.write((x, bottom), "\n".join(picture.above[child]), "center")
    # Lines fan out above all answers and come down on them, so that none crosses another answer.
    bend = max(tops)
    return [[(x, bend), (x, top)] for (x, _), top in zip(places, tops, strict=True)]


def _half_height(picture: Picture, node: int, pen: Pen) -> float:
    """Return half the height of a box, in units of the y axis."""
    return pen.unit * text_height([picture.boxes[node]]) / 2


def _draw_boxes(picture: Picture, pen: Pen) -> None:
    """Draw the nodes."""
    layout, colours = picture.layout, fill_colors(picture.tree, picture.layout.ends)
    for node, lines in picture.boxes.items():
        pen.ax.text(
            layout.x[node],
            layout.y[node],
            "\n".join(lines),
            ha="center",
            va="center",
            fontsize=pen.font_size,
            color="#111111",  # black takes the colour of text, which is light on dark pages
            parse_math=False,  # a name is no formula, whatever signs are in it
            bbox={
                "boxstyle": f"round,pad={BOX_PADDING}",
                "facecolor": colours[node],
                "edgecolor": "0.4",
                "linewidth": pen.font_size / 12,
            },
            zorder=2,
        )


_MOST_ENDS = 20  # boxes side by side that are still legible in a notebook
_MOST_BRANCHES = 100  # of the root, below which nothing is drawn if it has more
_STYLE = 'role="img" aria-label="Decision tree" style="max-width: 100%; height: auto"'


def tree_svg(
    tree: Tree, feature_names: Any, class_names: Any = None, levels: Levels | None = None
) -> str:
    """Return a drawing of a tree, down to a depth with about 20 boxes side by side.

    Returns an ``<svg>`` element, always with the same text for the same tree. Nodes cut off show
    "…".
    """
    words = picture_words(tree, feature_names, class_names, levels)
    picture = Picture.of(words, _legible_depth(tree))
    figure, buffer = Figure(figsize=picture.figsize), io.StringIO()
    picture.draw(axes := figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    for lines in axes.collections:
        lines.set_clip_on(False)  # the name of a clip follows the version of numpy
    with rc_context({"svg.hashsalt": "retree", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :].replace("<svg", f"<svg {_STYLE}", 1)


def _legible_depth(tree: Tree) -> int:
    """Return the maximum depth without too many boxes side by side.

    The root may have more branches, up to a limit.
    """
    if len(tree.children_of(0)) > _MOST_BRANCHES:
        return 0
    for depth in range(2, tree.max_depth + 1):
        if np.count_nonzero(drawn_nodes(tree, depth)[1]) > _MOST_ENDS:
            return depth - 1
    return max(tree.max_depth, 1)
