"""Trees as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from retree.trees.text import (
    Names,
    check_names,
    describe_outcome,
    describe_tested,
    format_number,
)
from retree.trees.tree import Levels, Tree

_DECIMALS = 3
_MOST_COUNTS = 4  # classes up to which a box lists all counts
_FONT_SIZE = 8.0  # points
_CHARACTER = 0.62  # width of a character in units of the font size
_LEVEL = 5.5  # height of a level in units of the font size
_PADDING = 3  # characters between neighbouring boxes
_TINT = 0.25  # share of the class colour in the ground of a leaf
_LARGEST = np.array([50.0, 30.0])  # inches; larger trees get smaller letters


@dataclass(frozen=True)
class Layout:
    """Where the drawn nodes stand.

    Attributes
    ----------
    nodes : ndarray of shape (n_drawn,)
        Numbers of the nodes that are drawn.
    ends : ndarray of shape (node_count,), bool
        Drawn nodes below which nothing is drawn.
    x, y : ndarray of shape (node_count,)
        Centre of each node: ends at 0, 1, 2, ... from the left, parents above the middle of their
        children, ``y`` being minus the depth. NaN where not drawn.
    """

    nodes: NDArray[np.int64]
    ends: NDArray[np.bool_]
    x: NDArray[np.float64]
    y: NDArray[np.float64]


def lay_out(tree: Tree, max_depth: int | None = None) -> Layout:
    """Return the places of the nodes down to `max_depth`."""
    depths = tree.depths
    deepest = tree.max_depth if max_depth is None else max_depth
    nodes = np.flatnonzero(depths <= deepest)
    ends = (depths <= deepest) & (tree.is_leaf | (depths == deepest))
    x = np.full(tree.node_count, np.nan)
    # Nodes are numbered depth first, so ends are numbered from left to right ...
    x[ends] = np.arange(ends.sum())
    # ... and children come after their parents.
    for node in nodes[::-1]:
        if not ends[node]:
            x[node] = x[tree.children_of(node)].mean()
    return Layout(nodes, ends, x, np.where(depths <= deepest, -depths.astype(float), np.nan))


def plot_tree(
    tree: Tree,
    feature_names: Sequence[str],
    class_names: Names,
    *,
    ax: Axes | None = None,
    max_depth: int | None = None,
    levels: Levels | None = None,
) -> Axes:
    """Draw a tree: rows that pass the test of a box go left.

    Parameters
    ----------
    tree : Tree
    feature_names, class_names : sequence
        One a feature and one a class.
    ax : Axes, optional
        Where to draw; by default a new figure as large as the tree needs, which can be saved by
        ``ax.figure.savefig``.
    max_depth : int, optional
        Depth to draw down to; a node cut off there shows its majority class and "…".
    levels : sequence of (sequence or None), optional
        Names of the levels of each nominal feature; by default their numbers.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the names are not as many as features and classes, or `max_depth` is negative.
    TypeError
        If `max_depth` is not an integer.
    """
    check_names(tree, feature_names, class_names)
    if max_depth is not None:
        check_scalar(max_depth, "max_depth", Integral, min_val=0)
    layout = lay_out(tree, max_depth)
    labels = {int(i): _label(tree, i, layout, feature_names, class_names) for i in layout.nodes}
    size = _needed_inches(layout, labels)
    if ax is None:
        ax = Figure(figsize=tuple(np.minimum(size, _LARGEST))).add_axes((0.0, 0.0, 1.0, 1.0))
    available = np.array(ax.get_window_extent().size) / ax.figure.dpi
    font_size = _FONT_SIZE * min(1.0, *(available / size))
    _draw_edges(tree, layout, ax, font_size, levels)
    for node, label in labels.items():
        _draw_box(tree, node, layout, ax, label, font_size)
    ax.set_axis_off()
    ax.set_xlim(-0.5, layout.ends.sum() - 0.5)
    ax.set_ylim(np.nanmin(layout.y) - 0.5, 0.5)
    return ax


def _label(
    tree: Tree, node: int, layout: Layout, feature_names: Sequence[str], class_names: Names
) -> str:
    """Return the lines of a box: the test or the class, then the counts."""
    counts = tree.counts[node]
    if layout.ends[node]:
        head = str(class_names[counts.argmax()]) + ("" if tree.is_leaf[node] else " …")
    else:
        head = describe_tested(tree, node, feature_names, _number)
        if not np.isnan(tree.threshold[node]):
            head += f" ≤ {_number(tree.threshold[node])}"
    if len(counts) <= _MOST_COUNTS:
        return head + "\n" + " / ".join(_number(n) for n in counts)
    most, total = (_number(n) for n in (counts.max(), counts.sum()))
    return f"{head}\n{most} of {total}"


def _number(value: float) -> str:
    return format_number(value, _DECIMALS)


def _needed_inches(layout: Layout, labels: dict[int, str]) -> NDArray[np.float64]:
    """Return width and height at which no two boxes overlap."""
    width = {True: 0, False: 0}
    for node, label in labels.items():
        end = bool(layout.ends[node])
        width[end] = max(width[end], _PADDING + max(map(len, label.split("\n"))))
    # Neighbours on a level are at least 1 apart (two ends), 1.5 (end and parent) or 2 (parents).
    cell = max(width[True], (width[True] + width[False]) / 3, width[False] / 2)
    n_ends, n_levels = layout.ends.sum(), 1 - np.nanmin(layout.y)
    wide = max(n_ends * cell, width[False])
    return np.array([wide * _CHARACTER, n_levels * _LEVEL]) * _FONT_SIZE / 72


def _draw_edges(
    tree: Tree, layout: Layout, ax: Axes, font_size: float, levels: Levels | None
) -> None:
    """Draw the lines between parents and children, and which outcomes they stand for."""
    inner = [i for i in layout.nodes if not layout.ends[i]]
    place = np.column_stack([layout.x, layout.y])
    branches = [(i, branch) for i in inner for branch in range(len(tree.children_of(i)))]
    segments = [place[[i, tree.children_of(i)[branch]]] for i, branch in branches]
    ax.add_collection(LineCollection(segments, colors="0.6", linewidths=font_size / 10, zorder=1))
    for (node, branch), segment in zip(branches, segments, strict=True):
        nominal = bool(np.isnan(tree.threshold[node]))
        if node > 0 and not nominal:
            continue  # the root tells where yes and no are
        if nominal:
            answer = describe_outcome(tree, node, branch, _number, levels)
        else:
            answer = ("yes", "no")[branch]
        x, y = segment.mean(axis=0)
        side = "right" if branch == 0 else "left"
        ax.text(x, y, f" {answer} ", ha=side, va="bottom", fontsize=font_size, color="0.4")


def _draw_box(
    tree: Tree, node: int, layout: Layout, ax: Axes, label: str, font_size: float
) -> None:
    """Draw a node: ends in a tint of their majority class, tests in white."""
    majority = np.array(to_rgb(f"C{tree.counts[node].argmax() % 10}"))
    tint = _TINT if layout.ends[node] else 0.0
    ax.text(
        layout.x[node],
        layout.y[node],
        label,
        ha="center",
        va="center",
        fontsize=font_size,
        parse_math=False,  # a name is no formula, whatever signs are in it
        bbox={
            "boxstyle": "round,pad=0.4",
            "facecolor": tint * majority + 1 - tint,
            "edgecolor": "0.4",
            "linewidth": font_size / 12,
        },
        zorder=2,
    )
