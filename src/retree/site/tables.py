"""Numeric tables for a browser: reproduced, printed and difference, sortable."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from retree.reports.formatting import BLANK, SIGNS, number
from retree.site.html import boxed, element, name, text
from retree.site.tips import Tip
from retree.statistics import Verdict
from retree.statistics.metrics import Kind, find_metric

Cell = Mapping[Hashable, Any]
Tell = Callable[[Cell], Tip]

PARTS = ("reproduced", "printed", "difference")


@dataclass(frozen=True)
class Grid:
    """Cells in rows and columns.

    Attributes
    ----------
    corner : str
        What the rows are.
    rows, columns : list of str
    cells : dict
        By row and column.
    """

    corner: str
    rows: list[str]
    columns: list[str]
    cells: Mapping[tuple[str, str], Cell]

    def of_column(self, name: str) -> list[Cell]:
        """Return the cells of a column that are there."""
        return [cell for (_, column), cell in self.cells.items() if column == name]

    def parts(self, name: str) -> Sequence[str]:
        """Return what a column consists of: there may be no print, or no verdict on it."""
        cells = [cell for cell in self.of_column(name) if not math.isnan(cell["published"])]
        return PARTS[: 3 if any(cell["verdict"] for cell in cells) else 2 if cells else 1]


def grids(comparisons: pd.DataFrame) -> dict[str, Grid]:
    """Return a grid for each metric, by its label.

    Rows are the data sets, or the methods where these are more; metrics of no method, which
    describe the data sets, share a grid.
    """
    if set(comparisons["method"]) == {""}:
        return {"": _grid(comparisons, "data set", "dataset", "metric")}
    by_metric = list(comparisons.groupby("metric", sort=False))
    found = {}
    for metric, cells in by_metric:
        axes = ("dataset", "method")
        if cells["method"].nunique() > cells["dataset"].nunique():
            axes = ("method", "dataset")
        corner = {"dataset": "data set", "method": "method"}[axes[0]]
        label = find_metric(str(metric)).label if len(by_metric) > 1 else ""
        found[label] = _grid(cells, corner, *axes)
    return found


def _grid(cells: pd.DataFrame, corner: str, row: str, column: str) -> Grid:
    by_place = {(cell[row], cell[column]): cell for cell in cells.to_dict("records")}
    rows, columns = (list(dict.fromkeys(cells[name])) for name in (row, column))
    return Grid(corner, rows, columns, by_place)


def grid_table(grid: Grid, label: str, tell: Tell, known: Mapping[str, str]) -> str:
    """Return a grid as a table in a box.

    Parameters
    ----------
    grid : Grid
    label : str
        What the table is about, for those who do not see it.
    tell : callable
        Returns what is to be known of a cell.
    known : dict of str to str
        Remarks on rows and columns.
    """
    parts = [grid.parts(name) for name in grid.columns]
    body = "\n".join(_row(grid, name, parts, tell, known) for name in grid.rows)
    content = _head(grid, parts, known) + element("tbody", body) + _foot(grid, parts)
    return boxed(element("table", content, class_="rt rt-cells rt-sortable"), label)


def _head(grid: Grid, parts: Sequence[Sequence[str]], known: Mapping[str, str]) -> str:
    """Return a line of headers, or two; those that sort carry the index of their column."""
    single = not any(len(own) > 1 for own in parts)
    lines = 1 if single else 2
    top = [element("th", text(grid.corner), scope="col", rowspan=lines, data_col=0)]
    below, index = [], 1
    for header, own in zip(grid.columns, parts, strict=True):
        place = {"scope": "colgroup", "colspan": len(own), "class_": "rt-group"}
        if single:
            place = {"scope": "col", "data_col": index, "class_": "rt-first"}
        top.append(element("th", _remarked(header, known), **place))
        for part in own:
            group = "rt-first" if part == own[0] else None
            below.append(element("th", part, scope="col", data_col=index, class_=group))
            index += 1
    rows = [top] if single else [top, below]
    return element("thead", "".join(element("tr", "".join(row)) for row in rows))


def _row(
    grid: Grid,
    name: str,
    parts: Sequence[Sequence[str]],
    tell: Tell,
    known: Mapping[str, str],
) -> str:
    cells = [element("th", _remarked(name, known), scope="row")]
    for column, own in zip(grid.columns, parts, strict=True):
        cell = grid.cells.get((name, column))
        cells += (
            [element("td", BLANK)] * len(own) if cell is None else _cells(cell, own, tell(cell))
        )
    return element("tr", "".join(cells))


def _remarked(header: str, known: Mapping[str, str]) -> str:
    """Return a header, with its remark for those who point at it."""
    if header not in known:
        return name(header)
    return element("abbr", name(header), tabindex=0, data_tip=known[header])


def _cells(cell: Cell, parts: Sequence[str], tip: Tip) -> list[str]:
    metric, verdict = cell["metric"], cell["verdict"]
    told = {"class_": "rt-first", "data_tip": tip.text}
    ours = _number_cell(metric, cell["reproduced"], tip.mark, **told)
    if len(parts) < 3:
        return [ours, *(_number_cell(metric, cell["published"]) for _ in parts[1:])]
    sign = SIGNS[Verdict(verdict)] if verdict else ""
    difference = number(metric, cell["difference"], sign=True)
    shown = f"{sign} {difference}" if sign else BLANK
    return [
        ours,
        _number_cell(metric, cell["published"]),
        element(
            "td",
            text(shown),
            class_=f"rt-{verdict}" if sign else None,
            data_v=None if math.isnan(cell["difference"]) else f"{cell['difference']:.6g}",
        ),
    ]


def _number_cell(metric: str, value: float, mark: str = "", **attributes: str) -> str:
    exact = None if math.isnan(value) else f"{value:.6g}"
    shown = f"{number(metric, value)} {mark}".rstrip()
    return element("td", text(shown), data_v=exact, **attributes)


def _foot(grid: Grid, parts: Sequence[Sequence[str]]) -> str:
    """Return the line of how many printed cells of each column agree, "" if none is judged."""
    if not any(own == PARTS for own in parts) or len(grid.rows) == 1:
        return ""
    cells = [element("th", "agree", scope="row")]
    for column, own in zip(grid.columns, parts, strict=True):
        verdicts = [cell["verdict"] for cell in grid.of_column(column)]
        agree = verdicts.count(Verdict.AGREES) + verdicts.count(Verdict.WEAK)
        differ = verdicts.count(Verdict.DIFFERS)
        told = f"{agree} of {agree + differ}" if own == PARTS else ""
        cells.append(element("td", told, colspan=len(own), class_="rt-first"))
    return element("tfoot", element("tr", "".join(cells)))


def legend(comparisons: pd.DataFrame) -> str:
    """Return what the colours and signs mean, of the verdicts that occur."""
    words = {
        Verdict.AGREES: "agrees",
        Verdict.WEAK: "agrees, but weakly",
        Verdict.DIFFERS: "differs",
        Verdict.EXPLAINED: "the printed number is known to be wrong",
    }
    keys = [
        element("span", f"{SIGNS[verdict]} {told}", class_=f"rt-key rt-{verdict}")
        for verdict, told in words.items()
        if (comparisons["verdict"] == verdict).any()
    ]
    hint = "Point at a number, or tap it, for its spread, test and parameters."
    sizes = comparisons["metric"].map(lambda name: find_metric(name).kind == Kind.COUNT)
    hint = "" if sizes.all() else hint
    return element("p", " ".join([*keys, text(hint)]), class_="rt-legend")
