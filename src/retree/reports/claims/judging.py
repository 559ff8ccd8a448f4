"""The paper's claims, checked on the printed tables and on the reproduced ones."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import pandas as pd

from retree.experiments.claims import (
    MEAN,
    Check,
    Claim,
    Comparing,
    CountCheck,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    WithinCheck,
)
from retree.experiments.definitions import Paper
from retree.reports.claims.replicates import Held, replicates
from retree.reports.comparison import NOTHING, Comparison
from retree.reports.published import Printed, Published
from retree.reports.wording import HOLE, decimals, number
from retree.statistics.claims import averages, compare_groups, counted
from retree.statistics.intervals import predict

Find = Callable[[str, str, str, str], Printed]
Compared = Mapping[str, Sequence[Comparison]]
# Longer lists of data sets are not told.
N_NAMES = 5


class Outcome(StrEnum):
    """What is to be said of a claim."""

    HOLDS = "holds"
    PRINT_ONLY = "holds in print only"
    HERE_ONLY = "fails in print, holds here"
    FAILS = "fails in print already"
    HERE = "holds here"
    NOT_HERE = "fails here"
    OPEN = "cannot be checked"
    TESTED = "tested"
    REFUTED = "refuted by a test"


@dataclass(frozen=True)
class Answer:
    """Whether a check holds on one table, None if it cannot be told, and the numbers that say so.

    `numbers` is "" where there is nothing to check.
    """

    holds: bool | None
    numbers: str


NO_ANSWER = Answer(None, "")


@dataclass(frozen=True)
class Judgement:
    """A claim with its answers on the printed and on the reproduced table.

    The reproduced numbers are means over the replicates; `held` says in how many of them the claim
    holds, None where there are none.
    """

    claim: Claim
    in_print: Answer
    here: Answer
    held: Held | None = None

    @property
    def outcome(self) -> Outcome:
        """The two answers in one word.

        A claim on the reproduction, or that print leaves open, is judged by ours alone; one on the
        print itself by the print alone.
        """
        if self.claim.unchecked is not None:
            return Outcome.OPEN
        if self.claim.check is None:
            return Outcome.REFUTED if self.claim.refuted else Outcome.TESTED
        ours = self.here.holds
        if isinstance(self.claim.check, MeanOfCellsCheck):
            ours = self.in_print.holds
        return _OUTCOMES[self.in_print.holds, ours]


_OUTCOMES = {
    (True, True): Outcome.HOLDS,
    (True, False): Outcome.PRINT_ONLY,
    (True, None): Outcome.OPEN,
    (False, True): Outcome.HERE_ONLY,
    (False, False): Outcome.FAILS,
    (False, None): Outcome.FAILS,
    (None, True): Outcome.HERE,
    (None, False): Outcome.NOT_HERE,
    (None, None): Outcome.OPEN,
}


def judge_claims(paper: Paper, compared: Compared) -> list[Judgement]:
    """Check each of the paper's claims.

    Parameters
    ----------
    paper : Paper
        Has the claims and the printed numbers.
    compared : dict
        The comparisons of the items that are reproduced, by the item's name.

    Raises
    ------
    UnknownNameError
        If a claim names a metric that does not exist.
    """
    printed = Published(paper).find
    ours = {
        (item, c.dataset, c.method, c.metric): Printed(c.reproduced, c.reproduced_std)
        for item, comparisons in compared.items()
        for c in comparisons
        # A mean over other data sets than the paper's says nothing on the paper's mean.
        if not (c.dataset == MEAN and c.reason)
    }

    def reproduced(item: str, dataset: str, method: str, metric: str) -> Printed:
        return ours.get((item, dataset, method, metric), NOTHING)

    judgements = [
        Judgement(claim, NO_ANSWER, _chosen(claim.check, compared.get(claim.check.item, ())))
        if isinstance(claim.check, ParameterCheck)
        else _judge(claim, printed, reproduced)
        for claim in paper.claims
    ]
    return [replace(j, held=_held(j.claim.check, printed, compared)) for j in judgements]


def _held(check: Check | None, printed: Find, compared: Compared) -> Held | None:
    """Return in how many replicates a claim holds; None if that cannot be told of some."""
    if check is None or not (finds := replicates(check, compared)):
        return None
    if isinstance(check, WithinCheck):
        answers = [_within(check, printed, find).holds for find in finds]
    else:
        answers = [_answer(check, find).holds for find in finds]
    if None in answers:
        return None
    low, high = math.nan, math.nan
    if isinstance(check, MeanCheck) and not check.geometric and len(finds) > 1:
        pairs = [_pairs(check, averages(_values(check, find))).iloc[0] for find in finds]
        gaps = [float(pair["left"]) - check.factor * float(pair["right"]) for pair in pairs]
        low, high = predict(gaps).interval()
    return Held(sum(answer is True for answer in answers), len(answers), low, high)


def _judge(claim: Claim, printed: Find, reproduced: Find) -> Judgement:
    if claim.check is None:
        return Judgement(claim, NO_ANSWER, NO_ANSWER)
    if isinstance(claim.check, WithinCheck):
        return Judgement(claim, NO_ANSWER, _within(claim.check, printed, reproduced))
    in_print = _answer(claim.check, printed)
    # Our means are those of our cells: nothing to check.
    about_print = isinstance(claim.check, MeanOfCellsCheck)
    return Judgement(
        claim, in_print, NO_ANSWER if about_print else _answer(claim.check, reproduced)
    )


def holding(check: CountCheck, find: Find) -> dict[str, bool | None]:
    """Return by data set whether the relation of `check` holds, None if that cannot be told.

    Parameters
    ----------
    check : CountCheck
    find : callable
        Returns the number of a cell of a table, as `Published.find` does.
    """
    pairs = _pairs(check, _values(check, find))
    return dict(zip(pairs.index, pairs["holds"], strict=True))


def _answer(check: Check, find: Find) -> Answer:
    if isinstance(check, CountCheck):
        holds = holding(check, find)
        return Answer(counted(holds.values(), check.at_least, check.at_most), _tally(holds))
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


def _statistic(check: Comparing, cell: Printed) -> float:
    if check.statistic == "mean":
        return cell.value
    return cell.std if check.statistic == "std" else cell.std / cell.value


def _pairs(check: Comparing, values: pd.DataFrame) -> pd.DataFrame:
    return compare_groups(
        values, check.of, check.than, check.relation, every=check.every, factor=check.factor
    )


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
    numbers = f"{pair['left_of']} {left} against {times}{pair['right_of']} {right}"
    return Answer(pair["holds"], " ".join(numbers.split()))


def _within(check: WithinCheck, printed: Find, reproduced: Find) -> Answer:
    holds: dict[str, bool | None] = {}
    for dataset in check.datasets:
        for method in check.of:
            cell = (check.item, dataset, method, check.metric)
            theirs, ours = printed(*cell).value, reproduced(*cell).value
            allowed = check.points if check.points is not None else (check.share or 0.0) * theirs
            known = not math.isnan(ours - theirs)
            gap = number(check.metric, ours - theirs, sign=True)
            near = abs(ours - theirs) <= allowed
            label = f"{dataset} {method}" + ("" if near or not known else f" {gap}")
            holds[label] = near if known else None
    at_least = len(holds) if check.at_least is None else check.at_least
    return Answer(counted(holds.values(), at_least), _tally(holds))


def _chosen(check: ParameterCheck, comparisons: Sequence[Comparison]) -> Answer:
    """Return which values of a parameter are those of the chosen points."""
    values: dict[str, float | None] = {f"{d} {m}": None for d in check.datasets for m in check.of}
    for c in comparisons:
        if f"{c.dataset} {c.method}" in values and c.metric == check.metric and c.params:
            values[f"{c.dataset} {c.method}"] = json.loads(c.params).get(check.parameter)
    known = [value for value in values.values() if value is not None]
    if not known:
        return Answer(None, "no number")
    inside = {n: v if v is None else check.low <= v <= check.high for n, v in values.items()}
    if not check.most_frequent:
        return Answer(counted(inside.values(), check.at_least), _tally(inside))
    tally = Counter(known).most_common()
    most = [value for value, count in tally if count == tally[0][1]]
    told = ", ".join(f"{value:g}: {count}" for value, count in tally)
    return Answer(all(check.low <= value <= check.high for value in most), told)


def _mean_of_cells(check: MeanOfCellsCheck, find: Find) -> Answer:
    metric, holds, wrong = check.metric, [], []
    # Half a unit of the last decimal of both the mean and the cells it is of.
    allowed = 1.01 * 10.0 ** -decimals(metric)
    for method in check.of:
        mean = find(check.item, MEAN, method, metric).value
        cells = float(np.mean([find(check.cells, d, method, metric).value for d in check.datasets]))
        known = not math.isnan(mean - cells)
        holds.append(abs(mean - cells) <= allowed if known else None)
        if holds[-1] is False:
            wrong.append(f"{method} {number(metric, mean)} for {number(metric, cells)}")
    numbers = f"{holds.count(True)} of {len(holds)}" + (f" ({', '.join(wrong)})" if wrong else "")
    known = set(holds) != {None}
    return Answer(counted(holds, at_least=len(holds)), numbers if known else "no number")


def _number(check: Comparing, value: float) -> str:
    if math.isnan(value):
        return HOLE
    if check.statistic == "spread":
        return f"{value:.2f}"
    return number(check.metric, value)
