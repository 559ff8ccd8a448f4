"""The tables of a paper as they are printed, with what is said of each number and its distance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retree_lab.reports.agreement import published_numbers
from retree_lab.reports.comparison import Comparison, Word, comparison_table, distance
from retree_lab.reports.formatting import number
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.sections import grouped
from retree_lab.statistics.metrics import NESTED

PUBLISHED, INSIDE = "published", "inside"
# From these distances on, in points or tenths of a size, a colour is stronger.
_STEPS = (0.5, 1.0, 2.0)
Place = tuple[str, str]


@dataclass(frozen=True)
class View:
    """A table for one way to choose parameters: what is said of each number, and its colour."""

    choice: str  # `PUBLISHED` or `INSIDE`
    words: Mapping[Place, Word | None]
    # From -3 to 3: 0 is half a point away at most, 3 more than two points; negative if ours is the
    # higher one. None where nothing can be checked.
    levels: Mapping[Place, int | None]

    @property
    def counts(self) -> Counter[Word]:
        """How many numbers have each word."""
        return Counter(word for word in self.words.values() if word)


@dataclass(frozen=True)
class PrintedTable:
    """A metric of a table of the paper: rows are data sets, columns methods."""

    item: str
    metric: str
    # The published numbers beside ours, by data set and method, for each way to choose parameters:
    # as published, and inside the training folds where that was run beside.
    numbers: Mapping[str, Mapping[Place, Comparison]]

    @property
    def rows(self) -> list[str]:
        """Its data sets."""
        return list(dict.fromkeys(dataset for dataset, _ in self.numbers[PUBLISHED]))

    @property
    def columns(self) -> list[str]:
        """Its methods."""
        return list(dict.fromkeys(method for _, method in self.numbers[PUBLISHED]))

    def views(self) -> Iterator[View]:
        """Yield the table for each way to choose parameters."""
        for choice, numbers in self.numbers.items():
            words = {place: c.word for place, c in numbers.items()}
            yield View(choice, words, {place: level(c) for place, c in numbers.items()})


def level(c: Comparison) -> int | None:
    """Return the colour of a number by its distance from ours, see `View`."""
    if c.word in (None, Word.UNCHECKED):
        return None
    away = distance(c.metric, c.reproduced, c.published)
    size = sum(abs(away) > step + 1e-9 for step in _STEPS)
    return int(math.copysign(size, away))


def printed_tables(contexts: Iterable[ItemReport]) -> list[PrintedTable]:
    """Return the tables of published numbers with several data sets and methods."""
    tables = []
    for context in contexts:
        of_metrics = grouped(context.comparisons, lambda c: c.metric)
        for metric, every in of_metrics.items():
            numbers = _published(every)
            by = {PUBLISHED: numbers}
            if nested := _published(_nested(context, numbers, of_metrics.get(NESTED, ()))):
                by |= {INSIDE: nested} if metric == "accuracy" else {}
            table = PrintedTable(context.item.name, metric, by)
            if min(len(table.rows), len(table.columns)) > 1:
                tables.append(table)
    return tables


def _published(comparisons: Iterable[Comparison]) -> dict[Place, Comparison]:
    """Return the numbers that every count is of, see `published_numbers`."""
    every = list(comparisons)
    kept = published_numbers(comparison_table(every)).index
    return {(every[i].dataset, every[i].method): every[i] for i in kept}


def _nested(
    context: ItemReport, published: Mapping[Place, Comparison], nested: Sequence[Comparison]
) -> list[Comparison]:
    """Return published accuracies beside ours of parameters chosen inside the training folds."""
    beside = ((c, published.get((c.dataset, c.method))) for c in nested)
    return context.judge(
        replace(c, metric=theirs.metric, theirs=theirs.theirs) for c, theirs in beside if theirs
    )


def printed_text(c: Comparison) -> str:
    """Return a published number as it is printed."""
    shown = (v for v in (c.published, c.published_std) if not math.isnan(v))
    return "±".join(number(c.metric, value, unit=c.unit) for value in shown)
