"""Where each column of the table of claims finds its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retree.experiments.definition.checks import MEAN, Check, Comparing
from retree.experiments.definition.definitions import Paper
from retree.reports.comparison import Comparison
from retree.reports.published import NOTHING, Published, PublishedValue

Compared = Mapping[str, Sequence[Comparison]]
# Returns the number of an item, keys of data set and method, and metric; NaN where there is none.
Find = Callable[[str, str, str, str], PublishedValue]
# What a metric is called where parameters are chosen inside the training folds.
NESTED = {"accuracy": "accuracy_nested"}


@dataclass(frozen=True)
class Replicates:
    """What finds the numbers of each replicate of a check."""

    finds: list[Find]
    # How many of the check's data sets have several replicates, and how many there are. The others
    # keep the numbers of their one run in all replicates.
    n_varied: int
    n_datasets: int


def published_numbers(published: Published, check: Check) -> Find:
    """Return what finds published numbers by the keys of a check."""

    def find(item: str, dataset: str, method: str, metric: str) -> PublishedValue:
        return published.find(item, check.label(dataset), check.label(method), metric)

    return find


def reproduced_numbers(compared: Compared) -> Find:
    """Return what finds reproduced numbers, means over the replicates where there are any."""
    # A mean over other data sets than the paper's says nothing on the paper's mean.
    cells = {key: c for key, c in _cells(compared).items() if c.is_comparable}

    def find(item: str, dataset: str, method: str, metric: str) -> PublishedValue:
        return _value(cells.get((item, dataset, method, metric)))

    return find


def nested_numbers(paper: Paper, compared: Compared) -> Find:
    """Return what finds numbers of parameters chosen inside the training folds.

    Such a choice is made once for a data set and method, so an item that lacks it has that of
    another item.
    """
    lookup = _Lookup(paper, compared)

    def find(item: str, dataset: str, method: str, metric: str) -> PublishedValue:
        return lookup.number(item, dataset, method, NESTED.get(metric, ""), _value)

    return find


def replicate_numbers(check: Check, paper: Paper, compared: Compared) -> Replicates | None:
    """Return what finds the numbers of each replicate of a check, None if there is one run only.

    Replicates are of single data sets: where one has fewer than the others, they are taken again
    from its first.
    """
    lookup = _Lookup(paper, compared)
    than = check.than if isinstance(check, Comparing) else ()
    methods = [*check.of, *(than if isinstance(than, tuple) else ())]
    datasets = lookup.expanded(check.item, check.datasets)
    cells = {
        dataset: [lookup.cell(check.item, dataset, m, check.metric) for m in methods]
        for dataset in datasets
    }
    counts = [max(_n_runs(cell) for cell in cells[dataset]) for dataset in datasets]
    if (total := max(counts, default=0)) == 0:
        return None
    finds = [_replicate(lookup, number) for number in range(total)]
    return Replicates(finds, sum(count > 0 for count in counts), len(datasets))


def _replicate(lookup: _Lookup, number: int) -> Find:
    def value(cell: Comparison) -> PublishedValue:
        if not _n_runs(cell):
            return _value(cell)
        i = number % len(cell.runs)
        return PublishedValue(cell.runs[i], cell.run_stds[i])

    def find(item: str, dataset: str, method: str, metric: str) -> PublishedValue:
        return lookup.number(item, dataset, method, metric, value)

    return find


class _Lookup:
    """The cells of a paper, by item, or of whatever item has them."""

    def __init__(self, paper: Paper, compared: Compared) -> None:
        self._paper = paper
        self._cells = _cells(compared)
        self._anywhere: dict[tuple[str, str, str], Comparison] = {}
        for (_, *place), cell in self._cells.items():
            self._anywhere.setdefault((place[0], place[1], place[2]), cell)

    def cell(self, item: str, dataset: str, method: str, metric: str) -> Comparison | None:
        own = self._cells.get((item, dataset, method, metric))
        return own or self._anywhere.get((dataset, method, metric))

    def number(
        self,
        item: str,
        dataset: str,
        method: str,
        metric: str,
        value: Callable[[Comparison], PublishedValue],
    ) -> PublishedValue:
        """Return the value of a cell; of `MEAN`, the mean over the item's data sets."""
        datasets = self.expanded(item, [dataset])
        cells = [self.cell(item, name, method, metric) for name in datasets]
        values = [NOTHING if cell is None else value(cell) for cell in cells]
        if dataset != MEAN:
            return values[0]
        return PublishedValue(
            float(np.mean([v.value for v in values])) if values else math.nan, math.nan
        )

    def expanded(self, item: str, datasets: Sequence[str]) -> list[str]:
        """Return data sets, all of the item's for `MEAN`."""
        own = self._paper.items[item].get("datasets", ())
        return [d for name in datasets for d in (own if name == MEAN else [name])]


def _cells(compared: Compared) -> dict[tuple[str, str, str, str], Comparison]:
    return {(item, *c.place, c.metric): c for item, cells in compared.items() for c in cells}


def _value(cell: Comparison | None) -> PublishedValue:
    return NOTHING if cell is None else PublishedValue(cell.reproduced, cell.reproduced_std)


def _n_runs(cell: Comparison | None) -> int:
    """Return how many replicates a cell has, 0 if it was run once."""
    return len(cell.runs) if cell is not None and cell.n_replicates > 1 else 0
