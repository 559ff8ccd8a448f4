"""Tables with a row for each method, in groups that each have a baseline (``grouped_table``)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from retree.experiments.definition.method import Method
from retree.reports.compare_items import compare_item
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell, number_cell
from retree.reports.formatting import BLANK, MARK_TEST, number
from retree.reports.kind import NumericKind


@dataclass(frozen=True, kw_only=True)
class GroupedTable(NumericKind):
    """A table for each metric: a row for each method, a column for each data set."""

    metrics: tuple[str, ...]
    # Keys of methods: each starts a group, which goes up to the next and is tested against it.
    baselines: tuple[str, ...]

    def method_keys(self) -> Iterable[str]:
        """Return the baselines."""
        return self.baselines

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by group, data set, method and metric."""
        groups = {m.key: group[0].key for group in self._groups(context) for m in group}
        found = compare_item(context, self.metrics, groups)
        places = {key: place for place, key in enumerate(groups.values())}
        return sorted(found, key=lambda c: places[groups[c.method_key]])

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return a table for each metric."""
        item = context.item
        names = ", ".join(group[0].name for group in self._groups(context))
        legend = (
            f"▲ greater, ▼ smaller than the value of the unpruned tree of the same kind ({names}) "
            f"at {LEVEL:.0%}, by {MARK_TEST}."
        )
        header = ["method", *map(item.label, item.datasets), "mean"]
        tables = [
            Table(
                header,
                _lines(context, [c for c in rows if c.metric == metric], metric),
                title=metric.capitalize(),
            )
            for metric in self.metrics
        ]
        return Document(introduction(context), [*tables, Bullets([legend])])

    def _groups(self, context: Context) -> list[list[Method]]:
        groups: list[list[Method]] = []
        for method in context.item.methods:
            if not groups or method.key in self.baselines:
                groups.append([])
            groups[-1].append(method)
        return groups


def _lines(context: Context, cells: Sequence[Comparison], metric: str) -> list[list[Entry]]:
    by_method: dict[str, list[Comparison]] = {m.name: [] for m in context.item.methods}
    for cell in cells:
        by_method[cell.method].append(cell)
    return [
        [name, *map(number_cell, found), _mean(metric, found)] for name, found in by_method.items()
    ]


def _mean(metric: str, cells: Sequence[Comparison]) -> Entry:
    values = [c.reproduced for c in cells]
    if any(map(math.isnan, values)):
        return BLANK
    return TableCell(number(metric, float(np.mean(values))), sources=cells)
