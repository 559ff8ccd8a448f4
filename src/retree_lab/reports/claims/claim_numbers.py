"""Where each column of the table of claims finds its numbers, and what they say on a claim."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.claim_config import MEAN, Check, Comparing
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.published import NOTHING, Published, PublishedValue

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Numbers that are published as equal must not differ by the last bit of a mean.
DECIMALS = 9


def compare_groups(
    values: pd.DataFrame,
    of: Sequence[str],
    than: Sequence[str] | float,
    relation: str,
    *,
    every: bool = False,
    factor: float = 1.0,
    plus: float = 0.0,
) -> pd.DataFrame:
    """Return row by row whether some of the columns `of` stand in `relation` to all of `than`.

    The latter are multiplied with `factor`, and `plus` is added.

    Shapes: `values` (n_rows, n_columns).
    Returns ``holds``: True, False, or None where that hangs on a missing number. ``left`` and
    ``right``: the known numbers that decide, NaN if there is none, and ``left_of`` and
    ``right_of``: their columns, "" for a number.
    """
    small, compare = relation.startswith("<"), OPERATORS[relation]
    rows = []
    for _, row in values.iterrows():
        ours = {name: float(row[name]) for name in of}
        theirs = {"": than} if isinstance(than, int | float) else {m: row[m] for m in than}
        answers = [
            _all(_compared(compare, a, factor * float(b) + plus) for b in theirs.values())
            for a in ours.values()
        ]
        left_of, left = _extreme(ours, least=small != every)
        right_of, right = _extreme(theirs, least=small)
        holds = _all(answers) if every else _any(answers)
        rows.append((left, left_of, right, right_of, holds))
    # As objects, so that True, False and None stay what they are.
    columns = ["left", "left_of", "right", "right_of", "holds"]
    return pd.DataFrame(rows, values.index, columns, dtype=object)


def counted(
    holds: Iterable[bool | None], at_least: int | None = None, at_most: int | None = None
) -> bool | None:
    """Return whether the number of True is in the bounds, None if that hangs on what is unknown."""
    answers = list(holds)
    least = sum(answer is True for answer in answers)
    most = least + sum(answer is None for answer in answers)
    low, high = at_least or 0, len(answers) if at_most is None else at_most
    if most < low or least > high:
        return False
    return True if least >= low and most <= high else None


def averages(values: pd.DataFrame, geometric: bool = False) -> pd.DataFrame:
    """Return the mean of each column as one row; NaN if a number is missing."""
    if geometric:
        return averages(values.map(np.log)).map(np.exp)
    return values.mean(axis=0, skipna=False).to_frame().T


def _compared(compare: Callable[[float, float], bool], a: float, b: float) -> bool | None:
    if math.isnan(a) or math.isnan(b):
        return None
    return compare(round(a, DECIMALS), round(b, DECIMALS))


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Return whether all are True, None if that is not known."""
    every = list(answers)
    return False if False in every else None if None in every else True


def _any(answers: Iterable[bool | None]) -> bool | None:
    every = list(answers)
    return True if True in every else None if None in every else False


def _extreme(numbers: Mapping[str, float], least: bool) -> tuple[str, float]:
    """Return name and value of the lowest or highest known number, the first of equal ones."""
    finite = {name: float(value) for name, value in numbers.items() if not math.isnan(value)}
    if not finite:
        return "", math.nan
    name = (min if least else max)(finite, key=finite.__getitem__)
    return name, finite[name]


Compared = Mapping[str, Sequence[Comparison]]
# Returns the number of an item, keys of data set and method, and metric; NaN where there is none.
Find = Callable[[str, str, str, str], PublishedValue]
# Names of metrics where parameters are chosen inside the training folds.
NESTED = {"accuracy": "accuracy_nested"}


@dataclass(frozen=True)
class Replicates:
    """The functions that find the numbers of each replicate of a check."""

    finds: list[Find]
    # How many of the check's data sets have several replicates, and how many there are. The others
    # keep the numbers of their one run in all replicates.
    n_varied: int
    n_datasets: int


def published_numbers(published: Published, check: Check) -> Find:
    """Return a function that finds published numbers by the keys of a check."""
    return lambda item, dataset, method, metric: published.find(
        item, check.label(dataset), check.label(method), metric
    )


def reproduced_numbers(compared: Compared) -> Find:
    """Return a function that finds reproduced numbers, means over any replicates."""
    # A mean over other data sets than the paper's says nothing on the paper's mean.
    cells = {key: c for key, c in _cells(compared).items() if c.is_comparable}
    return lambda *place: _value(cells.get(place))


def nested_numbers(paper: Paper, compared: Compared) -> Find:
    """Return a function that finds numbers of parameters chosen inside the training folds.

    Such a choice is made once for a data set and method, so an item that lacks it has that of
    another item.
    """
    lookup = _Lookup(paper, compared)
    return lambda item, dataset, method, metric: lookup.number(
        item, dataset, method, NESTED.get(metric, ""), _value
    )


def replicate_numbers(check: Check, paper: Paper, compared: Compared) -> Replicates:
    """Return functions that look up the numbers of each replicate; none if there is one run.

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
    finds = [_replicate(lookup, number) for number in range(max(counts, default=0))]
    return Replicates(finds, sum(count > 0 for count in counts), len(datasets))


def _replicate(lookup: _Lookup, number: int) -> Find:
    def value(cell: Comparison) -> PublishedValue:
        if (run := cell.run) is None or not _n_runs(cell):
            return _value(cell)
        i = number % len(run.means)
        return PublishedValue(run.means[i], run.stds[i])

    return lambda item, dataset, method, metric: lookup.number(item, dataset, method, metric, value)


class _Lookup:
    """The cells of a paper, by item, or of whatever item has them."""

    def __init__(self, paper: Paper, compared: Compared) -> None:
        self._paper = paper
        self._cells = _cells(compared)
        self._anywhere: dict[tuple[str, str, str], Comparison] = {}
        for (_, *place), cell in self._cells.items():
            self._anywhere.setdefault((place[0], place[1], place[2]), cell)

    def cell(self, item: str, dataset: str, method: str, metric: str) -> Comparison | None:
        replicate = self._cells.get((item, dataset, method, metric))
        return replicate or self._anywhere.get((dataset, method, metric))

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
        of_item = self._paper.items[item].get("datasets", ())
        return [d for name in datasets for d in (of_item if name == MEAN else [name])]


def _cells(compared: Compared) -> dict[tuple[str, str, str, str], Comparison]:
    return {(item, *c.place, c.metric): c for item, cells in compared.items() for c in cells}


def _value(cell: Comparison | None) -> PublishedValue:
    return NOTHING if cell is None else PublishedValue(cell.reproduced, cell.reproduced_std)


def _n_runs(cell: Comparison | None) -> int:
    """Return the number of replicates of a cell, 0 if it was run once."""
    return len(cell.runs) if cell is not None and cell.n_replicates > 1 else 0
