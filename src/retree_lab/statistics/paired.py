"""Pairs of values over folds or data sets: tests, Bayesian probabilities, and who wins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

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


N_SAMPLES = 50_000
# Samples that a processor's cache holds together with their cumulative sums.
_AT_ONCE = 500


@dataclass(frozen=True)
class Posterior:
    """The posterior of ``a - b``."""

    # Probabilities that `a` is greater than `b` by more than the ROPE, that they are within it, and
    # that `a` is smaller; they sum to 1. NaN without enough pairs.
    greater: float
    equivalent: float
    smaller: float
    n_pairs: int  # Pairs used, and pairs left out because a value is NaN
    n_dropped: int


def bayesian_signed_rank_test(
    a: ArrayLike,
    b: ArrayLike,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    n_samples: int = N_SAMPLES,
    seed: int = 0,
) -> Posterior:
    """Return with what probability one method is the better one on most data sets.

    The Bayesian signed-rank test (Benavoli et al. 2014, 2017): the data sets, and a pseudo data
    set of difference 0, have weights from a Dirichlet distribution. In each sample of the weights
    the mean of a random pair of differences (Walsh average) is greater, equivalent or smaller with
    some probability; the most probable of the three wins the sample, and equally probable ones
    share it. Returned are the shares of samples that were won.

    Shapes: `a`, `b` (n_pairs,).
    `a`, `b`: values of the two methods, one for each data set.
    `rope`: largest difference, in units of the values, that counts as none.
    `n_samples`: number of samples; the standard error of a probability is at most 0.0022 with
    50000. Each is used for ``a - b`` and for ``b - a``, both in ascending order.
    `seed`: seed of the samples. The result depends neither on the order of the pairs nor on which
    method comes first.
    """
    if not rope >= 0:
        raise ValueError(f"rope must be at least 0, got {rope}.")
    if not prior_strength > 0 or n_samples < 1:
        raise ValueError(
            f"prior_strength and n_samples must be positive, got {prior_strength}, {n_samples}."
        )
    pairs = complete_pairs(a, b)
    counts = len(pairs.a), pairs.n_dropped
    if not len(pairs.a):
        return Posterior(math.nan, math.nan, math.nan, *counts)
    samples = _draw_weights(len(pairs.a), prior_strength, n_samples, seed)
    # Both ways round, so that neither method has the luck of the draw.
    forward = _won(_region_probabilities(np.sort(pairs.differences), samples, rope))
    backward = _won(_region_probabilities(np.sort(-pairs.differences), samples, rope))
    greater, equivalent, smaller = (
        (f + b) / 2 for f, b in zip(forward, reversed(backward), strict=True)
    )
    return Posterior(greater, equivalent, smaller, *counts)


# A table compares many pairs of methods over the same data sets.
@lru_cache(maxsize=1)
def _draw_weights(
    n_pairs: int, prior_strength: float, n_samples: int, seed: int
) -> NDArray[np.float64]:
    """Return samples of the weights, (n_samples, 1 + n_pairs), the pseudo data set first."""
    weights = np.append(prior_strength, np.ones(n_pairs))
    return np.random.default_rng(seed).dirichlet(weights, n_samples)


def _region_probabilities(
    difference: NDArray[np.float64], samples: NDArray[np.float64], rope: float
) -> NDArray[np.float64]:
    """Return for each sample of weights the probabilities of the regions, (3, n_samples)."""
    difference = np.append(0.0, difference)
    order = np.argsort(difference, kind="stable")
    difference = difference[order]
    sums = difference[:, None] + difference
    # A sum on the border, to rounding, belongs half to the ROPE.
    slack = 1e-12 * max(float(np.abs(sums).max()), rope)
    # Sorted as they are, the partners of a difference that lie below are the first ones, and those
    # above the last ones, so that their weight is a difference of cumulative sums.
    is_below = _step(-sums - 2 * rope, slack)
    is_above = _step(sums - 2 * rope, slack)[::-1, ::-1]
    chunks = []
    for start in range(0, len(samples), _AT_ONCE):
        weights = samples[start : start + _AT_ONCE].T[order]
        below, above = _mass_of_first(weights, is_below), _mass_of_first(weights[::-1], is_above)
        chunks.append((above, 1.0 - above - below, below))
    return np.concatenate(chunks, axis=1)


def _mass_of_first(
    weights: NDArray[np.float64], counted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of the pairs that count, (n_samples,).

    Shapes: `weights` (n_values, n_samples), `counted` (n_values, n_values).
    `counted`: how much each pair counts: in each row first ones, then halves, then zeros.
    """
    first = np.concatenate([np.zeros((1, weights.shape[1])), np.cumsum(weights, axis=0)])
    whole, half = (counted == 1).sum(axis=1), (counted > 0).sum(axis=1)
    mass: NDArray[np.float64] = (weights * (first[whole] + first[half])).sum(axis=0)
    return mass / 2


def _step(values: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """Return 1 for positive values, 0 for negative ones, and a half on the border."""
    return np.heaviside(np.where(np.abs(values) <= slack, 0.0, values), 0.5)


def _won(probabilities: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the share of samples in which each region is the most probable one."""
    best = probabilities >= probabilities.max(axis=0) - 1e-12
    greater, equivalent, smaller = (best / best.sum(axis=0)).mean(axis=1)
    return float(greater), float(equivalent), float(smaller)
