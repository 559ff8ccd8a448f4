"""Numeric tables for a browser: reproduced beside published, sortable, each number with a link."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from retree.experiments.claims import MEAN
from retree.reports.formatting import BLANK, SIGNS, VERDICTS, number
from retree.site.cell_notes import Cell, Note
from retree.site.html import boxed, element, name, text
from retree.statistics import Verdict
from retree.statistics.metrics import Kind, find_metric


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
        """Return the cells of a column that exist."""
        return [cell for (_, column), cell in self.cells.items() if column == name]


@dataclass(frozen=True)
class About:
    """What a table shows of its cells, rows and columns besides the numbers.

    Attributes
    ----------
    note : callable
        Returns the note on a cell.
    folds : callable
        Returns the address of the folds behind a cell, None if it is not a mean over folds.
    links : dict of str to str
        Addresses that the names of rows and columns lead to.
    remarks : dict of str to str
        Remarks on rows and columns.
    """

    note: Callable[[Cell], Note]
    folds: Callable[[Cell], str | None]
    links: Mapping[str, str]
    remarks: Mapping[str, str]


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


def grid_table(grid: Grid, label: str, about: About) -> str:
    """Return a grid as a table in a box; means over the data sets stand in its footer.

    Parameters
    ----------
    grid : Grid
    label : str
        What the table is about, for those who do not see it.
    about : About
    """
    means = [name for name in grid.rows if name == MEAN and len(grid.rows) > 1]
    body = "\n".join(_row(grid, name, about) for name in grid.rows if name not in means)
    foot = "".join(_row(grid, name, about) for name in means) + _counts(grid)
    content = _head(grid, about) + element("tbody", body)
    content += element("tfoot", foot) if foot else ""
    return boxed(element("table", content, class_="rt rt-cells rt-sortable"), label)


def _head(grid: Grid, about: About) -> str:
    cells = [element("th", text(grid.corner), scope="col")]
    cells += [element("th", _header(column, about), scope="col") for column in grid.columns]
    return element("thead", element("tr", "".join(cells)))


def _row(grid: Grid, name: str, about: About) -> str:
    cells = [element("th", _header(name, about), scope="row")]
    for column in grid.columns:
        cell = grid.cells.get((name, column))
        cells.append(element("td", BLANK) if cell is None else _cell(cell, about))
    return element("tr", "".join(cells))


def _header(header: str, about: About) -> str:
    """Return a header with its link, and with its remark for those who point at it."""
    shown, remark = name("mean" if header == MEAN else header), about.remarks.get(header)
    if header in about.links:
        return element("a", shown, href=about.links[header], data_tip=remark)
    return shown if remark is None else element("abbr", shown, tabindex=0, data_tip=remark)


def _cell(cell: Cell, about: About) -> str:
    """Return a number with its verdict and, below, the published one."""
    metric, verdict, note = cell["metric"], cell["verdict"], about.note(cell)
    compared = not math.isnan(cell["published"])
    sign = SIGNS[Verdict(verdict)] if verdict and compared else ""
    shown = element("span", number(metric, cell["reproduced"]), class_="rt-number")
    if compared:
        difference = number(metric, cell["difference"], sign=True)
        shown += element("span", difference, class_="rt-difference")
    if address := about.folds(cell):
        shown = element("a", shown, href=address)
    if marks := f"{sign}{note.mark}":
        shown += f" {element('span', marks, class_='rt-marks')}"
    if compared:
        shown += element("span", f"({number(metric, cell['published'])})", class_="rt-published")
    return element(
        "td",
        shown,
        class_=f"rt-{verdict}" if sign else None,
        data_value=_exact(cell["reproduced"]),
        data_difference=_exact(cell["difference"]),
        data_tip=note.text,
    )


def _exact(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.6g}"


def _counts(grid: Grid) -> str:
    """Return the line of how many published numbers of each column are within tolerance."""
    counts = [_count(grid.of_column(column)) for column in grid.columns]
    if not any(counts) or len(grid.rows) == 1:
        return ""
    cells = [element("th", "within tolerance", scope="row")]
    return element("tr", "".join([*cells, *(element("td", count) for count in counts)]))


def _count(cells: Sequence[Cell]) -> str:
    verdicts = [cell["verdict"] for cell in cells if not math.isnan(cell["published"])]
    within = verdicts.count(Verdict.AGREES) + verdicts.count(Verdict.WEAK)
    compared = within + verdicts.count(Verdict.DIFFERS)
    return f"{within} of {compared}" if compared else ""


def legend(comparisons: pd.DataFrame) -> str:
    """Return what the colours and signs mean, of the verdicts that occur."""
    judged = comparisons[comparisons["published"].notna()]["verdict"]
    keys = [
        element("span", f"{SIGNS[verdict]} {words}", class_=f"rt-key rt-{verdict}")
        for verdict, words in VERDICTS.items()
        if SIGNS[verdict] and (judged == verdict).any()
    ]
    shown = ["reproduced (published)"] if len(judged) else []
    sizes = comparisons["metric"].map(lambda name: find_metric(name).kind == Kind.COUNT)
    hint = "A number leads to its folds; point at it for its spread, test and parameters."
    hints = [] if sizes.all() else [hint]
    return element("p", " ".join([*shown, *keys, *map(text, hints)]), class_="rt-legend")
