"""How well each interpretation of a method fits the paper (kind ``interpretation_table``).

Sizes of the point of best test accuracy jump where accuracy is flat over the grid. So an
interpretation is also asked whether *any* point of its grid agrees with all that is published
of a data set.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_item, compare_values
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.context import Context, introduction, tuned
from retree_lab.reports.document import Block, Document, Entry, TableCell
from retree_lab.reports.formatting import BLANK, number, rules
from retree_lab.reports.kinds import Kind
from retree_lab.reports.published import published_name
from retree_lab.reports.sections import section
from retree_lab.reports.selection import OUTER
from retree_lab.reports.verdicts import Rules, judge, rules_of
from retree_lab.statistics import AGREEING
from retree_lab.statistics.agreement import N_RESAMPLES, chosen_on_half
from retree_lab.statistics.metrics import find_metric, is_size

_GRID_LEGEND = [
    "Difference and ratios (geometric, of size + 1) are for the point with the best test accuracy. "
    "A point agrees on a data set if all of {metrics} agree with the paper.",
    "With many points, some agree by chance. So the last columns say what an interpretation can "
    "give, not that it is right. They count all points; their folds are in cells.csv.gz.",
]
_LEGEND = [
    "Ratios are geometric, of size + 1. An interpretation agrees on a data set if all of {metrics} "
    "agree with the paper."
]

# Mean, std and count over the folds, by metric and name.
Point = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Fit:
    """How one interpretation of a method fits what is published of one data set."""

    dataset: str
    selected: Sequence[Comparison]  # The numbers, by metric, of the point of best test accuracy
    n_agreeing: int  # Points of the grid that agree in all metrics, and all of them
    n_points: int

    @property
    def agrees(self) -> bool:
        """Return whether that point agrees in all metrics."""
        return _all_agree(self.selected)


Fits = Sequence[tuple[Method, Sequence[Fit]]]


@dataclass(frozen=True, kw_only=True)
class InterpretationTable(Kind[Fits]):
    """A row for each interpretation of a method: how near its `metrics` come to the paper's."""

    metrics: tuple[str, ...]

    def compare(self, context: Context) -> Fits:
        """Return the fits of each method that has complete points."""
        methods = [method for method in context.item.methods if method.missing is None]
        every = ((method, list(self._fits(context, method))) for method in methods)
        return [(method, fits) for method, fits in every if fits]

    def tables(self, rows: Fits) -> Mapping[str, pd.DataFrame]:
        """Return a row for each method, and how choosing one by its fit flatters it."""
        tables = {"": pd.DataFrame([self._summary(*row) for row in rows])}
        halves = _halves(rows)
        return tables if halves.empty else tables | {"_halves": halves}

    def comparisons(self, context: Context, rows: Fits) -> Sequence[Comparison]:
        """Return the numbers of the points of best test accuracy, which claims may be about."""
        return compare_item(context, self.metrics)

    def document(self, context: Context, rows: Fits) -> Document:
        """Return the table."""
        has_grid = bool(tuned(context.item.methods))
        cells = [c for _, fits in rows for fit in fits for c in fit.selected]
        legend = [*(_GRID_LEGEND if has_grid else _LEGEND), *rules(cells)]
        legend[0] = legend[0].format(metrics=", ".join(self.metrics))
        lines = [self._line(method, fits, has_grid) for method, fits in rows]
        table = section("", lines, notes=legend, left=2)
        return Document(introduction(context), [*table, *halves_section(_halves(rows))])

    def _line(self, method: Method, fits: Sequence[Fit], has_grid: bool) -> dict[str, Entry]:
        row = self._summary(method, fits)
        sources = [c for fit in fits for c in fit.selected]
        line: dict[str, Entry] = {name: row[name] for name in ("method", "interpretation")}
        line["data sets"] = str(row["n_datasets"])
        for m in self.metrics:
            head = f"{m} ratio" if is_size(m) else f"mean abs. {m} difference"
            text = f"{row[f'{m}_ratio']:.2f}" if is_size(m) else number(m, row[f"{m}_difference"])
            line[head] = TableCell(text, sources=[c for c in sources if c.metric == m])
        agreeing = TableCell(str(row["selected_agrees"]), sources=sources)
        none = str(row["no_point_agrees"]).replace(" ", ", ") or BLANK
        if not has_grid:
            return line | {"agrees": agreeing, "differs on": none}
        line |= {
            "selected point agrees": agreeing,
            "some point agrees": str(row["some_point_agrees"]),
        }
        line["agreeing points"] = f"{row['agreeing_points']} of {row['points']}"
        return line | {"sets without any": none}

    def _fits(self, context: Context, method: Method) -> Iterator[Fit]:
        """Yield the fit on each data set with all metrics published and some point done."""
        metrics, frame = list(self.metrics), context.frame
        name = published_name(method)
        columns = {metric: context.published.places(name, metric) for metric in metrics}
        outer = frame[(frame["method"] == method.key) & (frame["inner"] == OUTER)]
        complete = _complete_points(outer, metrics)
        for dataset in context.item.datasets:
            label, points = context.item.label(dataset), complete.get(dataset, [])
            published = {m: places[label][1] for m, places in columns.items() if label in places}
            choice = context.best.get((dataset, method.key))
            if len(published) == len(metrics) and points and choice is not None:
                is_alone = len(points) == 1
                selected = context.judge(
                    compare_values(
                        *(context.item, (dataset, method, metric), choice),
                        printed._replace(std=math.nan),
                        context.runs.find(dataset, method.key, metric) if is_alone else None,
                    )
                    for metric, printed in published.items()
                )
                rules = rules_of(context.item, context.paper)
                others = (_agrees(selected, point, rules) for point in points)
                agreeing = int(_all_agree(selected)) if is_alone else sum(others)
                yield Fit(label, selected, agreeing, len(points))

    def _summary(self, method: Method, fits: Sequence[Fit]) -> dict[str, Any]:
        """Return one row of the csv."""
        row: dict[str, Any] = {
            "method": published_name(method),
            "interpretation": _interpretation(method),
            "n_datasets": len(fits),
        }
        for place, metric in enumerate(self.metrics):
            numbers = [fit.selected[place] for fit in fits]
            ours = np.array([c.reproduced for c in numbers])
            theirs = np.array([c.published for c in numbers])
            if is_size(metric):
                # One is added, since published trees and ours have depths of 0.
                row[f"{metric}_ratio"] = float(np.exp(np.mean(np.log((ours + 1) / (theirs + 1)))))
            else:
                row[f"{metric}_difference"] = float(np.mean(np.abs(ours - theirs)))
        row["selected_agrees"] = sum(fit.agrees for fit in fits)
        row["some_point_agrees"] = sum(fit.n_agreeing > 0 for fit in fits)
        row["agreeing_points"] = sum(fit.n_agreeing for fit in fits)
        row["points"] = sum(fit.n_points for fit in fits)
        row["no_point_agrees"] = " ".join(fit.dataset for fit in fits if not fit.n_agreeing)
        return row


def _halves(rows: Fits) -> pd.DataFrame:
    return halves_table(
        (published_name(method), _interpretation(method), {fit.dataset: fit.agrees for fit in fits})
        for method, fits in rows
    )


def _interpretation(method: Method) -> str:
    return str(method.about.get("interpretation", "default"))


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
    by_dataset: dict[str, list[Point]] = {}
    for (dataset, _), *numbers in points.itertuples(name=None):
        point = dict(zip(columns, numbers, strict=True))
        if point[metrics[0], "count"] == n_folds[dataset]:
            by_dataset.setdefault(dataset, []).append(point)
    return by_dataset


def _all_agree(numbers: Iterable[Comparison]) -> bool:
    return all(c.verdict in AGREEING for c in numbers)


def _agrees(selected: Sequence[Comparison], point: Point, rules: Rules) -> bool:
    """Return whether another point than the selected one agrees in all metrics."""

    def judged(c: Comparison) -> Judgement:
        mean, std, n_folds = (point[c.metric, name] for name in ("mean", "std", "count"))
        return judge(replace(c, reproduced=mean, reproduced_std=std, n_folds=int(n_folds)), rules)

    return all(judged(c).verdict in AGREEING for c in selected)


COLUMNS = ("method", "n_interpretations", "n_datasets", "best", "share", "in_half", "in_other_half")
_NOTE = (
    f"{N_RESAMPLES:,} times, a random half of the data sets chooses the interpretation that agrees "
    "on most of them. The last two columns say on how many it then agrees: in the half that chose "
    "it, and in the other half. The difference is the optimism of choosing by fit."
)


def halves_table(agreement: Iterable[tuple[str, str, Mapping[str, bool]]]) -> pd.DataFrame:
    """Return a row for each method of several interpretations, as in ``<item>_halves.csv``.

    `agreement`: method, interpretation, and whether this agrees on each data set. Data sets that
    not all interpretations of a method have are left out.
    """
    by_method: dict[str, dict[str, Mapping[str, bool]]] = {}
    for method, name, agrees in agreement:
        by_method.setdefault(method, {})[name] = agrees
    rows = []
    for method, by_name in by_method.items():
        common = [
            d
            for d in next(iter(by_name.values()))
            if all(d in agrees for agrees in by_name.values())
        ]
        if len(by_name) < 2 or len(common) < 2:
            continue
        answers = np.array([[agrees[d] for d in common] for agrees in by_name.values()], bool)
        best = int(answers.sum(axis=1).argmax())
        shares = (float(answers[best].mean()), *chosen_on_half(answers))
        rows.append((method, len(by_name), len(common), list(by_name)[best], *shares))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def halves_section(table: pd.DataFrame) -> list[Block]:
    """Return the table as a section of an item's page; nothing without rows."""
    columns = {
        **{"method": "{method}", "interpretations": "{n_interpretations}"},
        **{"data sets": "{n_datasets}", "best of all": "{best}", "agrees on": "{share:.0%}"},
        **{"in the half that chose": "{in_half:.0%}", "in the other half": "{in_other_half:.0%}"},
    }
    title = "Chosen on one half of the data sets, judged on the other"
    return section(title, table, columns, [_NOTE])
