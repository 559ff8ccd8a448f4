"""What is to be known of one cell of a table: spread, tolerance, test, chosen parameters."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.reports.comparison import LEVEL
from retree.reports.formatting import BLANK, number
from retree.reports.overview import read_table
from retree.reports.published import known_wrong
from retree.site.sources import ItemFiles, PaperFiles
from retree.statistics import Verdict, paired_t_test, tolerance
from retree.statistics.metrics import Kind, find_metric

Cell = Mapping[Hashable, Any]

# More folds than any protocol has.
_MANY = 10**6


class Tip(NamedTuple):
    """The text behind a cell, a line each, and ▲ or ▼ if it differs from its baseline."""

    text: str
    mark: str


class Tips:
    """The texts behind the cells of an item.

    Parameters
    ----------
    files : PaperFiles
        The paper.
    item : ItemFiles
        The item; tests that it has in a file of its own take the place of those against a baseline.
    comparisons : DataFrame
        The item's cells.
    """

    def __init__(self, files: PaperFiles, item: ItemFiles, comparisons: pd.DataFrame) -> None:
        self._paper, self._item = files.paper, item.name
        self._baselines, self._marks = _baselines(files, item.name), _marks(item)
        cells = files.cells
        own = cells["items"].map(lambda names: item.name in names.split())
        named = cells["dataset"].map(lambda name: files.paper.names.get(name, name))
        self._cells = cells.assign(dataset=named)[own] if len(cells) else cells
        self._folds = self._cells.groupby(["dataset", "method", "params"], sort=False).indices
        self._splits = self._cells["repeat"].to_numpy() * _MANY + self._cells["fold"].to_numpy()
        self._values: dict[str, NDArray[np.float64]] = {}
        self._chosen = {
            (row["dataset"], row["method"], row["metric"]): row
            for row in comparisons.to_dict("records")
        }

    def of(self, cell: Cell) -> Tip:
        """Return what is to be known of a cell."""
        place = f"{cell['dataset']} · {cell['method']}" if cell["method"] else cell["dataset"]
        test, mark = self._test(cell)
        lines = [place, _spread(cell), *_printed(cell), test, _parameters(cell)]
        if cell["verdict"] == Verdict.EXPLAINED:
            names = (cell["dataset"], cell["method"], cell["metric"])
            lines.append(known_wrong(self._paper, self._item, *names))
        return Tip("\n".join(line for line in lines if line), mark)

    def _test(self, cell: Cell) -> Tip:
        place = (cell["dataset"], cell["method"], cell["metric"])
        if place in self._marks:
            return self._marks[place]
        baseline = self._baselines.get(cell["method"])
        theirs = self._chosen.get((cell["dataset"], baseline, cell["metric"]))
        if baseline == cell["method"] or theirs is None or cell["verdict"] == "":
            return Tip("", "")
        rows, other_rows = self._rows(cell), self._rows(theirs)
        values = self._measured(cell["metric"])
        _, here, there = np.intersect1d(
            self._splits[rows], self._splits[other_rows], return_indices=True
        )
        test = paired_t_test(values[rows][here], values[other_rows][there])
        if math.isnan(test.p_value):
            return Tip("", "")
        mark = ("▲" if test.mean_difference > 0 else "▼") if test.p_value < LEVEL else ""
        difference = number(cell["metric"], test.mean_difference, sign=True)
        told = f"against {baseline}: {difference}, paired t-test p = {test.p_value:.2g}"
        return Tip(f"{told} {mark}".rstrip(), mark)

    def _rows(self, cell: Cell) -> NDArray[np.intp]:
        """Return the positions of a cell's folds."""
        place = (cell["dataset"], cell["method"], cell["params"])
        return np.asarray(self._folds.get(place, ()), dtype=np.intp)

    def _measured(self, name: str) -> NDArray[np.float64]:
        """Return a metric of all folds, which is NaN if it is not one of folds."""
        if name not in self._values:
            metric = find_metric(name)
            known = metric.of(self._cells) if metric.column else np.full(len(self._cells), np.nan)
            self._values[name] = np.asarray(known, dtype=np.float64)
        return self._values[name]


def _marks(item: ItemFiles) -> dict[tuple[str, str, str], Tip]:
    """Return the tests of ``<item>_marks.csv``, if there is such a file."""
    path = next((p for p in item.files if p.name == f"{item.name}_marks.csv"), None)
    if path is None:
        return {}
    found = {}
    texts = ("dataset", "metric", "method", "base", "printed", "t_mark", "corrected_mark")
    for row in read_table(path, texts).to_dict("records"):
        told = (
            f"against {row['base']}: {number(row['metric'], row['difference'], sign=True)}\n"
            f"paired t-test p = {row['t_p_value']:.2g}, "
            f"corrected for overlap p = {row['corrected_p_value']:.2g}\n"
            f"marks: printed {row['printed'] or BLANK}, here {row['t_mark'] or BLANK}, "
            f"corrected {row['corrected_mark'] or BLANK}"
        )
        found[row["dataset"], row["method"], row["metric"]] = Tip(told, row["t_mark"])
    return found


def _baselines(files: PaperFiles, item: str) -> dict[str, str]:
    """Return the method that each method of an item is tested against."""
    options = files.paper.items.get(item, {})
    keys = [options["baseline"]] if options.get("baseline") else options.get("baselines") or []
    found: dict[str, str] = {}
    current = files.method_name(keys[0]) if keys else ""
    for key in options.get("methods") or [] if keys else []:
        name = files.method_name(key)
        current = name if key in keys[1:] else current
        found[name] = current
    return found


def _spread(cell: Cell) -> str:
    if math.isnan(cell["reproduced"]):
        return "no reproduced number"
    text = f"reproduced {number(cell['metric'], cell['reproduced'])}"
    if math.isnan(cell["reproduced_std"]):
        return text
    return f"{text}, s = {number(cell['metric'], cell['reproduced_std'])}, {_folds(cell)}"


def _folds(cell: Cell) -> str:
    return f"{cell['n_folds']} fold{'s' if cell['n_folds'] > 1 else ''}"


def _printed(cell: Cell) -> list[str]:
    metric, published = cell["metric"], cell["published"]
    if math.isnan(published):
        return []
    text = f"printed {number(metric, published)}"
    if not math.isnan(cell["published_std"]):
        text += f", s = {number(metric, cell['published_std'])}"
    if math.isnan(cell["difference"]):
        return [text]
    difference = number(metric, cell["difference"], sign=True)
    return [text, f"difference {difference}{_allowed(cell)}: {cell['verdict']}"]


def _allowed(cell: Cell) -> str:
    metric, folds = cell["metric"], int(cell["n_folds"])
    low, high = (cell.get(name, math.nan) for name in ("low", "high"))
    if not math.isnan(low):
        return f", one run gives {number(metric, low)} to {number(metric, high)}"
    if find_metric(metric).kind == Kind.TIME or folds < 1:
        return ""
    below = cell["reproduced"] < cell["published"]
    allowed = tolerance(metric, cell["reproduced_std"], folds, cell["published"], below)
    return f", allowed {number(metric, allowed)}"


def _parameters(cell: Cell) -> str:
    """Return the chosen grid point; where each fold has its own, the values that occur."""
    if not cell["params"] or cell["params"] == "{}":
        return ""
    chosen = json.loads(cell["params"])
    points = chosen if isinstance(chosen, list) else [chosen]
    values = {name: list(dict.fromkeys(str(p[name]) for p in points)) for name in points[0]}
    return "; ".join(f"{name} = {', '.join(texts)}" for name, texts in values.items())
