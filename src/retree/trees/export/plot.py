"""Trees as pictures of Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import ArrayLike, NDArray

from retree.trees.export.describe import Names, Words
from retree.trees.export.layout import (
    BOX_PADDING,
    FONT_SIZE,
    LABEL_GAP,
    LINE,
    Layout,
    Texts,
    lay_out,
    needed_inches,
    text_height,
    write_boxes,
)
from retree.trees.export.pictures import fill_colors, picture_words
from retree.trees.tree import Levels, Tree

_LARGEST = np.array([50.0, 30.0])  # inches; larger trees get smaller letters


@dataclass(frozen=True)
class Pen:
    """What draws."""

    ax: Axes
    font_size: float
    unit: float  # The font size in units of the y axis

    def write(self, place: ArrayLike, text: str, align: str) -> None:
        """Write the answer to a test, its lower end at `place`."""
        x, y = np.asarray(place)
        self.ax.text(
            x, y, text, ha=align, va="bottom", fontsize=self.font_size, color="0.4",
            parse_math=False,
        )  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """A tree laid out, to be drawn on any axes."""

    tree: Tree
    layout: Layout
    texts: Texts
    # Width and height at which no two boxes overlap in letters of the usual size; shape (2,).
    inches: NDArray[np.float64]

    @classmethod
    def of(cls, words: Words, max_depth: int | None = None) -> Picture:
        """Return the picture of a tree down to `max_depth`."""
        layout = lay_out(words.tree, max_depth)
        texts = write_boxes(words, layout)
        return cls(words.tree, layout, texts, needed_inches(layout, texts))

    @property
    def figsize(self) -> tuple[float, float]:
        """Width and height of a figure for it alone, in inches."""
        width, height = np.minimum(self.inches, _LARGEST).tolist()
        return width, height

    def draw(self, ax: Axes) -> Axes:
        """Draw the picture, in smaller letters where `ax` has not enough room; return `ax`."""
        available = np.array(ax.get_window_extent().size) / ax.figure.dpi
        font_size = FONT_SIZE * min(1.0, *(available / self.inches))
        n_levels = 1 - np.nanmin(self.layout.y)
        pen = Pen(ax, font_size, font_size / 72 * n_levels / available[1])
        _draw_edges(self.tree, self.layout, self.texts, pen)
        _draw_boxes(self.tree, self.layout, self.texts, pen)
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
    """Draw a tree: rows that pass the test of a box go left, others right.

    Where a test has more than two branches, their labels stand above the children. A box shows the
    training rows of each class, or those of the majority class and of all; in a regression tree the
    rows and the standard deviation of their target. If rows were held out for pruning, the root
    says how many. Leaves have the colour of their majority class, or a darker one the greater their
    mean. Long names, lists of levels and sums are abbreviated.

    `ax`: where to draw; by default a new figure of pyplot, as large as the tree needs, which a
    notebook or ``plt.show()`` shows and ``ax.figure.savefig`` saves.
    `max_depth`: depth to draw down to; a node cut off there shows its prediction and "…".
    `levels`: names of the levels of each categorical feature; by default their numbers.
    """
    picture = Picture.of(picture_words(tree, feature_names, class_names, levels), max_depth)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=picture.figsize).add_axes((0.0, 0.0, 1.0, 1.0))
    return picture.draw(ax)


def _draw_edges(tree: Tree, layout: Layout, texts: Texts, pen: Pen) -> None:
    """Draw the lines between parents and children, and the answers that they stand for."""
    place = np.column_stack([layout.x, layout.y])
    lines: list[Any] = []
    for node in layout.nodes[~layout.ends[layout.nodes]].tolist():
        children = tree.children_of(node)
        if int(children[0]) in texts.above:
            paths = _lead_to_answers(place[children], children.tolist(), texts, pen)
        else:
            paths = place[children, None].tolist()
        lines += [[place[node], *path] for path in paths]
        if node == texts.first_binary:
            _tell_yes_and_no(place, node, children.tolist(), texts, pen)
    pen.ax.add_collection(
        LineCollection(lines, colors="0.6", linewidths=pen.font_size / 10, zorder=1)
    )


def _tell_yes_and_no(
    place: NDArray[np.float64], node: int, children: list[int], texts: Texts, pen: Pen
) -> None:
    """Write on the two lines from a node to its children, half way between the boxes."""
    for child, answer, side in zip(children, (" yes ", " no "), ("right", "left"), strict=True):
        line = place[child] - place[node]
        taller = _half_height(texts, node, pen) - _half_height(texts, child, pen)
        pen.write(place[node] + line * (1 - taller / line[1]) / 2, answer, side)


def _lead_to_answers(
    places: NDArray[np.float64], children: list[int], texts: Texts, pen: Pen
) -> list[list[tuple[float, float]]]:
    """Write the answers above some children; return the points of the lines that end there."""
    tops = []
    for (x, y), child in zip(places, children, strict=True):
        bottom = y + _half_height(texts, child, pen) + pen.unit * LABEL_GAP
        tops.append(bottom + pen.unit * LINE * len(texts.above[child]))
        pen.write((x, bottom), "\n".join(texts.above[child]), "center")
    # Lines fan out above all answers and come down on them, so that none crosses another answer.
    bend = max(tops)
    return [[(x, bend), (x, top)] for (x, _), top in zip(places, tops, strict=True)]


def _half_height(texts: Texts, node: int, pen: Pen) -> float:
    """Return half the height of a box in units of the y axis."""
    return pen.unit * text_height([texts.boxes[node]]) / 2


def _draw_boxes(tree: Tree, layout: Layout, texts: Texts, pen: Pen) -> None:
    """Draw the nodes."""
    colours = fill_colors(tree, layout.ends)
    for node, lines in texts.boxes.items():
        pen.ax.text(
            layout.x[node],
            layout.y[node],
            "\n".join(lines),
            ha="center",
            va="center",
            fontsize=pen.font_size,
            parse_math=False,  # a name is no formula, whatever signs are in it
            bbox={
                "boxstyle": f"round,pad={BOX_PADDING}",
                "facecolor": colours[node],
                "edgecolor": "0.4",
                "linewidth": pen.font_size / 12,
            },
            zorder=2,
        )
