"""Tables of each method against one of them: Weka's marks, and ratios of training times.

Their kinds are ``weka_table`` and ``time_table``.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import ClassVar, NamedTuple

import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.reports.cells import machine_sentence
from retree_lab.reports.compare_items import compare_item
from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Phrase, Table, TableCell
from retree_lab.reports.fold_values import (
    FoldValues,
    MethodPair,
    find_fold_values,
    find_pair,
    selection_title,
    sign_of,
)
from retree_lab.reports.formatting import agreement_sentence, capitalized, number, verdict_legend
from retree_lab.reports.kinds import Kind, NumericKind
from retree_lab.reports.kinds.metric_table import method_cell, method_heads
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.sections import Column, csv_table, grid_table, grouped, page_table
from retree_lab.statistics import PairedTest
from retree_lab.statistics.metrics import find_metric
from retree_lab.statistics.paired_tests import NamedTest, find_test

MARKS = {1: "v", 0: "", -1: "*"}
COUNTS = "(v/ /*)"
_CSV = {
    **{name: f"pair.{name}" for name in ("selection", "metric", "dataset", "method")},
    **{"baseline": "pair.base", "mean": "mean", "std": "std", "difference": "test.mean_difference"},
    "low": lambda c: c.test.confidence_interval()[0],
    "high": lambda c: c.test.confidence_interval()[1],
    **{"statistic": "test.statistic", "p_value": "test.p_value", "mark": "mark"},
    **{"n_pairs": "test.n_pairs", "n_dropped": "test.n_dropped", "reason": "pair.reason"},
}


class WekaCell(NamedTuple):
    """A method against the baseline by the test that is asked for, and its mean over the folds."""

    pair: MethodPair
    test: PairedTest
    mark: str
    mean: float
    std: float


@dataclass(frozen=True, kw_only=True)
class WekaTable(Kind[list[WekaCell]]):
    """A table for each metric and way of selection, the baseline's column first."""

    shows_both: ClassVar[bool] = True
    metrics: tuple[str, ...]
    # Key of the method to compare with. By default, or if it has no results, the first that has.
    baseline: str = ""
    # One of `retree_lab.statistics.paired_tests`: ``corrected`` is for overlapping training sets.
    test: str = "corrected"

    def method_keys(self) -> Iterable[str]:
        """Return the baseline."""
        return [self.baseline] if self.baseline else []

    def compare(self, context: Context) -> list[WekaCell]:
        """Return the values and tests by metric, selection, data set and method."""
        by_metric = (find_fold_values(context, metric).values() for metric in self.metrics)
        return [
            cell for some in by_metric for one in some for cell in self._cells(context.item, one)
        ]

    def tables(self, rows: list[WekaCell]) -> Mapping[str, pd.DataFrame]:
        """Return the cells."""
        return {"": csv_table(_CSV, rows)}

    def document(self, context: Context, rows: list[WekaCell]) -> Document:
        """Return the tables."""
        groups = grouped(rows, lambda cell: (cell.pair.metric, cell.pair.selection))
        several, tables = len({selection for _, selection in groups}) > 1, []
        for (metric, selection), part in groups.items():
            heading = capitalized(find_metric(metric).label)
            heading += f": {selection_title(selection, context.item).lower()}" if several else ""
            tables.append(_table(context, part, heading))
        return Document(introduction(context), [*tables, Bullets(self._legend(context.item, rows))])

    def _cells(self, item: Item, values: FoldValues) -> Iterator[WekaCell]:
        wanted = {m.key: m.name for m in item.methods}.get(self.baseline, "")
        base = wanted if wanted in values.methods else next(iter(values.methods), "")
        for dataset, method in itertools.product(item.datasets, item.methods):
            pair = find_pair(values, item, dataset, method.name, base)
            test = pair.test(self._named(item).name)
            ours = pd.Series(dtype=float) if pair.values[0] is None else pair.values[0]
            spread = float(ours.mean()), float(ours.std(ddof=1))
            yield WekaCell(pair, test, MARKS[sign_of(test)], *spread)

    def check(self, item: Item) -> None:
        """Refuse an unknown test."""
        find_test(self.test)

    def _named(self, item: Item) -> NamedTest:
        """Return the test; there is nothing to correct for in a single fold."""
        several = item.protocol.is_own or item.protocol.folds > 1
        return find_test(self.test if several or self.test != "corrected" else "paired")

    def _legend(self, item: Item, cells: Sequence[WekaCell]) -> list[str]:
        if not cells or not cells[0].pair.base:
            return ["No method has results."]
        named, has_share = self._named(item), not item.protocol.is_own
        test = named.words
        if named.name == "corrected" and has_share:
            test += f", test share 1/{item.protocol.folds}"
        n_dropped = sum(cell.test.n_dropped for cell in cells)
        lost = f"{n_dropped} folds are left out since only one of two methods has them."
        return [
            f"v greater, * smaller than the value of (1) {cells[0].pair.base} at {LEVEL:.0%}, by "
            f"{test}. {COUNTS} counts the data sets that were tested.",
            *([lost] if n_dropped else []),
        ]


def _table(context: Context, cells: Sequence[WekaCell], title: str) -> Table:
    """Return a table, the baseline's column first and the counts of the marks last."""
    base, reasons = cells[0].pair.base, context.plan.unavailable
    methods = sorted(context.item.methods, key=lambda m: m.name != base)
    rows = [
        list(of_dataset) for _, of_dataset in itertools.groupby(cells, lambda c: c.pair.dataset)
    ]
    columns, last = [Column("data set", lambda row: row[0].pair.dataset)], list[TableCell]()
    last.append(TableCell(COUNTS, sums=True))
    for place, method in enumerate(methods, start=1):
        # A reason that holds for a whole column is in its head.
        reason, at = reasons.get(method.key, ""), context.item.methods.index(method)
        head = TableCell((f"({place}) ", Phrase(method.name)), reason)
        columns.append(Column(head, itemgetter(at), partial(_entry, is_explained=bool(reason))))
        last.append(_counts([row[at] for row in rows]))
    return page_table(columns, rows, [last], title=title)


def _entry(cell: WekaCell, is_explained: bool) -> TableCell:
    number_of = next((c for c in cell.pair.numbers if c.method == cell.pair.method), None)
    reason = "" if is_explained else cell.pair.reason
    text = number(cell.pair.metric, cell.mean)
    return TableCell(text, reason, marks=cell.mark, comparison=number_of)


def _counts(cells: Sequence[WekaCell]) -> TableCell:
    """Return on how many data sets a method is greater, not different and smaller."""
    tested = [cell for cell in cells if not math.isnan(cell.test.p_value)]
    count = Counter(cell.mark for cell in tested)
    text = "/".join(str(count[mark]) for mark in MARKS.values())
    sources = [number for cell in tested for number in cell.pair.numbers]
    return TableCell(f"({text})" if tested else "", sources=sources)


CPU, WALL, RATIO = "train_ms_10_trees", "train_wall_ms_10_trees", "train_time_ratio"


@dataclass(frozen=True, kw_only=True)
class TimeTable(NumericKind):
    """CPU and wall times of ten trees, and the ratios of CPU times to a method's.

    The published times are from another machine, so they have no verdict. Their ratios to the
    time of the reference on the same data set are compared with ours.
    """

    reference: str  # Key of the method whose times are the unit

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics of its tables."""
        return CPU, WALL, RATIO

    def method_keys(self) -> Iterable[str]:
        """Return the reference."""
        return [self.reference]

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the times by data set and method, each with its ratio."""
        times, reference = compare_item(context, [CPU, WALL]), self._reference(context.item)
        base = {c.dataset: c for c in times if (c.method, c.metric) == (reference, CPU)}
        comparisons = []
        for cpu, wall in zip(times[::2], times[1::2], strict=True):
            comparisons += [cpu, wall]
            if reference not in ("", cpu.method):
                comparisons.append(_ratio(cpu, base[cpu.dataset]))
        return context.judge(comparisons)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return a table of each metric."""
        legend = _legend(context, rows)
        headings = {CPU: "CPU time of ten trees in ms", WALL: "Wall time of ten trees in ms"}
        if reference := self._reference(context.item):
            headings[RATIO] = f"CPU time relative to {reference}"
        tables = [
            _time_table(context, [c for c in rows if c.metric == metric], heading)
            for metric, heading in headings.items()
        ]
        return Document(introduction(context), [*tables, Bullets(legend)])

    def _reference(self, item: Item) -> str:
        """Return the name of the method that times are divided by, "" if the item lacks it."""
        return next((m.name for m in item.methods if m.key == self.reference), "")


def _time_table(context: Context, cells: Sequence[Comparison], heading: str) -> Table:
    times = {(c.dataset, c.method): method_cell(context, c) for c in cells}
    # The reference has no ratio to itself.
    methods = {method for _, method in times}
    heads = {name: head for name, head in method_heads(context).items() if name in methods}
    labels = map(context.item.label, context.item.datasets)
    return grid_table(labels, heads, times, title=heading)


def _ratio(time: Comparison, base: Comparison) -> Comparison:
    ours = _quotient(time.reproduced, base.reproduced)
    theirs = _quotient(time.published, base.published)
    n_folds = 0 if math.isnan(ours) else min(time.n_folds, base.n_folds)
    return replace(
        time,
        metric=RATIO,
        reproduced=ours,
        reproduced_std=math.nan,
        theirs=PublishedValue(theirs, math.nan, time.theirs.unit),
        n_folds=n_folds,
        reason=time.reason or base.reason,
    )


def _quotient(time: float, base: float) -> float:
    # A clock of coarse ticks may show no time at all.
    return time / base if base else math.nan


def _legend(context: Context, comparisons: Sequence[Comparison]) -> list[str]:
    protocol = context.item.protocol
    n_trees = protocol.folds * protocol.repeats
    sentences = [
        machine_sentence(context.frame, context.stored),
        f"A time is ten times the mean over the {n_trees} training sets, for the fit alone; "
        "nothing else ran at the same time."
        if protocol.timed
        else f"A time is ten times the mean over the {n_trees} training sets; other fits ran at "
        "the same time, so times are rough.",
        "The published times, from another machine and other programs, are in brackets. They are "
        "not judged, but their ratios are."
        if any(not math.isnan(c.published) for c in comparisons)
        else "",
        agreement_sentence(comparisons),
        *verdict_legend(comparisons),
    ]
    return [sentence for sentence in sentences if sentence]
