"""Pairs of values over folds or data sets, what a test of them says, and who wins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Vector = NDArray[np.float64]
# Means of folds that are equal on paper differ by some last bits.
DIGITS = 12


@dataclass(frozen=True)
class PairedTest:
    """Result of a two-sided paired test.

    Attributes
    ----------
    statistic : float
        Test statistic; infinite for a constant non-zero difference, NaN if it is not defined.
    p_value : float
        NaN with fewer than two pairs.
    mean_difference : float
        Mean of ``a - b`` over the pairs used.
    n_pairs, n_dropped : int
        Pairs used, and pairs left out because a value is NaN.
    standard_error : float
        That of the mean difference by the test's own estimate; NaN if the statistic is not the
        mean difference in units of it (ranks, signs) or there are fewer than two pairs.
    degrees_of_freedom : float
        Of Student's distribution of the statistic; NaN where `standard_error` is.
    """

    statistic: float
    p_value: float
    mean_difference: float
    n_pairs: int
    n_dropped: int
    standard_error: float = math.nan
    degrees_of_freedom: float = math.nan

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of the interval of the mean difference that matches the test.

        It lacks zero exactly if ``p_value < 1 - level``, and is a point if the differences do not
        vary.

        Raises
        ------
        ValueError
            If `level` is not between 0 and 1.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {level}.")
        reach = self.standard_error * float(stats.t.ppf((1 + level) / 2, self.degrees_of_freedom))
        return self.mean_difference - reach, self.mean_difference + reach


@dataclass(frozen=True)
class Pairs:
    """The pairs of which both values are known."""

    a: Vector  # Shape (n_pairs,)
    b: Vector
    n_dropped: int  # Pairs left out because a value is NaN

    @property
    def differences(self) -> Vector:
        """``a - b`` to twelve digits of the largest value, so that equal ones are equal."""
        return round_to_digits(self.a - self.b, self._greatest)

    @property
    def rounding(self) -> float:
        """The size that a difference of equal values may have."""
        return float(10.0**-DIGITS * self._greatest)

    @property
    def _greatest(self) -> float:
        return float(np.abs([self.a, self.b]).max(initial=0.0))


def round_to_digits(values: Vector, greatest: float) -> Vector:
    """Return `values` rounded to twelve significant digits of the `greatest` absolute value."""
    if not greatest > 0:
        return values
    return np.round(values, DIGITS - 1 - math.floor(math.log10(greatest)))


def complete_pairs(a: ArrayLike, b: ArrayLike) -> Pairs:
    """Return the pairs of `a` and `b` without NaN, and how many are left out."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"Pairs need two vectors of one length, not shapes {x.shape}, {y.shape}.")
    kept = ~(np.isnan(x) | np.isnan(y))
    return Pairs(x[kept], y[kept], int((~kept).sum()))


def t_test(pairs: Pairs, variance_factor: float, degrees_of_freedom: float) -> PairedTest:
    """Test the mean difference, whose variance is the pairs' times a factor, with Student's t.

    `variance_factor`: variance of the mean in units of the sample variance of the differences: 1/n
    if they are independent.
    """
    n_pairs, difference = len(pairs.a), pairs.a - pairs.b
    mean = float(difference.mean()) if n_pairs else math.nan
    if n_pairs < 2:
        return PairedTest(math.nan, math.nan, mean, n_pairs, pairs.n_dropped)
    if np.ptp(difference) <= pairs.rounding:
        same = abs(mean) <= pairs.rounding
        statistic, p_value, error = math.copysign(math.inf, mean), 0.0, 0.0
        if same:
            statistic, p_value = 0.0, 1.0
    else:
        error = math.sqrt(variance_factor) * float(difference.std(ddof=1))
        statistic = mean / error
        p_value = float(2 * stats.t.sf(abs(statistic), degrees_of_freedom))
    return PairedTest(statistic, p_value, mean, n_pairs, pairs.n_dropped, error, degrees_of_freedom)


@dataclass(frozen=True)
class WinTieLoss:
    """How often one method is greater than, as great as, and smaller than another.

    Attributes
    ----------
    wins, ties, losses : int
    n_dropped : int
        Pairs left out because a value is NaN.
    """

    wins: int
    ties: int
    losses: int
    n_dropped: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"


def win_tie_loss(a: ArrayLike, b: ArrayLike, margin: float = 0.0) -> WinTieLoss:
    """Count on how many pairs `a` is greater than, within `margin` of, and smaller than `b`.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same data sets; swap them where smaller is better.
    margin : float, default=0.0
        Largest difference that is a tie; equal to twelve digits is a tie always.

    Raises
    ------
    ValueError
        If the vectors do not pair, or `margin` is negative.
    """
    if not margin >= 0:
        raise ValueError(f"margin must be at least 0, got {margin}.")
    pairs = complete_pairs(a, b)
    wins = int((pairs.differences > margin).sum())
    losses = int((pairs.differences < -margin).sum())
    return WinTieLoss(wins, len(pairs.a) - wins - losses, losses, pairs.n_dropped)
