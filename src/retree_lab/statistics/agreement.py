"""Agreement of a reproduced number with the published one, and what that says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from retree_lab.statistics.intervals import LEVEL, N_RESAMPLES, Prediction, exact_interval
from retree_lab.statistics.metrics import MetricKind, find_metric
from retree_lab.yaml_files import Bounds

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


# How often a difference of the size that a table "could have found" is found.
POWER = 0.8
# Of two one-sided tests.
ONE_SIDED_LEVEL = 0.05
# Of fewer numbers of wrong methods that disagree nothing is said.
FEWEST_OUTSIDE = 10
Margin = Annotated[float, Bounds(0, above=True)]


def skill(right: float, wrong: float, n_wrong: float) -> float:
    """Return the share reached of the agreement that wrong methods leave possible.

    `right`: share of the published numbers that agree with our numbers for the same method.
    `wrong`: share that agrees with our numbers for another method on the same data set.
    `n_wrong`: how many such pairs there are.
    Returns ``(right - wrong) / (1 - wrong)``: 1 if all agree, 0 if the right method agrees no more
    often than a wrong one; NaN if fewer than `FEWEST_OUTSIDE` numbers of wrong methods disagree.

    Examples
    --------
    >>> round(skill(0.7, 0.5, 40), 2)
    0.4
    """
    outside = (1 - wrong) * n_wrong
    return (right - wrong) / (1 - wrong) if outside > FEWEST_OUTSIDE - 0.5 else math.nan


def resampled_skill(
    groups: Sequence[tuple[Sequence[bool], Sequence[bool]]], seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of `skill` that resampling whole groups, as data sets, gives.

    `groups`: which numbers of each agree with the right method, and which with a wrong one.
    Where all or none agree with the right method, resampling cannot tell, and the exact interval
    of their share takes its place. Returns NaN where there is no skill, and of fewer than two
    groups.
    """
    counts = np.array([[sum(r), len(r), sum(w), len(w)] for r, w in groups], dtype=np.float64)
    if len(counts) < 2 or np.diff(counts.sum(axis=0)[2:]) < FEWEST_OUTSIDE:
        return math.nan, math.nan
    hits, of, wrong_hits, of_wrong = counts.sum(axis=0)
    if hits in (0, of):
        low, high = (
            skill(end, wrong_hits / of_wrong, of_wrong)
            for end in exact_interval(int(hits), int(of))
        )
        return low, high
    drawn = np.random.default_rng(seed).integers(len(counts), size=(N_RESAMPLES, len(counts)))
    right, n_right, wrong, n_wrong = counts[drawn].sum(axis=1).T
    is_defined = (n_right > 0) & (n_wrong > wrong)
    if not is_defined.any():
        return math.nan, math.nan
    shares = (right[is_defined] / n_right[is_defined], wrong[is_defined] / n_wrong[is_defined])
    low, high = np.quantile((shares[0] - shares[1]) / (1 - shares[1]), [0.025, 0.975])
    return float(low), float(high)


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
    df = prediction.df
    reach = float(student.ppf((1 + LEVEL) / 2, df) + student.ppf(POWER, df)) * prediction.error
    if prediction.log_plus is not None:
        reach = prediction.slope * math.expm1(reach)
    return reach + rounding / 2


@dataclass(frozen=True)
class Margins:
    """Differences that do not matter."""

    points: Margin = 1.0  # Of accuracies and errors, in percentage points
    size: Margin = 0.1  # Of sizes, as a share of the number

    def of(self, metric: str, published: float) -> float:
        """Return the margin of a published number in its own units, NaN if it has none."""
        measure = find_metric(metric)
        if measure.kind == MetricKind.SIZE:
            return self.size * abs(published)
        is_accuracy = measure.column == "accuracy" or measure.name.startswith("accuracy")
        return self.points / 100 * abs(measure.scale) if is_accuracy else math.nan


def equivalence_p(prediction: Prediction, published: float, margin: float) -> float:
    """Return the p-value of two one-sided tests that a number is within `margin` of ours.

    The smaller it is, the surer that the two differ by less than `margin`; at 5 % that is the same
    as the 90 % interval of the difference lying inside of the margin (Schuirmann 1987).

    `margin`: in the units of the number. Of a size that is judged by its logarithm it is, upwards,
    the factor by which it multiplies the published one, and the same factor downwards.
    """
    gap, error = published - prediction.center, prediction.error
    if prediction.log_plus is not None:
        if (shifted := published + prediction.log_plus) <= 0:
            return 1.0
        gap, margin = math.log(shifted / prediction.slope), math.log1p(margin / shifted)
    if error == 0:
        return float(abs(gap) >= margin)
    sides = ((margin - gap) / error, (margin + gap) / error)
    return max(float(student.sf(side, prediction.df)) for side in sides)


def chosen_on_half(agrees: NDArray[np.bool_], seed: int = 0) -> tuple[float, float]:
    """Return how well the best of several interpretations fits where it was chosen, and elsewhere.

    Random halves of the data sets choose the one that agrees on most of them, the first of equal
    ones. The difference is the optimism of judging it on the data that chose it.

    Shapes: `agrees` (n_interpretations, n_datasets), whether each agrees on each data set; at
    least two data sets.
    Returns the mean shares that agree on the half that chose, and on the other one.
    """
    rng, n = np.random.default_rng(seed), agrees.shape[1]
    inside, outside = np.empty(N_RESAMPLES), np.empty(N_RESAMPLES)
    for i in range(N_RESAMPLES):
        order = rng.permutation(n)
        chosen, other = order[: n // 2], order[n // 2 :]
        best = agrees[:, chosen].sum(axis=1).argmax()
        inside[i], outside[i] = agrees[best, chosen].mean(), agrees[best, other].mean()
    return float(inside.mean()), float(outside.mean())
