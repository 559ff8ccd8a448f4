"""Trees on a plane, cut at several depths."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree.trees.tree import LEAF, Tree
from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.storing.results import StoredCells
from retree_lab.reports.context import Context
from retree_lab.reports.figures import (
    COLOURS,
    MARKERS,
    conclude,
    draw_classes,
    legend_below,
    new_figure,
)
from retree_lab.reports.formatting import percent
from retree_lab.reports.kinds import Kind, refuse_several

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The share of right rows from which a tree is said to solve the problem.
SOLVED = 0.99
PANEL_HEIGHT = 0.9  # inches, with its title
SHADE = 0.15
CUT: dict[str, Any] = {"color": "black", "linewidth": 0.8}


@dataclass(frozen=True)
class Box:
    """The rectangle of the plane that a node is responsible for."""

    node: int
    low: tuple[float, float]  # Lower left and upper right corner
    high: tuple[float, float]


@dataclass(frozen=True)
class Points:
    """The rows of a data set of two features."""

    X: NDArray[np.float64]  # Shape (n_samples, 2)
    codes: NDArray[np.intp]  # Class codes, in the sorted order of the classes; shape (n_samples,)
    names: list[str]
    classes: list[str]  # Names of the classes, by their codes

    def frame(self) -> Box:
        """Return the root's box: the range of the points and a margin of 6 %."""
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        margin = 0.06 * (high - low)
        (x0, y0), (x1, y1) = (low - margin).tolist(), (high + margin).tolist()
        return Box(0, (x0, y0), (x1, y1))


@dataclass(frozen=True, kw_only=True)
class DecisionRegions(Kind[None]):
    """A column for each method, a row for each varied point, on one data set of two features."""

    chooses = False

    def check(self, item: Item) -> None:
        """Refuse an item of more than one data set."""
        refuse_several(item, "draws")

    def check_data(self, item: Item, shapes: Mapping[str, tuple[int, int]]) -> None:
        """Refuse a data set of other than two features."""
        for name, (_, width) in shapes.items():
            if width != 2:
                raise RetreeError(
                    f"{name} has {width} features; decision regions need a data set of two."
                )

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        points = _points(context.experiment, context.item.datasets[0])
        yield "", _figure(context, points)


def _figure(context: Context, points: Points) -> Figure:
    frame, methods = context.frame, context.item.methods
    rows = list(frame.sort_values("point")["params"].unique())
    figure = new_figure(PANEL_HEIGHT * len(rows) + 0.9)
    grid = figure.subplots(len(rows), len(methods), sharex=True, sharey=True, squeeze=False)
    for (r, c), axes in np.ndenumerate(grid):
        cell = frame[(frame["method"] == methods[c].key) & (frame["params"] == rows[r])]
        _draw_panel(axes, cell, points, context.stored)
    names = _columns([method.name for method in methods])
    for axes, name in zip(grid[0], names, strict=True):
        axes.set_title(f"{name}\n{axes.get_title()}")
    for axes, params in zip(grid[:, 0], rows, strict=True):
        words = params.strip("{}").replace('"', "").replace("max_depth", "depth")
        axes.set_ylabel(f"{words.replace(': ', ' ')}\n{points.names[1]}")
    for axes in grid[-1]:
        axes.set_xlabel(points.names[0])
    legend_below(figure, _handles(points), ncols=2)
    return conclude(figure, *_words(frame, methods))


def _words(frame: pd.DataFrame, methods: Sequence[Method]) -> tuple[str, str]:
    """Return which methods solve the problem in how many splits, and all shares of right rows."""
    solved, sentences = dict[str, int](), dict[str, str]()
    for method in methods:
        points = frame[frame["method"] == method.key].sort_values("point").dropna(subset="accuracy")
        if len(points):
            sentences[method.name] = ", ".join(percent(share) for share in points["accuracy"])
        if len(right := points[points["accuracy"] >= SOLVED]):
            solved[method.name] = int(right["leaves"].min()) - 1
    seen = "; ".join(f"{name} {shares}" for name, shares in sentences.items())
    words = f"% of rows classified correctly, from the first row of panels to the last: {seen}"
    if len(sentences) < 2:
        return "Decision regions", words
    others = " and ".join(name for name in sentences if name not in solved)
    most = int(frame["leaves"].max()) - 1
    by_splits: dict[int, list[str]] = {}
    for name, n in solved.items():
        by_splits.setdefault(n, []).append(name)
    solved_in = "; ".join(f"{' and '.join(names)} in {n} splits" for n, names in by_splits.items())
    said = [f"Solved by {solved_in}"] if solved else []
    said += [f"not by {others} in up to {most}"] if others else []
    return "; ".join(said), words


def _columns(names: Sequence[str]) -> list[str]:
    """Return the names of methods, broken to fit on a panel and all of the same height."""
    lines = [textwrap.wrap(name.replace("+", " + "), 11) for name in names]
    most = max(map(len, lines))
    return ["\n".join([*column, *[""] * (most - len(column))]) for column in lines]


def _handles(points: Points) -> list[Artist]:
    """Return the entries of the legend, each with its meaning."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = []
    for code, label in enumerate(points.classes):
        colour = COLOURS[code]
        mark = Line2D([], [], color=colour, marker=MARKERS[code], linestyle="none")
        mark.set(markerfacecolor="none", label=f"row of class {label}")
        shade = Patch(color=colour, alpha=SHADE, linewidth=0, label=f"predicted class {label}")
        handles += [mark, shade]
    return [*handles, Line2D([], [], label="threshold of a split", **CUT)]


def node_boxes(tree: Tree, root: Box) -> Iterator[Box]:
    """Yield the box of every node of `tree`, parents first, inside the box `root`."""
    todo = [root]
    while todo:
        box = todo.pop()
        yield box
        if tree.feature[box.node] != LEAF:
            feature, cut = int(tree.feature[box.node]), _cut(tree, box)
            left, right = (int(child) for child in tree.children_of(box.node))
            todo.append(Box(right, _moved(box.low, feature, cut), box.high))
            todo.append(Box(left, box.low, _moved(box.high, feature, cut)))


def cut_line(tree: Tree, box: Box) -> tuple[list[float], list[float]]:
    """Return the x and the y coordinates of the two ends of a node's cut, inside its box."""
    cut = _cut(tree, box)
    if tree.feature[box.node] == 0:
        return [cut, cut], [box.low[1], box.high[1]]
    return [box.low[0], box.high[0]], [cut, cut]


def _points(experiment: Experiment, name: str) -> Points:
    dataset = load_dataset(name, sources=experiment.sources)
    classes, codes = np.unique(dataset.y.to_numpy(dtype=str), return_inverse=True)
    names = [str(column) for column in dataset.X]
    return Points(dataset.X.to_numpy(), codes, names, classes.tolist())


def _draw_panel(axes: Axes, cell: pd.DataFrame, points: Points, stored: StoredCells) -> None:
    from matplotlib.patches import Rectangle

    root = points.frame()
    axes.set(xlim=(root.low[0], root.high[0]), ylim=(root.low[1], root.high[1]))
    axes.set(xticks=[], yticks=[])
    if cell.empty or cell["status"].iloc[0] != "done":
        reason = "no cell" if cell.empty else cell["status"].iloc[0]
        axes.set_title(reason)
        return
    tree = stored.tree(cell["key"].iloc[0])
    n_splits = tree.node_count - tree.n_leaves
    correct = f"{100 * cell['accuracy'].iloc[0]:.1f}".removesuffix(".0") + " %"
    axes.set_title(f"{n_splits} split{'s' * (n_splits != 1)}, {correct}")
    draw_classes(axes, points.X, points.codes, size=1.3)
    for box in node_boxes(tree, root):
        if tree.feature[box.node] == LEAF:
            colour = COLOURS[int(tree.counts[box.node].argmax())]
            width, height = np.subtract(box.high, box.low)
            axes.add_patch(Rectangle(box.low, width, height, color=colour, alpha=SHADE, lw=0))
        else:
            axes.plot(*cut_line(tree, box), zorder=3, **CUT)


def _cut(tree: Tree, box: Box) -> float:
    """Return a node's threshold, moved to the border where it lies outside of the box."""
    feature = int(tree.feature[box.node])
    return float(np.clip(tree.threshold[box.node], box.low[feature], box.high[feature]))


def _moved(corner: tuple[float, float], feature: int, cut: float) -> tuple[float, float]:
    return (cut, corner[1]) if feature == 0 else (corner[0], cut)
