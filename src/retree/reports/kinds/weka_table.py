"""Tables as Weka's experimenter shows them: v, blank or * against a baseline (``weka_table``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import pandas as pd

from retree.experiments.definition.definitions import Item
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Cell, Document, Entry, Table, Tex
from retree.reports.fold_values import TITLES, find_fold_values
from retree.reports.formatting import MARK_TEST, capitalized, number
from retree.reports.kind import Kind
from retree.reports.kinds.weka_cells import GREATER, SAME, SMALLER, WekaCell, weka_cells
from retree.statistics.metrics import find_metric

Numbers = Mapping[tuple[str, str], Comparison]
COUNTS = f"({GREATER}/ /{SMALLER})"


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
        corrected = self._is_corrected(context.item)
        return list(weka_cells(context, self.metrics, self.baseline, corrected))

    def tables(self, rows: list[WekaCell]) -> Mapping[str, pd.DataFrame]:
        """Return the cells."""
        return {"": pd.DataFrame(rows, columns=[field.name for field in fields(WekaCell)])}

    def document(self, context: Context, rows: list[WekaCell]) -> Document:
        """Return the tables."""
        tables = []
        for heading, part in _parts(rows):
            tex = Tex(
                f"{context.item.caption}: {heading}",
                f"-{part[0].metric}-{part[0].selection}",
                self._legend(context.item, part),
            )
            found = find_fold_values(context, part[0].metric)[part[0].selection]
            grid = _grid(context, part, found.numbers)
            tables.append(Table(*grid, title=heading, tex=tex))
        return Document(introduction(context), [*tables, Bullets(self._legend(context.item, rows))])

    def _is_corrected(self, item: Item) -> bool:
        """Whether the test corrects for training sets that overlap; a single fold has none."""
        return self.test == "corrected" and item.protocol.folds > 1

    def _legend(self, item: Item, cells: Sequence[WekaCell]) -> list[str]:
        if not cells or not cells[0].baseline:
            return ["No method has results."]
        test = "paired t-test over the folds of all replicates"
        if self._is_corrected(item):
            test = f"{MARK_TEST}, test share 1/{item.protocol.folds}"
        n_dropped = sum(cell.n_dropped for cell in cells)
        sentences = [
            f"{GREATER} greater, {SMALLER} smaller than the value of (1) {cells[0].baseline} at "
            f"{LEVEL:.0%} ({test}); {COUNTS} counts the data sets that were tested.",
        ]
        if n_dropped:
            sentences.append(
                f"{n_dropped} folds are left out since only one of two methods has them."
            )
        return sentences


def _parts(cells: Sequence[WekaCell]) -> list[tuple[str, list[WekaCell]]]:
    """Return the cells of each table under its heading."""
    parts: dict[tuple[str, str], list[WekaCell]] = {}
    for cell in cells:
        parts.setdefault((cell.metric, cell.selection), []).append(cell)
    titled = len({selection for _, selection in parts}) > 1
    return [
        (
            capitalized(find_metric(metric).label)
            + (f": {TITLES[selection].lower()}" if titled else ""),
            part,
        )
        for (metric, selection), part in parts.items()
    ]


def _grid(
    context: Context, cells: Sequence[WekaCell], numbers: Numbers
) -> tuple[list[Entry], list[list[Entry]]]:
    """Return header and rows, the baseline's column first and the counts of the marks last."""
    baseline, by_place = cells[0].baseline, {(c.dataset, c.method): c for c in cells}
    reasons = context.plan.unavailable
    methods = sorted(context.item.methods, key=lambda m: m.name != baseline)
    heads = [
        Cell(f"({i}) {m.name}", reasons.get(m.key, "")) for i, m in enumerate(methods, start=1)
    ]
    rows: list[list[Entry]] = []
    for dataset in context.item.datasets:
        row: list[Entry] = [dataset]
        for method in methods:
            cell = by_place[dataset, method.name]
            text = f"{number(cell.metric, cell.mean)} {cell.mark}".rstrip()
            reason = "" if method.key in reasons else cell.reason
            row.append(Cell(text, reason, comparison=numbers.get((dataset, method.name))))
        rows.append(row)
    of_method = {m.name: [c for c in cells if c.method == m.name] for m in methods}
    rows.append([COUNTS, *(_counts(found, numbers) for found in of_method.values())])
    return ["data set", *heads], rows


def _counts(cells: Sequence[WekaCell], numbers: Numbers) -> Entry:
    """Return on how many data sets a method is greater, not different and smaller."""
    tested = [cell for cell in cells if not math.isnan(cell.p_value)]
    count = Counter(cell.mark for cell in tested)
    pairs = [(c.dataset, name) for c in tested for name in (c.method, c.baseline)]
    text = f"({count[GREATER]}/{count[SAME]}/{count[SMALLER]})" if tested else ""
    return Cell(text, sources=[numbers[pair] for pair in pairs])
