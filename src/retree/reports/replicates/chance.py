"""How often published numbers lie outside the intervals of one run, against what chance gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree.reports.columns import csv_table
from retree.reports.comparison import Comparison
from retree.reports.grouping import grouped
from retree.statistics import JUDGED, OUTSIDE, Verdict
from retree.statistics.intervals import Share, leave_half_out, leave_one_out, resampled_share
from retree.statistics.metrics import is_size

Compared = Mapping[str, Sequence[Comparison]]
# Fewer runs leave too few to predict one from the others.
FEWEST = 4


@dataclass(frozen=True)
class Located:
    """A number of a table, and the item that it stands in."""

    item: str
    cell: Comparison


@dataclass(frozen=True)
class Outside:
    """Published numbers of a group against the intervals of one run."""

    group: tuple[str, ...]  # What the numbers have in common
    share: Share  # How many lie outside, with the interval over other data sets
    weak: int  # How many agree, but with an interval that holds half of the row
    # How many lie outside and differ if all numbers of their item are considered together.
    differing: int
    before: int  # How many differ by the tolerance that the folds of one run give


@dataclass(frozen=True)
class Coverage:
    """How many runs lie in the interval that the other runs of their cell give.

    Where the published number is the mean of several runs, these are the means of half of ours, in
    the interval of the other half.
    """

    group: tuple[str, ...]
    share: Share


def located(compared: Compared) -> list[Located]:
    """Return all numbers that have a prediction, and could have been published."""
    every = ((item, c) for item, cells in compared.items() for c in cells)
    return [Located(item, c) for item, c in every if c.prediction and c.verdict]


def judged(cells: Iterable[Located]) -> list[Located]:
    """Return those that are judged by their prediction."""
    return [some for some in cells if some.cell.verdict in JUDGED]


def count_outside(
    cells: Iterable[Located], group: Callable[[Located], tuple[str, ...]]
) -> list[Outside]:
    """Return how many judged numbers are outside, by what `group` says of each."""
    return [
        Outside(
            name,
            _share(some, lambda c: [c.verdict in OUTSIDE]),
            sum(s.cell.verdict == Verdict.WEAK for s in some),
            sum(s.cell.verdict == Verdict.DIFFERS for s in some),
            sum(s.cell.judgement.by_tolerance == Verdict.DIFFERS for s in some),
        )
        for name, some in grouped(judged(cells), group).items()
    ]


def find_coverage(
    cells: Iterable[Located], group: Callable[[Located], tuple[str, ...]]
) -> list[Coverage]:
    """Return how well runs are predicted from the other runs of their cell, by `group`.

    A number that stands in several items counts once.
    """
    return [
        Coverage(name, _share(some, lambda c: map(bool, _left_out(c)[1])))
        for name, some in grouped(_once(cells), group).items()
    ]


def chance_distances(cells: Iterable[Located]) -> list[float]:
    """Return how far each run is from the others of its cell, in standard deviations of one."""
    distances = [_left_out(some.cell)[0] for some in _once(cells)]
    return [float(d) for some in distances for d in some]


def chance_table(cells: Iterable[Located]) -> pd.DataFrame:
    """Return the numbers with a published one, those farthest outside first.

    Columns: ``item``, ``dataset``, ``method``, ``metric``, ``reproduced``, ``published``, ``low``,
    ``high``, ``distance`` (standard deviations of one run that the published value is above ours),
    ``p_value``, ``n_replicates``, ``verdict`` and ``by_tolerance``, the verdict before there were
    replicates.
    """
    names = ["dataset", "method", "metric", "reproduced", "published", "low", "high", "distance"]
    names += ["p_value", "n_replicates", "verdict"]
    columns = {"item": "item", **{name: f"cell.{name}" for name in names}}
    columns["by_tolerance"] = "cell.judgement.by_tolerance"
    table = csv_table(columns, cells).dropna(subset=["published"])
    order = table["distance"].abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def _share(cells: Iterable[Located], answers: Callable[[Comparison], Iterable[bool]]) -> Share:
    """Return how many answers that cells give are True, with the interval over data sets."""
    by_dataset = grouped(cells, lambda some: some.cell.dataset)
    return resampled_share(
        {name: [a for some in own for a in answers(some.cell)] for name, own in by_dataset.items()}
    )


def _once(cells: Iterable[Located]) -> list[Located]:
    """Return the numbers with enough runs of their own, each once."""
    places = {
        (s.cell.dataset, s.cell.method, s.cell.metric): s
        for s in cells
        # Other data sets than ours would be needed to see how often these are predicted.
        if len(s.cell.runs) >= FEWEST and not s.cell.over_sets
    }
    return list(places.values())


def _left_out(cell: Comparison) -> tuple[np.ndarray, np.ndarray]:
    leave_out = leave_half_out if cell.averaged > 1 else leave_one_out
    return leave_out(cell.runs, cell.unit, is_size(cell.metric))
