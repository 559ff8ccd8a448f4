"""Tests of two methods over data sets: Wilcoxon's signed ranks, and signs (Demšar 2006)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import stats

from retree.statistics.effects import win_tie_loss
from retree.statistics.paired import PairedTest, complete_pairs


def wilcoxon_signed_rank(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test whether ``a - b`` is symmetric about zero (Wilcoxon's signed-rank test, two-sided).

    The ranks of zero differences are split evenly between the two sums, as in Demšar (2006,
    section 3.1.3); differences that are equal to twelve digits share their ranks. The p-value is
    exact without ties or zeros up to 50 pairs, and with them up to 13 pairs; else it is that of
    the normal approximation.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same data sets.

    Returns
    -------
    PairedTest
        ``statistic`` is the smaller sum of ranks. The p-value is 1 if all differences are zero.

    Raises
    ------
    ValueError
        If `a` and `b` are not one-dimensional and of the same length.
    """
    pairs = complete_pairs(a, b)
    difference, n_pairs = pairs.differences, len(pairs.a)
    mean = float((pairs.a - pairs.b).mean()) if n_pairs else math.nan
    if n_pairs < 2:
        return PairedTest(math.nan, math.nan, mean, n_pairs, pairs.n_dropped)
    if not difference.any():
        return PairedTest(n_pairs * (n_pairs + 1) / 4, 1.0, mean, n_pairs, pairs.n_dropped)
    result = stats.wilcoxon(difference, zero_method="zsplit")
    return PairedTest(float(result.statistic), float(result.pvalue), mean, n_pairs, pairs.n_dropped)


def sign_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test whether `a` wins as often as it loses against `b` (sign test, exact, two-sided).

    Ties are split evenly between the two; if their number is odd, one is ignored (Demšar 2006,
    section 3.1.4).

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same data sets.

    Returns
    -------
    PairedTest
        ``statistic`` is the number of wins of `a` with its share of the ties.

    Raises
    ------
    ValueError
        If `a` and `b` are not one-dimensional and of the same length.
    """
    pairs, count = complete_pairs(a, b), win_tie_loss(a, b)
    n_pairs = len(pairs.a)
    if n_pairs < 2:
        mean = float((pairs.a - pairs.b).mean()) if n_pairs else math.nan
        return PairedTest(math.nan, math.nan, mean, n_pairs, pairs.n_dropped)
    half = count.ties // 2
    wins, trials = count.wins + half, count.wins + count.losses + 2 * half
    p_value = float(stats.binomtest(wins, trials).pvalue)
    return PairedTest(wins, p_value, float((pairs.a - pairs.b).mean()), n_pairs, pairs.n_dropped)
