"""Sizes of the effect of one method against another over the same folds or data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats
from scipy.optimize import brentq
from scipy.stats import nct

from retree_lab.statistics.paired import complete_pairs
from retree_lab.statistics.paired_tests.t_sign_wilcoxon import paired_t_test


@dataclass(frozen=True)
class Effect:
    """An effect size with a confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        The effect, positive if `a` is greater, and the ends of its interval; NaN if undefined.
    level : float
        Confidence level of the interval.
    n_pairs, n_dropped : int
        Pairs used, and pairs left out because a value is NaN.
    """

    estimate: float
    low: float
    high: float
    level: float
    n_pairs: int
    n_dropped: int


def mean_difference(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Return the mean of ``a - b`` with the interval of the paired t-test.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same folds or data sets.
    level : float, default=0.95
        Confidence level.

    Raises
    ------
    ValueError
        If the vectors do not pair, or `level` is not between 0 and 1.
    """
    test = paired_t_test(a, b)
    low, high = test.confidence_interval(level)
    return Effect(test.mean_difference, low, high, level, test.n_pairs, test.n_dropped)


def cohen_d_z(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Return the mean of ``a - b`` in units of the differences' sample standard deviation.

    The interval is that of the noncentrality of Student's distribution of the test statistic
    (Cumming and Finch 2001), which is d_z times the root of the number of pairs.
    Differences that do not vary have an infinite effect, or none if they are 0, and no interval.

    Parameters
    ----------
    a, b, level
        As for `mean_difference`.

    Raises
    ------
    ValueError
        As for `mean_difference`.
    """
    test = paired_t_test(a, b)
    low, high = test.confidence_interval(level)
    estimate = test.statistic
    if test.standard_error > 0:
        # It turns a noncentrality into an effect: 1 over the root of the number of pairs.
        unit = test.standard_error / float(complete_pairs(a, b).differences.std(ddof=1))
        ends = [(1 + level) / 2, (1 - level) / 2]
        noncentralities = special.nctdtrinc(test.degrees_of_freedom, ends, test.statistic)
        estimate, low, high = (float(unit * v) for v in (test.statistic, *noncentralities))
    else:
        low = high = math.nan
    return Effect(estimate, low, high, level, test.n_pairs, test.n_dropped)


def rank_biserial(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Return the matched-pairs rank-biserial correlation, the effect size of Wilcoxon's test.

    It is ``(W+ - W-) / (W+ + W-)``, W the sums of the ranks of positive and negative differences
    (Kerby 2014); differences of 0 are left out of the ranking. The interval is Fisher's, with the
    standard deviation that the correlation has if there is no effect, so it is conservative.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same data sets.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Effect
        ``n_pairs`` counts zeros too. There is no interval if all differences are zero (an effect
        of 0) or of one sign (an effect of ±1): the approximation then breaks down.

    Raises
    ------
    ValueError
        If the vectors do not pair, or `level` is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}.")
    pairs = complete_pairs(a, b)
    differences = pairs.differences[pairs.differences != 0]
    n, counts = len(differences), (len(pairs.a), pairs.n_dropped)
    if n == 0:
        return Effect(0.0 if len(pairs.a) else math.nan, math.nan, math.nan, level, *counts)
    total = n * (n + 1) / 2
    r = float((stats.rankdata(np.abs(differences)) * np.sign(differences)).sum() / total)
    if abs(r) == 1:
        return Effect(r, math.nan, math.nan, level, *counts)
    reach = (
        float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(n * (n + 1) * (2 * n + 1) / 6) / total
    )
    low, high = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
    return Effect(r, low, high, level, *counts)


def least_seen(n: int, power: float = 1 / 3) -> float:
    """Return the effect that a paired t-test of `n` differences finds with a chance of a third.

    Simonsohn (2015, "Small telescopes") takes it for the smallest effect that a study could see.
    The test is two-sided at 5 %; the effect is Cohen's d_z.
    """
    df, critical = n - 1, float(stats.t.ppf(0.975, n - 1))

    def missing(effect: float) -> float:
        shift = effect * math.sqrt(n)
        # Far from 0 the other tail underflows.
        other = nct.cdf(-critical, df, shift) if shift < critical else 0.0
        return float(nct.sf(critical, df, shift) + other) - power

    return float(brentq(missing, 0.0, 5.0))


def smaller_than_seen(differences: ArrayLike) -> float:
    """Return the p-value that the effect of `differences` is below `least_seen`.

    Small values say that even if there is an effect in the direction of positive differences, as
    many could hardly have seen it.

    Shapes: `differences` (n,).
    """
    values = np.asarray(differences, dtype=np.float64)
    n, std = len(values), float(values.std(ddof=1))
    if not std:
        return math.nan
    t = float(values.mean()) / std * math.sqrt(n)
    return float(nct.cdf(t, n - 1, least_seen(n) * math.sqrt(n)))
