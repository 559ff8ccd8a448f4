"""Accuracy over the grid of a method's parameters (kind ``parameter_heatmap``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree.experiments.definition.definitions import Method, Paper
from retree.reports.context import Context
from retree.reports.figures import COLOURS, new_figure
from retree.reports.kind import Kind
from retree.reports.selection import OUTER, best_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class ParameterHeatmap(Kind[None]):
    """A figure for each data set that has results, with a panel for each method."""

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figures.

        Raises
        ------
        RetreeError
            If a method does not tune one or two parameters.
        """
        frame = context.frame
        for dataset in context.item.datasets:
            cells = frame[(frame["dataset"] == dataset) & (frame["inner"] == OUTER)]
            if methods := [m for m in context.item.methods if m.key in set(cells["method"])]:
                yield f"_{dataset}", _figure(context.paper, dataset, methods, cells)


def accuracy_matrix(
    rows: pd.DataFrame, axes_values: dict[str, list[Any]]
) -> tuple[NDArray[np.float64], tuple[int, int] | None]:
    """Return mean accuracies over the grid and the place of the best.

    Parameters
    ----------
    rows : DataFrame
        Outer rows of one method on one data set.
    axes_values : dict
        The grid: one or two parameters with their values; the first are the matrix's rows.

    Returns
    -------
    matrix : ndarray of shape (n_first, n_second)
        NaN where a point is incomplete; a grid of one parameter gives one row.
    best : tuple of int or None
        Row and column of the point that `best_test` chooses.
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


def _figure(paper: Paper, dataset: str, methods: list[Method], rows: pd.DataFrame) -> Figure:
    grids = [{name: list(paper.grid[name]) for name in m.tune} for m in methods]
    for method, grid in zip(methods, grids, strict=True):
        if len(grid) not in (1, 2):
            raise RetreeError(
                f"{method.name} tunes {len(grid)} parameters; a heat map needs one or two."
            )
    heights = [len(next(iter(g.values()))) if len(g) == 2 else 1 for g in grids]
    height = sum(0.33 * h + 0.95 for h in heights)
    figure = new_figure(height)
    panels = figure.subplots(len(methods), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, method, grid in zip(panels, methods, grids, strict=True):
        matrix, best = accuracy_matrix(rows[rows["method"] == method.key], grid)
        _draw(axes, matrix, best, grid)
        n_folds = len(rows[["repeat", "fold"]].drop_duplicates())
        axes.set_title(f"{dataset}, {method.name}: mean accuracy, {n_folds} folds")
    return figure


def _draw(
    axes: Axes,
    matrix: NDArray[np.float64],
    best: tuple[int, int] | None,
    grid: dict[str, list[Any]],
) -> None:
    from matplotlib.patches import Rectangle

    *first, (last, columns) = grid.items()
    axes.imshow(matrix, cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(columns)), [str(value) for value in columns], rotation=90)
    axes.set_xlabel(last)
    if first:
        axes.set_yticks(range(len(first[0][1])), [str(value) for value in first[0][1]])
        axes.set_ylabel(first[0][0])
    else:
        axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    middle = (np.nanmin(matrix) + np.nanmax(matrix)) / 2 if best is not None else np.nan
    for (row, column), value in np.ndenumerate(matrix):
        dark = value < middle
        text = "—" if np.isnan(value) else f"{value:.3f}".lstrip("0")
        colour = "white" if dark else "black"
        # Upright, twelve columns of numbers fit on half a column of a page.
        axes.text(column, row, text, ha="center", va="center", color=colour, rotation=90)
    if best is not None:
        corner = (best[1] - 0.5, best[0] - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=2.2))
