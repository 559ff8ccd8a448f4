"""Tables as Weka's experimenter shows them: v, blank or * against a baseline (``weka_table``)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import ClassVar, NamedTuple

import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.reports.comparison import LEVEL
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import introduction
from retree_lab.reports.document import Bullets, Document, Phrase, Table, TableCell
from retree_lab.reports.fold_values import (
    FoldValues,
    MethodPair,
    find_fold_values,
    find_pair,
    selection_title,
    sign_of,
)
from retree_lab.reports.formatting import capitalized, number
from retree_lab.reports.kind import Kind
from retree_lab.reports.sections import Column, csv_table, grouped, page_table
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
    # Key of the method to compare with; "" or without results, the first one that has some.
    baseline: str = ""
    # One of `retree_lab.statistics.paired_tests`: ``corrected`` is for training sets that overlap.
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
