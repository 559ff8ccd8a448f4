"""Prediction intervals of one more run of a protocol, and how well they cover."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest
from scipy.stats import t as student

from retree.arithmetic import running_sum

LEVEL = 0.95
N_RESAMPLES = 2000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """The expectation of one more run."""

    center: float  # Mean of the runs; on the log scale their geometric mean
    spread: float  # Standard deviation of one run, of the logarithms on the log scale
    center_error: float  # Standard error of the mean, on the same scale as `spread`
    df: float  # Degrees of freedom of `spread`
    # Where `spread` is that of logarithms, what is added before they are taken: 1 to numbers that
    # may be 0.
    log_plus: float | None = None

    @property
    def slope(self) -> float:
        """The change of the number per unit of `spread`, near the center."""
        return 1.0 if self.log_plus is None else self.center + self.log_plus

    @property
    def error(self) -> float:
        """The standard error of one more run minus ours, on the scale of `spread`."""
        return math.hypot(self.spread, self.center_error)

    def interval(self, rounding: float = 0.0) -> tuple[float, float]:
        """Return the 95 % prediction interval of one more run.

        `rounding`: unit of the last digit that is known in that run; half of it is added on either
        side.
        """
        reach = _quantile(self.df) * self.error
        low, high = self.center - reach, self.center + reach
        if self.log_plus is not None:
            low, high = (self.slope * math.exp(end) - self.log_plus for end in (-reach, reach))
        return low - rounding / 2, high + rounding / 2

    def contains(self, value: float, rounding: float = 0.0) -> bool:
        """Return whether `value`, known up to `rounding`, lies in the interval."""
        low, high = self.interval(rounding)
        # Decimal fractions are not exact.
        slack = 1e-9 * max(1.0, abs(value))
        return low - slack <= value <= high + slack

    def distance(self, value: float, rounding: float = 0.0) -> float:
        """Return by how many standard deviations of one run `value` is above the center.

        Of all values that are rounded to `value` the one nearest to the center counts.
        """
        nearest = min(max(self.center, value - rounding / 2), value + rounding / 2)
        if abs(nearest - self.center) <= 1e-9 * max(1.0, abs(self.center)):
            return 0.0
        gap = nearest - self.center
        if self.log_plus is not None:
            shifted = nearest + self.log_plus
            gap = math.log(shifted / self.slope) if shifted > 0 else -math.inf
        return gap / self.spread if self.spread else math.copysign(math.inf, gap)

    @property
    def reach(self) -> float:
        """Return the half-width of the interval, in standard deviations of one run."""
        if not self.spread:
            return 1.0
        return _quantile(self.df) * math.hypot(1.0, self.center_error / self.spread)

    def p_value(self, value: float, rounding: float = 0.0) -> float:
        """Return the two-sided p-value of `value`: below 5 % if it lies outside the interval."""
        distance = abs(self.distance(value, rounding))
        if not distance or math.isinf(distance):
            return float(not distance)
        return float(2 * student.sf(distance * self.spread / self.error, self.df))


def predict(values: ArrayLike, averaged: int = 1, log_plus: float | None = None) -> Prediction:
    """Return the prediction of one more run from several.

    Shapes: `values` (n_runs,).
    `averaged`: how many such numbers one run is the mean of. If a protocol repeats its
    cross-validation, the repeats take the place of runs, and the published run is the mean over as
    many.
    `log_plus`: of sizes, which vary by factors, what is added before logarithms are taken. Where
    one is 0 even so, they are taken as they are.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        raise ValueError(f"Expected at least 2 runs, got {len(numbers)}.")
    if log_plus is not None and not (numbers + log_plus > 0).all():
        log_plus = None
    scaled = numbers if log_plus is None else np.log(numbers + log_plus)
    mean, std = float(scaled.mean()), float(scaled.std(ddof=1))
    # Equal numbers may have a mean that is not exactly theirs.
    std = 0.0 if np.ptp(scaled) == 0 else std
    return Prediction(
        center=mean if log_plus is None else math.exp(mean) - log_plus,
        spread=std / math.sqrt(averaged),
        center_error=std / math.sqrt(len(numbers)),
        df=len(numbers) - 1,
        log_plus=log_plus,
    )


def predict_mean(predictions: list[Prediction]) -> Prediction:
    """Return the prediction of a mean of independent numbers, such as numbers of data sets.

    The degrees of freedom are Welch and Satterthwaite's.
    """
    n = len(predictions)
    return Prediction(
        center=running_sum([p.center for p in predictions]) / n,
        spread=math.sqrt(running_sum([(p.slope * p.spread) ** 2 for p in predictions])) / n,
        center_error=math.sqrt(running_sum([(p.slope * p.center_error) ** 2 for p in predictions]))
        / n,
        df=_satterthwaite([(_variance(p), p.df) for p in predictions]),
    )


def _variance(prediction: Prediction) -> float:
    """Return the variance of one more run minus ours; of logarithms, at first order."""
    slope = prediction.slope
    return (slope * prediction.spread) ** 2 + (slope * prediction.center_error) ** 2


def _satterthwaite(variances: list[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of variances, from each and its own."""
    weight = running_sum([variance**2 / df for variance, df in variances])
    total = running_sum([variance for variance, _ in variances])
    return total**2 / weight if weight else min(df for _, df in variances)


def predict_other_sets(of_paper: list[Prediction], others: ArrayLike) -> Prediction:
    """Return the prediction of a mean over data sets some of which are not known.

    The paper's mean is over `known` data sets and as many more as `others` has, which were drawn
    from the same population as those, but are not the same ones.

    Shapes: `others` (n_others,).
    `others`: our numbers on the data sets that stand for its other ones, at least two.
    """
    values = np.asarray(others, dtype=np.float64)
    one = predict(values)
    drawn = [replace(one, center=float(x), center_error=one.spread) for x in values]
    # The spread between the others is one estimate, not one for each of them.
    variances = [(_variance(p), p.df) for p in of_paper]
    variances.append((running_sum([_variance(p) for p in drawn]), one.df))
    return replace(predict_mean([*of_paper, *drawn]), df=_satterthwaite(variances))


def leave_one_out(
    values: ArrayLike, rounding: float, log_plus: float | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Predict each run from the others.

    Shapes: `values` (n_runs,).
    `values`: one number for each run, at least three.
    Returns how far each is above the center of the others: 1 is the end of the interval.
    Returns whether each lies in the interval that the others give.
    """
    numbers = np.asarray(values, dtype=np.float64)
    pairs = ((float(left), np.delete(numbers, i)) for i, left in enumerate(numbers))
    return _predicted(pairs, 1, rounding, log_plus)


def leave_half_out(
    values: ArrayLike, rounding: float, log_plus: float | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Predict the mean of half of the runs from the other half, for as many halves as runs.

    It tests the interval for a mean of several runs, as `leave_one_out` that of a single one. A
    half starts at each of the runs, which go round; of an odd number the last one is left out.

    Shapes: `values` (n_runs,), result (n_halves,).
    """
    numbers = np.asarray(values, dtype=np.float64)
    n = len(numbers) // 2
    halves = (np.split(np.roll(numbers[: 2 * n], -first), 2) for first in range(2 * n))
    pairs = ((float(left.mean()), right) for left, right in halves)
    return _predicted(pairs, n, rounding, log_plus)


def _predicted(
    pairs: Iterable[tuple[float, Floats]], averaged: int, rounding: float, log_plus: float | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return how far numbers are from the prediction by others, and whether they lie in it."""
    distances, covered = list[float](), list[bool]()
    for number, others in pairs:
        prediction = predict(others, averaged, log_plus)
        published = round(number / rounding) * rounding if rounding else number
        distances.append(prediction.distance(published, rounding) / prediction.reach)
        covered.append(prediction.contains(published, rounding))
    return np.array(distances), np.array(covered, dtype=bool)


@cache
def _quantile(df: float) -> float:
    return float(student.ppf((1 + LEVEL) / 2, df))


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval, which is NaN where nothing is known about it."""

    count: int
    total: int
    low: float
    high: float


def exact_interval(count: int, total: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a binomial share (Clopper and Pearson 1934).

    Examples
    --------
    >>> [round(end, 2) for end in exact_interval(0, 6)]
    [0.0, 0.46]
    """
    interval = binomtest(count, total).proportion_ci(LEVEL, method="exact")
    return float(interval.low), float(interval.high)


def resampled_share(groups: Mapping[str, Sequence[bool]], seed: int = 0) -> Share:
    """Return the share of True, with the interval that resampling whole groups gives.

    Of no answer or of all answers that is no interval, and the exact one of independent answers
    takes its place. Other shares in a single group have none.
    """
    counts = np.array([[sum(cells), len(cells)] for cells in groups.values()], dtype=np.float64)
    count, total = (int(n) for n in counts.sum(axis=0)) if len(counts) else (0, 0)
    if total and count in (0, total):
        return Share(count, total, *exact_interval(count, total))
    if len(counts) < 2:
        return Share(count, total, np.nan, np.nan)
    drawn = np.random.default_rng(seed).integers(len(counts), size=(N_RESAMPLES, len(counts)))
    sums = counts[drawn].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    return Share(count, total, float(low), float(high))
