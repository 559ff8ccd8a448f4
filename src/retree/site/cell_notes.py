"""The note on a cell of a table: spread, tolerance, test against a baseline, parameters."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from retree.experiments.claims import MEAN
from retree.reports.comparison import LEVEL
from retree.reports.fold_groups import FoldGroup
from retree.reports.formatting import BLANK, number
from retree.reports.published import known_wrong
from retree.reports.rendered_tables import read_table
from retree.site.rendered_papers import ItemFiles, PaperFiles
from retree.statistics import Verdict, paired_t_test, tolerance
from retree.statistics.metrics import Kind, find_metric

Cell = Mapping[Hashable, Any]


class Note(NamedTuple):
    """The text behind a cell, one fact per line, and ▲ or ▼ if it differs from its baseline."""

    text: str
    mark: str


class CellNotes:
    """The notes on the cells of an item.

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
        self._paper, self._item, self._groups = files.paper, item.name, files.group_of
        self._baselines, self._marks = _baselines(files, item.name), _marks(item)
        self._chosen = {
            (row["dataset"], row["method"], row["metric"]): row
            for row in comparisons.to_dict("records")
        }

    def of(self, cell: Cell) -> Note:
        """Return the note on a cell."""
        dataset = "mean" if cell["dataset"] == MEAN else cell["dataset"]
        place = f"{dataset} · {cell['method']}" if cell["method"] else dataset
        test, mark = self._test(cell)
        lines = [place, _spread(cell), *_published(cell), test, _parameters(cell)]
        if cell["verdict"] == Verdict.EXPLAINED:
            names = (cell["dataset"], cell["method"], cell["metric"])
            lines.append(known_wrong(self._paper, self._item, *names))
        return Note("\n".join(line for line in lines if line), mark)

    def group(self, cell: Cell) -> FoldGroup | None:
        """Return the folds behind a cell, None if it is not a mean over folds."""
        place = (self._item, cell["dataset"], cell["method"], cell["params"])
        return self._groups.get(place)

    def _test(self, cell: Cell) -> Note:
        place = (cell["dataset"], cell["method"], cell["metric"])
        if place in self._marks:
            return self._marks[place]
        baseline = self._baselines.get(cell["method"])
        theirs = self._chosen.get((cell["dataset"], baseline, cell["metric"]))
        if baseline == cell["method"] or theirs is None or cell["verdict"] == "":
            return Note("", "")
        here, there = (self._values(one, cell["metric"]) for one in (cell, theirs))
        common = [place for place in here if place in there]
        test = paired_t_test([here[p] for p in common], [there[p] for p in common])
        if math.isnan(test.p_value):
            return Note("", "")
        mark = ("▲" if test.mean_difference > 0 else "▼") if test.p_value < LEVEL else ""
        difference = number(cell["metric"], test.mean_difference, sign=True)
        found = f"against {baseline}: {difference}, paired t-test p = {test.p_value:.2g}"
        return Note(f"{found} {mark}".rstrip(), mark)

    def _values(self, cell: Cell, metric: str) -> dict[tuple[int, int], float]:
        """Return a metric of the folds of the first run, by repeat and fold."""
        group = self.group(cell)
        if group is None or not find_metric(metric).column:
            return {}
        return {
            (fold["repeat"], fold["fold"]): value
            for fold, value in zip(group.folds, group.values(metric), strict=True)
            if not fold["replicate"]
        }


def _marks(item: ItemFiles) -> dict[tuple[str, str, str], Note]:
    """Return the tests of ``<item>_marks.csv``, if there is such a file."""
    path = next((p for p in item.files if p.name == f"{item.name}_marks.csv"), None)
    if path is None:
        return {}
    found = {}
    texts = ("dataset", "metric", "method", "base", "printed", "t_mark", "corrected_mark")
    for row in read_table(path, texts).to_dict("records"):
        found_text = (
            f"against {row['base']}: {number(row['metric'], row['difference'], sign=True)}\n"
            f"paired t-test p = {row['t_p_value']:.2g}, "
            f"corrected for overlap p = {row['corrected_p_value']:.2g}\n"
            f"marks: published {row['printed'] or BLANK}, reproduced {row['t_mark'] or BLANK}, "
            f"corrected {row['corrected_mark'] or BLANK}"
        )
        found[row["dataset"], row["method"], row["metric"]] = Note(found_text, row["t_mark"])
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


def _published(cell: Cell) -> list[str]:
    metric, published = cell["metric"], cell["published"]
    if math.isnan(published):
        return []
    text = f"published {number(metric, published)}"
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
