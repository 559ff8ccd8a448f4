"""The values of single data sets behind an item's means, ranks, contrasts and counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import (
    MEAN_CELL,
    Block,
    Document,
    Entry,
    Phrase,
    Table,
    TableCell,
    Text,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.fold_groups import INSIDE
from retree_lab.reports.formatting import capitalized, exact, number
from retree_lab.reports.published import MEAN
from retree_lab.reports.references import ToFolds, ToPage, ToValues, is_nested
from retree_lab.statistics.metrics import find_metric

INTRODUCTION = (
    "The values of single data sets behind its means, ranks, contrasts and counts, with the "
    "published values in brackets. Click a value for its folds."
)
Sources = Sequence[Comparison]


@dataclass(frozen=True)
class ValueTable:
    """The values behind numbers of one metric over the same data sets."""

    item: str
    number: int  # Which table of the page, from 1
    metric: str
    datasets: tuple[str, ...]
    # The values by name of the method and data set.
    columns: dict[str, dict[str, Comparison]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The metric, and over how many data sets and runs."""
        label = capitalized(find_metric(self.metric).label)
        values = [c for cells in self.columns.values() for c in cells.values()]
        runs = {c.n_replicates for c in values}
        parts = [label, f"{len(self.datasets)} data sets"]
        if max(runs) > 1:
            parts.append(f"means over {'up to ' * (len(runs) > 1)}{max(runs)} replicates")
        if any(is_nested(c.params) for c in values):
            parts.append(INSIDE)
        return ", ".join(parts)

    def can_take(self, sources: Sources) -> bool:
        """Whether the values of a number can stand in the table, which has one of a kind."""
        datasets = _datasets(sources)
        known = [self.columns.get(c.method, {}).get(c.dataset) for c in sources]
        if sources[0].metric != self.metric or any(
            old is not None and (old.params, old.n_replicates) != (c.params, c.n_replicates)
            for old, c in zip(known, sources, strict=True)
        ):
            return False
        return datasets == self.datasets or (len(datasets) == 1 and None not in known)

    @property
    def blocks(self) -> list[Block]:
        """Heading and table, with the means; methods are rows if they are more."""
        heads: list[Entry] = [
            TableCell(Phrase(method, place=ToValues(self.item, self.number, method)))
            for method in self.columns
        ]
        rows: list[list[Entry]] = [
            [dataset, *(_value(self.item, cells[dataset]) for cells in self.columns.values())]
            for dataset in self.datasets
        ]
        means = (fmean(c.reproduced for c in cells.values()) for cells in self.columns.values())
        grid: list[list[Entry]] = [["data set", *heads], *rows, [MEAN_CELL, *exact(means)]]
        if len(self.columns) > len(self.datasets):
            (_, *names), *columns = zip(*grid, strict=True)
            grid = [["method", *names], *map(list, columns)]
        heading = Text(self.title, places=[ToValues(self.item, self.number)])
        return [heading, Table(grid[0], grid[1:])]


class Values:
    """The tables of values behind the numbers of an item."""

    def __init__(self, item: str, document: Document) -> None:
        self._item = item
        self._tables: list[ValueTable] = []
        every = [cell.sources for cell in document.cells if cell.sources]
        # A number of a single data set finds its values in a table of more of them.
        for sources in sorted(every, key=lambda sources: len(_datasets(sources)) == 1):
            for own in _by_metric(sources):
                table = self._find(own)
                for c in own:
                    table.columns.setdefault(c.method, {})[c.dataset] = c

    def reference(self, sources: Sources) -> ToValues:
        """Return where the values are that a number is made of."""
        table = self._find(_by_metric(sources)[0])
        (first, *others) = dict.fromkeys((c.method, c.metric) for c in sources)
        return ToValues(self._item, table.number, "" if others else first[0])

    def page(self) -> Document | None:
        """Return the page, None if no number needs it."""
        if not self._tables:
            return None
        title = item_title(self._item)
        lead = (Phrase(title, ToPage(self._item)), f". {INTRODUCTION}")
        blocks = [block for table in self._tables for block in table.blocks]
        return Document([], blocks, f"Values behind {title}", [lead])

    def _find(self, sources: Sources) -> ValueTable:
        """Return the table that the values of a number stand in, a new one if there is none."""
        found = next((table for table in self._tables if table.can_take(sources)), None)
        if found is None:
            place = self._item, len(self._tables) + 1
            found = ValueTable(*place, sources[0].metric, _datasets(sources))
            self._tables.append(found)
        return found


def folds_of(item: str, c: Comparison) -> ToFolds | None:
    """Return the folds of a number of an item, None if it is no mean over folds."""
    is_mean = c.n_folds and c.params and c.dataset != MEAN
    return ToFolds(item, c.dataset, c.method, c.params) if is_mean else None


def linked_number(c: Comparison) -> TableCell:
    """Return a reproduced number, which leads to its folds or else to its table."""
    unit = math.nan if math.isnan(c.steps) else c.unit
    to = folds_of(c.item, c) or ToPage(c.item)
    return TableCell(number(c.metric, c.reproduced, unit=unit), to=to)


def _by_metric(sources: Sources) -> list[Sources]:
    metrics = dict.fromkeys(c.metric for c in sources)
    return [[c for c in sources if c.metric == metric] for metric in metrics]


def _datasets(sources: Sources) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.dataset for c in sources))


def _value(item: str, c: Comparison) -> TableCell:
    """Return a value, which leads to its folds, and behind it the published one."""
    (text,) = exact([c.reproduced])
    published = "" if math.isnan(c.published) else f"({number(c.metric, c.published)})"
    return TableCell(text, published=published, to=folds_of(item, c))
