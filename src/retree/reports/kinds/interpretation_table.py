"""How well each interpretation of a method fits the paper (kind ``interpretation_table``).

Sizes of the point of best test accuracy jump where accuracy is flat over the grid. So an
interpretation is also asked whether *any* point of its grid agrees with all that is published
of a data set.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from retree.experiments.definition.definitions import Method
from retree.reports.compare_items import compare_item, compare_values
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction, tuned
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.formatting import BLANK, RULE, number
from retree.reports.kind import FrameKind
from retree.reports.published import PublishedValue, published_name
from retree.reports.selection import OUTER
from retree.statistics import Verdict, verdict
from retree.statistics.metrics import find_metric, is_size

_GRID_HEADER = ["selected point agrees", "some point agrees", "agreeing points", "sets without any"]
_GRID_LEGEND = [
    "Difference and ratios (geometric, of size + 1) are those of the point of best test accuracy. "
    "A point agrees on a data set if all of {metrics} agree with the paper.",
    "With many points some agree by chance, so the last columns say what an interpretation can "
    "give, not that it is right. They count all points, whose folds are the rows of "
    "[cells.csv.gz](cells.csv.gz).",
]
_LEGEND = [
    "Ratios are geometric, of size + 1. An interpretation agrees on a data set if all of {metrics} "
    "agree with the paper."
]

# Mean, std and count over the folds, by metric and name.
Point = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Fit:
    """How one interpretation of a method fits what is published of one data set.

    Attributes
    ----------
    dataset : str
        The data set.
    selected : dict of str to float
        The means over the folds, by metric, of the point of best test accuracy.
    published : dict of str to float
        What is published.
    selected_agrees : bool
        Whether that point agrees in all metrics.
    n_agreeing, n_points : int
        Points of the grid that agree in all metrics, and all of them.
    """

    dataset: str
    selected: dict[str, float]
    published: dict[str, float]
    selected_agrees: bool
    n_agreeing: int
    n_points: int


@dataclass(frozen=True, kw_only=True)
class InterpretationTable(FrameKind):
    """A row for each interpretation of a method: how near its `metrics` come to the paper's."""

    metrics: tuple[str, ...]

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each method that has complete points."""
        methods = [method for method in context.item.methods if method.missing is None]
        rows = [(method, list(self._fits(context, method))) for method in methods]
        return pd.DataFrame([self._summary(method, fits) for method, fits in rows if fits])

    def comparisons(self, context: Context, rows: pd.DataFrame) -> Sequence[Comparison]:
        """Return the numbers of the points of best test accuracy, which claims may be about."""
        return compare_item(context, self.metrics)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table."""
        has_grid = bool(tuned(context.item.methods))
        header = ["method", "interpretation", "data sets"]
        for metric in self.metrics:
            differs = f"mean abs. {metric} difference"
            header.append(f"{metric} ratio" if is_size(metric) else differs)
        header += _GRID_HEADER if has_grid else ["agrees", "differs on"]
        legend = [*(_GRID_LEGEND if has_grid else _LEGEND), RULE]
        legend[0] = legend[0].format(metrics=", ".join(self.metrics))
        sources = [found for m in context.item.methods if (found := self._selected(context, m))]
        pairs = zip(rows.to_dict("records"), sources, strict=True)
        lines = [self._line(*pair, has_grid) for pair in pairs]
        return Document(introduction(context), [Table(header, lines, left=2), Bullets(legend)])

    def _selected(self, context: Context, method: Method) -> list[Comparison]:
        """Return the numbers of the points of best test accuracy that a row is made of."""
        name = published_name(method)
        columns = {metric: context.published.datasets(name, metric) for metric in self.metrics}
        found = []
        for dataset in context.item.datasets:
            choice, label = context.best.get((dataset, method.key)), context.item.label(dataset)
            is_published = all(label in column for column in columns.values())
            if method.missing is None and is_published and choice and not choice.folds.empty:
                for metric, column in columns.items():
                    place, published = (
                        (label, method.name, metric),
                        PublishedValue(column[label], math.nan, math.nan),
                    )
                    found.append(compare_values(place, choice, published, wrong=False))
        return found

    def _line(
        self, row: Mapping[Any, Any], sources: Sequence[Comparison], has_grid: bool
    ) -> list[Entry]:
        own = {m: [c for c in sources if c.metric == m] for m in self.metrics}
        texts = {
            m: f"{row[f'{m}_ratio']:.2f}" if is_size(m) else number(m, row[f"{m}_difference"])
            for m in self.metrics
        }
        measures = (TableCell(text, sources=own[metric]) for metric, text in texts.items())
        counts: list[Entry] = [TableCell(str(row["selected_agrees"]), sources=sources)]
        if has_grid:
            share = f"{row['agreeing_points']} of {row['points']}"
            counts += [str(row["some_point_agrees"]), share]
        none = str(row["no_point_agrees"]).replace(" ", ", ") or BLANK
        return [
            row["method"],
            row["interpretation"],
            str(row["n_datasets"]),
            *measures,
            *counts,
            none,
        ]

    def _fits(self, context: Context, method: Method) -> Iterator[Fit]:
        """Yield the fit on each data set with all metrics published and some point done."""
        metrics, frame = list(self.metrics), context.frame
        name = published_name(method)
        columns = {metric: context.published.datasets(name, metric) for metric in metrics}
        outer = frame[(frame["method"] == method.key) & (frame["inner"] == OUTER)]
        complete = _complete_points(outer, metrics)
        for dataset in context.item.datasets:
            label, points = context.item.label(dataset), complete.get(dataset, [])
            published = {m: column[label] for m, column in columns.items() if label in column}
            if len(published) < len(metrics) or not points:
                continue
            agrees = [_agrees(point, published) for point in points]
            best = int(np.argmax(np.round([point["accuracy", "mean"] for point in points], 12)))
            yield Fit(
                label,
                {metric: points[best][metric, "mean"] for metric in metrics},
                published,
                agrees[best],
                sum(agrees),
                len(points),
            )

    def _summary(self, method: Method, fits: list[Fit]) -> dict[str, object]:
        """Return one row of the csv."""
        row: dict[str, object] = {
            "method": published_name(method),
            "interpretation": method.about.get("interpretation", "default"),
            "n_datasets": len(fits),
        }
        for metric in self.metrics:
            ours = np.array([fit.selected[metric] for fit in fits])
            theirs = np.array([fit.published[metric] for fit in fits])
            if is_size(metric):
                # One is added, since published trees and ours have depths of 0.
                row[f"{metric}_ratio"] = float(np.exp(np.mean(np.log((ours + 1) / (theirs + 1)))))
            else:
                row[f"{metric}_difference"] = float(np.mean(np.abs(ours - theirs)))
        row["selected_agrees"] = sum(fit.selected_agrees for fit in fits)
        row["some_point_agrees"] = sum(fit.n_agreeing > 0 for fit in fits)
        row["agreeing_points"] = sum(fit.n_agreeing for fit in fits)
        row["points"] = sum(fit.n_points for fit in fits)
        row["no_point_agrees"] = " ".join(fit.dataset for fit in fits if not fit.n_agreeing)
        return row


def _complete_points(rows: pd.DataFrame, metrics: list[str]) -> dict[str, list[Point]]:
    """Return the complete points of each data set, in grid order.

    Accuracy, by which points are selected, is always among the metrics.
    """
    done = rows[rows["status"] == "done"]
    names = list(dict.fromkeys(["accuracy", *metrics]))
    values = pd.DataFrame({name: find_metric(name).of(done) for name in names}, index=done.index)
    statistics = ["mean", "std", "count"]
    points = values.groupby([done["dataset"], done["point"]]).agg(statistics)
    columns = list(itertools.product(names, statistics))
    n_folds = rows.drop_duplicates(["dataset", "repeat", "fold"])["dataset"].value_counts()
    found: dict[str, list[Point]] = {}
    for (dataset, _), *numbers in points.itertuples(name=None):
        point = dict(zip(columns, numbers, strict=True))
        if point[metrics[0], "count"] == n_folds[dataset]:
            found.setdefault(dataset, []).append(point)
    return found


def _agrees(point: Point, published: dict[str, float]) -> bool:
    return all(
        verdict(m, point[m, "mean"], point[m, "std"], int(point[m, "count"]), value, False)
        == Verdict.AGREES
        for m, value in published.items()
    )
