"""What it says that a published number agrees, which depends on whether it could have failed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.stats import t as student

from retree.statistics.intervals import LEVEL, Prediction

# How often a difference of the size that a table "could have found" is found.
POWER = 0.8


def skill(right: float, wrong: float) -> float:
    """Return how much of the possible agreement beyond that of wrong methods there is.

    `right`: share of the published numbers that agree with our numbers for the same method.
    `wrong`: share that agrees with our numbers for another method on the same data set.
    Returns ``(right - wrong) / (1 - wrong)``: 1 if all agree, 0 if the right method agrees no more
    often than a wrong one; NaN if wrong methods always agree.

    Examples
    --------
    >>> round(skill(0.7, 0.5), 2)
    0.4
    """
    return math.nan if wrong == 1 else (right - wrong) / (1 - wrong)


def holds_half(low: float, high: float, others: Sequence[float]) -> bool:
    """Return whether an interval holds at least half of `others`, and so excludes little.

    `others`: what the number would be for other methods; without any, nothing is known.
    """
    inside = sum(low <= value <= high for value in others)
    return bool(others) and 2 * inside >= len(others)


def detectable(prediction: Prediction, rounding: float = 0.0) -> float:
    """Return the smallest difference that lies outside the interval in four of five cases.

    It is ``(t(0.975) + t(0.8)) s`` with the standard error ``s`` of a prediction, which is close to
    the exact one of the noncentral t for 5 degrees of freedom and more, and half a unit of
    rounding.

    Returns in the units of the number; on the log scale, upwards.
    """
    df, error = prediction.df, math.hypot(prediction.spread, prediction.center_error)
    reach = float(student.ppf((1 + LEVEL) / 2, df) + student.ppf(POWER, df)) * error
    if prediction.log:
        reach = prediction.center * math.expm1(reach)
    return reach + rounding / 2
