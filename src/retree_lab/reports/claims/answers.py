"""A check asked of one column of numbers: does it hold, and which numbers say so."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.claim_config import (
    MEAN,
    Check,
    Comparing,
    CountCheck,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    StarsCheck,
    WithinCheck,
)
from retree_lab.reports.claims.claim_numbers import Find, averages, compare_groups, counted
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, number
from retree_lab.reports.published import PublishedValue
from retree_lab.statistics.metrics import MetricKind, find_metric

_RATIOS = (MetricKind.SIZE, MetricKind.TIME, MetricKind.RATIO)
# Longer lists of data sets are not shown.
N_NAMES = 5


@dataclass(frozen=True)
class Answer:
    """The answer of a check in one column, and the numbers that say so.

    `holds` is None if that is unknown, `numbers` is "" where there is nothing to check.
    """

    holds: bool | None
    numbers: str


NO_ANSWER = Answer(None, "")


def holding(check: CountCheck, find: Find) -> dict[str, bool | None]:
    """Return by data set whether the relation of `check` holds, None if that is unknown.

    `find`: returns the number of a cell of a table, as `Published.find` does.
    """
    pairs = _pairs(check, _values(check, find))
    return dict(zip(pairs.index, pairs["holds"], strict=True))


def answer(check: Check, find: Find) -> Answer:
    """Ask a check of the numbers that `find` finds."""
    if isinstance(check, CountCheck):
        holds = holding(check, find)
        tally = _tally({check.label(dataset): answer for dataset, answer in holds.items()})
        return Answer(counted(holds.values(), check.at_least, check.at_most), tally)
    if isinstance(check, MeanCheck):
        return _mean(check, _pairs(check, averages(_values(check, find), check.geometric)))
    if isinstance(check, MeanOfCellsCheck):
        return _mean_of_cells(check, find)
    raise TypeError(f"A {type(check).__name__} has no table of its own.")


def _values(check: Comparing, find: Find) -> pd.DataFrame:
    """Return the numbers that a check compares, data sets by methods."""
    than = () if isinstance(check.than, int | float) else check.than
    table = [
        [_statistic(check, find(check.item, d, m, check.metric)) for m in (*check.of, *than)]
        for d in check.datasets
    ]
    return pd.DataFrame(table, index=list(check.datasets), columns=[*check.of, *than], dtype=float)


def _statistic(check: Comparing, cell: PublishedValue) -> float:
    if check.statistic == "mean":
        return cell.value
    return cell.std if check.statistic == "std" else cell.std / cell.value


@dataclass(frozen=True)
class Quantity:
    """The number behind a comparison: a count of data sets, a difference or a ratio."""

    value: float  # NaN if it hangs on a number that is missing
    rounding: float = 0.0  # By how much the last digits of the numbers may move it, both ways
    is_count: bool = False
    is_ratio: bool = False


NO_QUANTITY = Quantity(math.nan)


def quantity(check: Comparing, find: Find) -> Quantity:
    """Return on how many data sets a relation holds; of means, or of one set, left against right.

    Of sizes and times that is the ratio, of other numbers the difference.
    """
    values = _values(check, find)
    if isinstance(check, CountCheck) and len(values) > 1:
        holds = list(_pairs(check, values)["holds"])
        return Quantity(math.nan if None in holds else float(holds.count(True)), 1.0, True)
    geometric = isinstance(check, MeanCheck) and check.geometric
    pair = _pairs(check, averages(values, geometric)).iloc[0]
    left, right = float(pair["left"]), check.factor * float(pair["right"]) + check.plus
    unit = _unit(check, find)
    if find_metric(check.metric).kind in _RATIOS and min(left, right) > 0:
        ratio = left / right
        return Quantity(ratio, ratio * (unit / left + unit / right), is_ratio=True)
    return Quantity(left - right, unit * (1 + check.factor))


def _unit(check: Comparing, find: Find) -> float:
    """Return the unit of the last digit of published means, 0 of other numbers."""
    if check.statistic != "mean":
        return 0.0
    unit = find(check.item, check.datasets[0], check.of[0], check.metric).unit
    return 0.0 if math.isnan(unit) else unit


def direction(check: Comparing, of: Quantity) -> bool | None:
    """Return whether a count is on the side of half of the data sets that the claim says.

    "On 18 of 21" says most, and "on at most 1" says few; of "on 4 of 21", and of what is no count,
    None.
    """
    if not of.is_count or not isinstance(check, CountCheck) or math.isnan(of.value):
        return None
    half = len(check.datasets) / 2
    if check.at_least is not None:
        return of.value > half if check.at_least > half else None
    return of.value < half if check.at_most is not None and check.at_most < half else None


def _pairs(check: Comparing, values: pd.DataFrame) -> pd.DataFrame:
    more = partial(compare_groups, every=check.every, factor=check.factor, plus=check.plus)
    return more(values, check.of, check.than, check.relation)


def _tally(holds: Mapping[str, bool | None]) -> str:
    """Return how many hold, and the names of those that do or of those that do not."""
    yes, no, unknown = ([n for n, v in holds.items() if v is x] for x in (True, False, None))
    if len(unknown) == len(holds):
        return "no number"
    text = f"{len(yes)} of {len(holds)}"
    if 0 < len(no) <= min(N_NAMES, len(yes)):
        text += f" (not {', '.join(no)})"
    elif 0 < len(yes) <= N_NAMES and no:
        text += f" ({', '.join(yes)})"
    return f"{text}; {len(unknown)} unknown" if unknown else text


def _mean(check: MeanCheck, pairs: pd.DataFrame) -> Answer:
    pair = pairs.iloc[0]
    if pair["holds"] is None:
        return Answer(None, "a number is missing")
    left, right = (_number(check, pair[side]) for side in ("left", "right"))
    times = f"{check.factor:g} · " if check.factor != 1 else ""
    plus = f" {check.plus:+g}" if check.plus else ""
    left_of, right_of = (check.label(pair[side]) for side in ("left_of", "right_of"))
    numbers = f"{left_of} {left} against {times}{right_of} {right}{plus}"
    return Answer(pair["holds"], " ".join(numbers.split()))


def answer_within(check: WithinCheck, published: Find, reproduced: Find) -> Answer:
    """Ask whether reproduced numbers are near published ones."""
    holds: dict[str, bool | None] = {}
    for dataset in check.datasets:
        for method in check.of:
            cell = (check.item, dataset, method, check.metric)
            theirs, ours = published(*cell).value, reproduced(*cell).value
            allowed = check.points if check.points is not None else (check.share or 0.0) * theirs
            is_known = not math.isnan(ours - theirs)
            gap = number(check.metric, ours - theirs, sign=True)
            near = abs(ours - theirs) <= allowed
            label = _place(check, dataset, method) + ("" if near or not is_known else f" {gap}")
            holds[label] = near if is_known else None
    at_least = len(holds) if check.at_least is None else check.at_least
    return Answer(counted(holds.values(), at_least), _tally(holds))


def answer_chosen(
    check: ParameterCheck, comparisons: Sequence[Comparison], replicate: int = 0
) -> Answer:
    """Ask which values of a parameter a replicate chose."""
    cells = {c.place: c for c in comparisons if c.metric == check.metric and c.params}
    values: dict[str, float | None] = {}
    for dataset, method in itertools.product(check.datasets, check.of):
        cell = cells.get((dataset, method))
        chosen = (cell.run and cell.run.params) or (cell.params,) if cell else ()
        value = json.loads(chosen[replicate % len(chosen)]).get(check.parameter) if chosen else None
        values[_place(check, dataset, method)] = value
    chosen_values = [value for value in values.values() if value is not None]
    if not chosen_values:
        return Answer(None, "no number")
    inside = {n: v if v is None else check.low <= v <= check.high for n, v in values.items()}
    if not check.most_frequent:
        return Answer(counted(inside.values(), check.at_least), _tally(inside))
    tally = Counter(chosen_values).most_common()
    most = [value for value, count in tally if count == tally[0][1]]
    counts = ", ".join(f"{value:g}: {count}" for value, count in tally)
    return Answer(any(check.low <= value <= check.high for value in most), counts)


def answer_stars(check: StarsCheck, comparisons: Sequence[Comparison]) -> tuple[Answer, Answer]:
    """Ask on how many data sets a method has a star, in the published table and in ours."""
    cells = {c.place: c for c in comparisons if c.metric == check.metric}

    def answer_of(attribute: str) -> Answer:
        holds: dict[str, bool | None] = {}
        for pair in itertools.product(check.datasets, check.of):
            star = getattr(cells.get(pair), attribute, None)
            holds[_place(check, *pair)] = None if star is None else star == "*"
        return Answer(counted(holds.values(), check.at_least), _tally(holds))

    return answer_of("published_star"), answer_of("star")


def _place(check: Check, dataset: str, method: str) -> str:
    return f"{check.label(dataset)} {check.label(method)}"


def _mean_of_cells(check: MeanOfCellsCheck, find: Find) -> Answer:
    metric, holds, wrong = check.metric, [], []
    # Half a unit of the last decimal of both the mean and the cells it is of.
    allowed = 1.01 * 10.0 ** -find_metric(metric).decimals
    for method in check.of:
        mean = find(check.item, MEAN, method, metric).value
        cells = float(np.mean([find(check.cells, d, method, metric).value for d in check.datasets]))
        is_known = not math.isnan(mean - cells)
        holds.append(abs(mean - cells) <= allowed if is_known else None)
        if holds[-1] is False:
            ours = f"{number(metric, mean)} for {number(metric, cells)}"
            wrong.append(f"{check.label(method)} {ours}")
    numbers = f"{holds.count(True)} of {len(holds)}" + (f" ({', '.join(wrong)})" if wrong else "")
    is_known = set(holds) != {None}
    return Answer(counted(holds, at_least=len(holds)), numbers if is_known else "no number")


def _number(check: Comparing, value: float) -> str:
    if math.isnan(value):
        return BLANK
    if check.statistic == "spread":
        return f"{value:.2f}"
    return number(check.metric, value)


_STATISTICS = {"mean": "", "std": "standard deviation of the ", "spread": "std/mean of the "}


def check_words(check: Check) -> str:
    """Return a check in words."""
    metric = f"{find_metric(check.metric).label} ({item_title(check.item)})"
    over = (
        "" if MEAN in check.datasets else f"{(n := len(check.datasets))} data set{'s' * (n != 1)}"
    )
    if isinstance(check, Comparing):
        words = f"{_STATISTICS[check.statistic]}{metric} of {_group(check, check.every)} "
        words += f"{check.relation} {_right(check)}"
        if isinstance(check, CountCheck):
            return f"{words}, on {_bounds(check)} of {over}"
        mean = "geometric means" if isinstance(check, MeanCheck) and check.geometric else "means"
        return f"{words}, {mean} over {over}" if over else f"{words}, as the means are published"
    if isinstance(check, WithinCheck):
        allowed = f"{check.points:g}" if check.points is not None else f"{check.share:.0%}"
        cells = "all numbers" if check.at_least is None else f"at least {check.at_least} numbers"
        names = _group(check, True)
        return f"{metric} of {names} within {allowed} of the published value, {cells} on {over}"
    if isinstance(check, MeanOfCellsCheck):
        cells = item_title(check.cells)
        return f"the means of the {metric} equal the means of the numbers in {cells}"
    if isinstance(check, ParameterCheck):
        values = f"{check.low:g}" if check.low == check.high else f"{check.low:g} to {check.high:g}"
        words = f"best {check.parameter} of {_group(check, True)} ({item_title(check.item)}) "
        if check.most_frequent:
            return f"{words}is most often {values}, over {over}"
        return f"{words}is {values}, at least {check.at_least} times over {over}"
    if isinstance(check, StarsCheck):
        words = f"{metric} of {_group(check, True)} significantly better than its pair (*)"
        return f"{words}, at least {check.at_least} times over {over}"
    raise TypeError(f"A {type(check).__name__} has no words.")


def _group(check: Check, every: bool) -> str:
    names = [check.label(key) for key in check.of]
    if len(names) == 1:
        return names[0]
    return f"{'every one' if every else 'some'} of {', '.join(names)}"


def _right(check: Comparing) -> str:
    times = f"{check.factor:g} · " if check.factor != 1 else ""
    plus = f" {check.plus:+g}" if check.plus else ""
    if isinstance(check.than, int | float):
        return f"{times}{check.than:g}{plus}"
    names = ", ".join(map(check.label, check.than))
    return f"{times}{names if len(check.than) == 1 else f'all of {names}'}{plus}"


def _bounds(check: CountCheck) -> str:
    low, high = check.at_least, check.at_most
    if low is not None and high is not None:
        return f"exactly {low}" if low == high else f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"
