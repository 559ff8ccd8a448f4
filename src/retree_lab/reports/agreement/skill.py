"""The weight of agreement: how often wrong methods agree, and what could have been found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Block
from retree_lab.reports.formatting import BLANK, decimal, number
from retree_lab.reports.sections import Getter, grouped, section
from retree_lab.reports.verdicts import rows_of
from retree_lab.statistics import AGREEING, JUDGED, Verdict
from retree_lab.statistics.agreement import (
    FEWEST_OUTSIDE,
    ONE_SIDED_LEVEL,
    Margins,
    detectable,
    equivalence_p,
    gap_to_digit,
    resampled_skill,
    skill,
)
from retree_lab.statistics.metrics import is_size

FILE = "power.csv"
Line = Mapping[str, Any]
_COLUMNS = (
    *("item", "metric", "n_numbers", "right", "n_wrong", "wrong", "skill", "found"),
    *("weak", "near", "equivalent", "skill_low", "skill_high"),
)


def find_power(numbers: Sequence[Comparison], margins: Margins) -> pd.DataFrame:
    """Return the power of agreement by item and metric, means of cells included.

    Returns a row for each item and metric, as in ``power.csv``: ``n_numbers``, judged by an
    interval or by their last digit, and the share that is ``right``, which agrees; ``n_wrong``
    pairs of a published number and our number for another method on the same data set, and the
    share of them that would agree (``wrong``, NaN without any); the ``skill``, with its 95 %
    interval over other data sets; ``found``, the smallest difference that would lie outside the
    interval in four of five cases, the median over the numbers (of sizes as a share of ours, NaN
    where digits decide); how many agree weakly (``weak``), differ by no more than the margin
    (``near``), and do so surely (``equivalent``: by two one-sided tests at 5 %).
    """
    groups = grouped(numbers, lambda c: (c.item, c.metric))
    judged = dict.fromkeys((c.item, c.metric) for c in numbers if _is_judged(c))
    rows = [_power(*place, groups[place], margins) for place in judged]
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def pooled_skill(table: pd.DataFrame) -> tuple[float, float, float]:
    """Return the shares of right and of wrong agreement over rows of ``power.csv``, and the skill.

    Rows without wrong methods are left out; NaN without any other.
    """
    with_others = table[table["n_wrong"] > 0]
    if with_others.empty:
        return math.nan, math.nan, math.nan
    right = float(np.average(with_others["right"], weights=with_others["n_numbers"]))
    wrong = float(np.average(with_others["wrong"], weights=with_others["n_wrong"]))
    return right, wrong, skill(right, wrong, with_others["n_wrong"].sum())


def _power(
    item: str, metric: str, comparisons: Sequence[Comparison], margins: Margins
) -> dict[str, object]:
    judged = [c for c in comparisons if _is_judged(c)]
    twins = twins_of(comparisons)
    by_set = [
        (
            [c.verdict in AGREEING for c in row if _is_judged(c)],
            [
                agrees
                for c in filter(_is_judged, row)
                for other in row
                if twins.get(other.method, other.method) != twins.get(c.method, c.method)
                and other.method not in twins
                and (agrees := _would_agree(c, other)) is not None
            ],
        )
        for row in rows_of(comparisons).values()
    ]
    wrong = [agrees for _, agreements in by_set for agrees in agreements]
    reaches = [
        detectable(c.prediction, c.unit) / (c.prediction.center if is_size(metric) else 1.0)
        for c in judged
        if c.prediction is not None
    ]
    pairs = [(c, margins.of(metric, c.published)) for c in judged]
    row: dict[str, object] = {"item": item, "metric": metric, "n_numbers": len(judged)}
    row["right"] = right = float(np.mean([c.verdict in AGREEING for c in judged]))
    row["n_wrong"], share = len(wrong), float(np.mean(wrong)) if wrong else math.nan
    row |= {"wrong": share, "skill": skill(right, share, len(wrong))}
    row["found"] = float(np.median(reaches)) if reaches else math.nan
    row["weak"] = sum(c.verdict == Verdict.WEAK for c in judged)
    row["near"] = sum(c.is_within(margin) for c, margin in pairs)
    row["equivalent"] = sum(_is_equivalent(*pair) for pair in pairs)
    row["skill_low"], row["skill_high"] = resampled_skill(by_set)
    return row


def twins_of(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Return the methods that are an earlier one by another name, with equal numbers."""
    numbers: dict[str, dict[str, tuple[float, ...]]] = {}
    for c in comparisons:
        if not math.isnan(c.reproduced):
            numbers.setdefault(c.method, {})[c.dataset] = (c.reproduced, c.reproduced_std, *c.runs)
    first = {
        method: next(other for other, theirs in numbers.items() if theirs == values)
        for method, values in numbers.items()
    }
    return {m: other for m, other in first.items() if m != other and len(numbers[m]) > 1}


def _is_judged(c: Comparison) -> bool:
    return c.is_by_interval or (c.verdict in JUDGED and c.judgement.digits is not None)


def _would_agree(c: Comparison, other: Comparison) -> bool | None:
    """Return whether the published value of `c` agrees with the number of another method."""
    if (digits := c.judgement.digits) is not None:
        if math.isnan(other.reproduced):
            return None
        return not gap_to_digit(other.reproduced, c.published, c.unit, digits)
    if other.prediction is None:
        return None
    return other.prediction.contains(c.published, c.unit)


def _is_equivalent(c: Comparison, margin: float) -> bool:
    if c.prediction is None or math.isnan(margin):
        return False
    return equivalence_p(c.prediction, c.published, margin) < ONE_SIDED_LEVEL


_RIGHT = [
    "A number that agrees says little if it would agree with other methods, too. “With a wrong "
    "method” is the share that agrees with our numbers for another method on the same data set. "
    "Skill is (right − wrong) / (1 − wrong). It is 1 if all numbers agree with the right method "
    "and none with another. It is 0 if the right method agrees no more often. It is left out where "
    f"fewer than {FEWEST_OUTSIDE} numbers of another method disagree. Its 95 % interval comes from "
    "resampling whole data sets or, where all numbers or none agree, from the exact interval of "
    "that share. Methods with equal numbers on all data sets count as one.",
    "The smallest difference found would lie outside the interval in four of five cases. It is the "
    "median over the numbers; for sizes it is in per cent of ours.",
]


def power_section(powers: pd.DataFrame, margins: Margins) -> list[Block]:
    """Return the section on agreement by item and metric; nothing without numbers."""
    points = f"{margins.points:g} point{'s' * (margins.points != 1)}"
    columns: dict[str, Getter] = {
        **{"item": "{item:title}", "metric": "{metric}", "numbers": "{n_numbers}"},
        **{"agree": "{right:.0%}", "with a wrong method": "{wrong:.0%}", "skill": _skill},
        **{"weakly": "{weak}", "smallest difference found": _found},
        f"within {points} or {margins.size:.0%}": partial(_near, "near"),
        "surely so": partial(_near, "equivalent"),
    }
    notes = [
        *_RIGHT,
        f"A difference of at most {points} of accuracy or error, or {margins.size:.0%} of a size, "
        "is small enough for most purposes, whether the numbers agree or not. It surely is that "
        f"small if two one-sided tests say so at {ONE_SIDED_LEVEL:.0%}. Then the 90 % interval of "
        "the difference lies within these margins.",
    ]
    return section("What agreement says", powers, columns, notes, left=2)


def _near(name: str, power: Line) -> str:
    return BLANK if math.isnan(Margins().of(power["metric"], 1.0)) else str(power[name])


def _skill(power: Line) -> str:
    text, *ends = (decimal(power[name], 2) for name in ("skill", "skill_low", "skill_high"))
    return text if BLANK in (text, *ends) else f"{text} ({' to '.join(ends)})"


def _found(power: Line) -> str:
    if math.isnan(power["found"]):
        return BLANK
    is_share = is_size(power["metric"])
    return f"{power['found']:.0%}" if is_share else number(power["metric"], power["found"])
