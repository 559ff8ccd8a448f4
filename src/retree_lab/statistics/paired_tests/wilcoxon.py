"""Wilcoxon's signed-rank test (Demšar 2006)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import stats

from retree_lab.statistics.paired import PairedTest, complete_pairs
from retree_lab.statistics.paired_tests import paired_test


@paired_test("wilcoxon", "Wilcoxon's signed-rank test over all folds")
def wilcoxon_signed_rank(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test whether ``a - b`` is symmetric about zero (Wilcoxon's signed-rank test, two-sided).

    The ranks of zero differences are split evenly between the two sums, as in Demšar (2006,
    section 3.1.3); differences that are equal to twelve digits share their ranks. The p-value is
    exact without ties or zeros up to 50 pairs, and with them up to 13 pairs; else it is that of
    the normal approximation.

    The ``statistic`` is the smaller sum of ranks. The p-value is 1 if all differences are zero.
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
