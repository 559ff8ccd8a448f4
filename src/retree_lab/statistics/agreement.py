"""Whether a reproduced number agrees with the printed one."""

from __future__ import annotations

import math
from enum import StrEnum

from retree_lab.statistics.metrics import MetricKind, find_metric

ACCURACY_FLOOR = 0.005
SIZE_FLOOR = 0.10
RATIO_FACTOR = 2.0


class Verdict(StrEnum):
    """The verdict on a published number beside the reproduced one.

    ``equal`` is a number that is published to the digit, where folds and seeds are the paper's own.
    ``weak`` is one that agrees, but with an interval that holds at least half of what it would be
    for another method. ``edge`` is one outside its interval, but not significantly so if one
    considers how many numbers of its table are judged.
    """

    EQUAL = "equal"
    AGREES = "agrees"
    WEAK = "weak"
    EDGE = "edge"
    DIFFERS = "differs"
    EXPLAINED = "explained"
    MISSING = "missing"


AGREEING = (Verdict.EQUAL, Verdict.AGREES, Verdict.WEAK)
OUTSIDE = (Verdict.EDGE, Verdict.DIFFERS)
JUDGED = (*AGREEING, *OUTSIDE)


class Digits(StrEnum):
    """How a paper came by the last digit that it publishes."""

    ROUNDED = "rounded"
    CUT = "cut"


def tolerance(
    metric: str, std: float, n_folds: int, published: float, below: bool = False
) -> float:
    """Return by how much a reproduced mean may differ from the printed one.

    It is ``2 * sqrt(2) * std / sqrt(n_folds)``, two standard errors of the difference of two such
    means, but at least 0.005 (0.5 in %) for an accuracy or error and 10 % of the published value
    for a size. The spread is unknown with a single fold; the minimum tolerance then applies. A
    count must be the same. A ratio of times may be off by a factor of 2: programs and machines
    differ.

    `metric`: a name in `statistics.metrics` that is not a time; times depend on the machine.
    `std`: sample standard deviation over the folds (ddof=1); NaN if unknown.
    `below`: whether the reproduced value is the smaller one, which counts for a ratio only.
    """
    kind, scale = find_metric(metric).kind, find_metric(metric).scale
    if kind == MetricKind.TIME:
        raise ValueError(f"{metric} depends on the machine; compare ratios of times.")
    if n_folds < 1 or std < 0:
        raise ValueError(f"Expected at least 1 fold and std >= 0, got {n_folds} and {std}.")
    if kind == MetricKind.COUNT:
        return 0.0
    if kind == MetricKind.RATIO:
        return (1 - 1 / RATIO_FACTOR if below else RATIO_FACTOR - 1) * published
    floor = SIZE_FLOOR * abs(published) if kind == MetricKind.SIZE else ACCURACY_FLOOR * abs(scale)
    if kind == MetricKind.SCORE:
        floor *= max(1.0, abs(published))
    if math.isnan(std):
        return floor
    return max(2 * math.sqrt(2) * std / math.sqrt(n_folds), floor)


def verdict(
    metric: str,
    reproduced: float,
    std: float,
    n_folds: int,
    published: float,
    explained: bool = False,
) -> Verdict:
    """Judge a reproduced mean: too good is as wrong as too bad.

    `metric`, `std`, `n_folds`, `published`: as for `tolerance`; `published` is NaN where nothing is
    printed.
    `explained`: whether the published number is known to be wrong. It is then neither right nor
    wrong to differ from it, so the verdict is ``explained`` whatever the difference.
    It is ``missing`` if there is no number on either side.
    """
    if math.isnan(reproduced) or math.isnan(published):
        return Verdict.MISSING
    if explained:
        return Verdict.EXPLAINED
    allowed = tolerance(metric, std, n_folds, published, reproduced < published)
    # Decimal fractions are not exact: .855 - .850 must not exceed .005.
    slack = 1e-12 * max(1.0, abs(published))
    agrees = abs(reproduced - published) <= allowed + slack
    return Verdict.AGREES if agrees else Verdict.DIFFERS


def verdict_by_interval(published: float, low: float, high: float) -> Verdict:
    """Judge a published number by the prediction interval of one more run of its protocol."""
    # Decimal fractions are not exact.
    slack = 1e-9 * max(1.0, abs(published))
    return Verdict.AGREES if low - slack <= published <= high + slack else Verdict.DIFFERS


def gap_to_digit(reproduced: float, published: float, unit: float, digits: Digits) -> float:
    """Return how far a number is from those that are published as `published`, 0 if it is one.

    `digits`: a value halfway between two rounded numbers may become either. One that was cut stands
    for all from itself to the next, which does not belong to them.

    Examples
    --------
    >>> gap_to_digit(73.834, 73.83, 0.01, Digits.ROUNDED)
    0.0
    >>> gap_to_digit(73.86, 73.8, 0.1, Digits.CUT)
    0.0
    """
    # Decimal fractions are not exact; a p-value may be published to the twelfth one, and a mean
    # with all its bits, of which the last depend on the order of the sum.
    slack = max(min(1e-9 * max(1.0, abs(published)), 1e-3 * unit), 1e-12 * abs(published))
    below, above = (unit / 2, unit / 2) if digits == Digits.ROUNDED else (0.0, unit)
    low, high = published - below, round(published + above, max(12, 3 - round(math.log10(unit))))
    if digits == Digits.CUT and reproduced >= high:
        return max(reproduced - high, slack)
    gap = max(low - reproduced, reproduced - high)
    return gap if gap > slack else 0.0
