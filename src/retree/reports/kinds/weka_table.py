"""Tables as Weka's experimenter shows them: v, blank or * against a baseline (``weka_table``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from retree.experiments.definition.definitions import Item, Method
from retree.reports.columns import Column, csv_table, page_table
from retree.reports.comparison import LEVEL
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Cell, Document, Table, Tex, Words
from retree.reports.fold_values import TITLES, FoldValues, find_fold_values
from retree.reports.formatting import MARK_TEST, capitalized, number
from retree.reports.kind import Kind
from retree.reports.pairs import Pair, find_pair, sign_of
from retree.statistics import PairedTest
from retree.statistics.metrics import find_metric

MARKS = {1: "v", 0: "", -1: "*"}
COUNTS = "(v/ /*)"
_CSV = {
    "selection": "selection",
    **{name: f"pair.{name}" for name in ("metric", "dataset", "method")},
    "baseline": "pair.base",
    "mean": lambda c: math.nan if c.pair.ours is None else float(c.pair.ours.mean()),
    "std": lambda c: math.nan if c.pair.ours is None else float(c.pair.ours.std(ddof=1)),
    "difference": "test.mean_difference",
    "low": lambda c: c.test.confidence_interval()[0],
    "high": lambda c: c.test.confidence_interval()[1],
    **{name: f"test.{name}" for name in ("statistic", "p_value")},
    "mark": "mark",
    **{name: f"test.{name}" for name in ("n_pairs", "n_dropped")},
    "reason": "reason",
}


@dataclass(frozen=True)
class WekaCell:
    """A method against the baseline, by the test that is asked for.

    The `reason` says why there is no value or no test, or what to know of it.
    """

    selection: str
    pair: Pair
    test: PairedTest
    reason: str

    @property
    def mark(self) -> str:
        """``v`` significantly greater, ``*`` significantly smaller, or ""."""
        return MARKS[sign_of(self.test)]


@dataclass(frozen=True, kw_only=True)
class WekaTable(Kind[list[WekaCell]]):
    """A table for each metric and way of selection, the baseline's column first.

    Attributes
    ----------
    metrics : tuple of str
    baseline : str
        Key of the method to compare with; "" or without results, the first one that has some.
    test : str
        ``corrected`` for overlapping training sets (Nadeau and Bengio), or ``paired``.
    """

    metrics: tuple[str, ...]
    baseline: str = ""
    test: Literal["corrected", "paired"] = "corrected"

    def method_keys(self) -> Iterable[str]:
        """Return the baseline."""
        return [self.baseline] if self.baseline else []

    def compare(self, context: Context) -> list[WekaCell]:
        """Return the values and tests by metric, selection, data set and method."""
        found = (find_fold_values(context, metric).values() for metric in self.metrics)
        return [cell for some in found for one in some for cell in self._cells(context.item, one)]

    def tables(self, rows: list[WekaCell]) -> Mapping[str, pd.DataFrame]:
        """Return the cells."""
        return {"": csv_table(_CSV, rows)}

    def document(self, context: Context, rows: list[WekaCell]) -> Document:
        """Return the tables."""
        parts: dict[tuple[str, str], list[WekaCell]] = {}
        for cell in rows:
            parts.setdefault((cell.pair.metric, cell.selection), []).append(cell)
        several, tables = len({selection for _, selection in parts}) > 1, []
        for (metric, selection), part in parts.items():
            heading = capitalized(find_metric(metric).label)
            heading += f": {TITLES[selection].lower()}" if several else ""
            legend = self._legend(context.item, part)
            tex = Tex(f"{context.item.caption}: {heading}", f"-{metric}-{selection}", legend)
            tables.append(_table(context, part, heading, tex))
        return Document(introduction(context), [*tables, Bullets(self._legend(context.item, rows))])

    def _cells(self, item: Item, found: FoldValues) -> Iterator[WekaCell]:
        wanted = {m.key: m.name for m in item.methods}.get(self.baseline, "")
        base = wanted if wanted in found.methods else next(iter(found.methods), "")
        for dataset in item.datasets:
            for name in (method.name for method in item.methods):
                pair = find_pair(found, item, dataset, name, base)
                reason = found.reasons.get((dataset, name), "")
                if pair.ours is not None and pair.theirs is None:
                    reason = f"no test: {base}: {found.reasons[dataset, base]}"
                test = pair.corrected if self._is_corrected(item) else pair.plain
                yield WekaCell(found.selection, pair, test, reason)

    def _is_corrected(self, item: Item) -> bool:
        """Whether the test corrects for training sets that overlap; a single fold has none."""
        several = item.protocol.own is not None or item.protocol.folds > 1
        return self.test == "corrected" and several

    def _legend(self, item: Item, cells: Sequence[WekaCell]) -> list[str]:
        if not cells or not cells[0].pair.base:
            return ["No method has results."]
        test = "paired t-test over the folds of all replicates"
        if self._is_corrected(item):
            own = item.protocol.own is not None
            test = MARK_TEST + ("" if own else f", test share 1/{item.protocol.folds}")
        n_dropped = sum(cell.test.n_dropped for cell in cells)
        lost = f"{n_dropped} folds are left out since only one of two methods has them."
        return [
            f"v greater, * smaller than the value of (1) {cells[0].pair.base} at {LEVEL:.0%} "
            f"({test}); {COUNTS} counts the data sets that were tested.",
            *([lost] if n_dropped else []),
        ]


def _table(context: Context, cells: Sequence[WekaCell], title: str, tex: Tex) -> Table:
    """Return a table, the baseline's column first and the counts of the marks last."""
    base, reasons = cells[0].pair.base, context.plan.unavailable
    methods = sorted(context.item.methods, key=lambda m: m.name != base)
    rows: dict[str, dict[str, WekaCell]] = {}
    for cell in cells:
        rows.setdefault(cell.pair.dataset, {})[cell.pair.method] = cell

    def column(place: int, method: Method) -> Column:
        reason = reasons.get(method.key, "")
        head = Cell((f"({place}) ", Words(method.name)), reason)
        return Column(head, lambda row: row[1][method.name], lambda c: _entry(c, bool(reason)))

    columns = [column(*place) for place in enumerate(methods, start=1)]
    counts = [_counts([row[m.name] for row in rows.values()]) for m in methods]
    first = Column("data set", lambda row: row[0])
    last = [Cell(COUNTS, sums=True), *counts]
    return page_table([first, *columns], rows.items(), [last], title=title, tex=tex)


def _entry(cell: WekaCell, is_explained: bool) -> Cell:
    """Return a value with its mark; what holds for a whole column is explained in its head."""
    mean = cell.pair.numbers.get(cell.pair.method)
    value = math.nan if cell.pair.ours is None else float(cell.pair.ours.mean())
    reason = "" if is_explained else cell.reason
    return Cell(number(cell.pair.metric, value), reason, marks=cell.mark, comparison=mean)


def _counts(cells: Sequence[WekaCell]) -> Cell:
    """Return on how many data sets a method is greater, not different and smaller."""
    tested = [cell for cell in cells if not math.isnan(cell.test.p_value)]
    count = Counter(cell.mark for cell in tested)
    text = "/".join(str(count[mark]) for mark in MARKS.values())
    sources = [number for cell in tested for number in cell.pair.sources]
    return Cell(f"({text})" if tested else "", sources=sources)
