"""Figures of a grid of parameters (kind ``parameter_heatmap``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree.experiments.definition.definitions import Paper
from retree.experiments.definition.item import Item
from retree.experiments.definition.method import Method
from retree.reports.context import Context
from retree.reports.figures import COLOURS, conclude, new_figure
from retree.reports.kind import Kind, refuse_nested
from retree.reports.selection import OUTER, best_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_ROOM = 30  # characters that fit below a figure


@dataclass(frozen=True, kw_only=True)
class ParameterHeatmap(Kind[None]):
    """A figure for each data set that has results, with a panel for each method."""

    def check(self, item: Item) -> None:
        """Refuse an item that does not ask for test accuracies, or tunes too much."""
        refuse_nested(item)
        for method in item.methods:
            if len(method.tune) not in (1, 2):
                raise RetreeError(
                    f"{method.name} tunes {len(method.tune)} parameters; a heat map needs one or "
                    "two."
                )

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figures."""
        frame = context.frame
        for dataset in context.item.datasets:
            cells = frame[(frame["dataset"] == dataset) & (frame["inner"] == OUTER)]
            if methods := [m for m in context.item.methods if m.key in set(cells["method"])]:
                yield f"_{dataset}", _figure(context.paper, dataset, methods, cells)


def accuracy_matrix(
    rows: pd.DataFrame, axes_values: dict[str, list[Any]]
) -> tuple[NDArray[np.float64], tuple[int, int] | None]:
    """Return mean accuracies over the grid and the place of the best.

    `axes_values`: the grid: one or two parameters with their values; the first are the matrix's
    rows.
    Returns naN where a point is incomplete; a grid of one parameter gives one row.
    Returns row and column of the point that `best_test` chooses.
    """
    *first, (last, columns) = axes_values.items()
    heights = first[0][1] if first else [None]
    matrix = np.full((len(heights), len(columns)), np.nan)

    def place(params: str) -> tuple[int, int]:
        point = json.loads(params)
        row = heights.index(point[first[0][0]]) if first else 0
        return row, columns.index(point[last])

    for params, cells in rows.groupby("params"):
        if (cells["status"] == "done").all():
            matrix[place(str(params))] = cells["accuracy"].mean()
    choice = next(iter(best_test(rows).values()))
    return matrix, place(choice.params) if choice.params else None


def root_points(rows: pd.DataFrame, axes_values: dict[str, list[Any]]) -> NDArray[np.bool_]:
    """Return at which points every tree is its root alone, in the shape of `accuracy_matrix`."""
    matrix = accuracy_matrix(rows.assign(accuracy=rows["leaves"]), axes_values)[0]
    # A tree has one leaf at least, so that a mean of one is one everywhere.
    return matrix == 1


def _figure(paper: Paper, dataset: str, methods: list[Method], rows: pd.DataFrame) -> Figure:
    grids = [{name: list(paper.grid[name]) for name in m.tune} for m in methods]
    heights = [len(next(iter(g.values()))) if len(g) == 2 else 1 for g in grids]
    height = sum(0.22 * h + 1.0 for h in heights) + 0.3
    figure = new_figure(height)
    panels = figure.subplots(len(methods), 1, squeeze=False, height_ratios=heights)[:, 0]
    found = []
    for axes, method, grid in zip(panels, methods, grids, strict=True):
        own = rows[rows["method"] == method.key]
        matrix, best = accuracy_matrix(own, grid)
        roots = root_points(own, grid)
        _draw(axes, matrix, roots, best, grid)
        n_folds = len(rows[["repeat", "fold"]].drop_duplicates())
        about = f"accuracy in %, {n_folds} folds" + "; hatched: the root alone" * bool(roots.any())
        axes.set_title(about if len(methods) == 1 else f"{method.name}: {about}")
        found.append(_finding(method.name, matrix, best, grid))
    findings, seen = zip(*found, strict=True)
    return conclude(figure, f"{dataset}: {'; '.join(findings)}", ". ".join(seen))


def _finding(
    name: str,
    matrix: NDArray[np.float64],
    best: tuple[int, int] | None,
    grid: dict[str, list[Any]],
) -> tuple[str, str]:
    """Return how much the accuracy of a method depends on its parameters, and what is best."""
    done = 100 * matrix[~np.isnan(matrix)]
    if best is None or not done.size:
        return f"{name} has no result", f"An empty grid of {name}"
    places = dict(zip(grid, best[-len(grid) :], strict=True))
    point = ", ".join(f"{key} {grid[key][place]}" for key, place in places.items())
    return (
        f"{name} reaches {done.min():.0f} to {done.max():.0f} %, most at {point}",
        f"Accuracy of {name} at {done.size} points of {' and '.join(grid)}: "
        f"median {np.median(done):.0f} %",
    )


def _draw(
    axes: Axes,
    matrix: NDArray[np.float64],
    roots: NDArray[np.bool_],
    best: tuple[int, int] | None,
    grid: dict[str, list[Any]],
) -> None:
    from matplotlib.patches import Rectangle

    *first, (last, columns) = grid.items()
    percent = 100 * matrix
    image = axes.imshow(percent, cmap="cividis", aspect="auto", origin="lower")
    if best is not None:
        axes.figure.colorbar(image, ax=axes, pad=0.02, fraction=0.05).outline.set_visible(False)
    shown = image.to_rgba(percent)
    names = [f"{value:g}".removeprefix("0") or "0" for value in columns]
    many = len("".join(names)) > _ROOM
    axes.set_xticks(range(len(columns)), names, rotation=45 if many else 0)
    axes.set_xlabel(last)
    if first:
        axes.set_yticks(range(len(first[0][1])), [str(value) for value in first[0][1]])
        axes.set_ylabel(first[0][0])
    else:
        axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    for (row, column), value in np.ndenumerate(percent):
        colour = _readable(shown[row, column])
        if roots[row, column]:
            corner = (column - 0.5, row - 0.5)
            axes.add_patch(
                Rectangle(
                    corner, 1, 1, fill=False, hatch="///", edgecolor=colour, linewidth=0, alpha=0.6
                )
            )
            continue
        text = "—" if np.isnan(value) else f"{value:.0f}"
        axes.text(column, row, text, ha="center", va="center", color=colour)
    if best is not None:
        corner = (best[1] - 0.5, best[0] - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=2.2))


def _readable(ground: NDArray[np.float64]) -> str:
    """Return which of black and white has the higher contrast on a colour (WCAG 2)."""
    channels = ground[:3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float((linear * [0.2126, 0.7152, 0.0722]).sum())
    # Black itself would turn light on a dark page, whose colour it takes.
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#111111"
