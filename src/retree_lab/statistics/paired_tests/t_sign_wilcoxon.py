"""Student's t-test, plain and corrected, the sign test and Wilcoxon's (Demšar 2006)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import stats

from retree_lab.statistics.paired import PairedTest, complete_pairs, t_test, win_tie_loss
from retree_lab.statistics.paired_tests import paired_test


@paired_test(
    "corrected",
    "the t-test over all folds, corrected for overlapping training sets (Nadeau and Bengio)",
)
def corrected_resampled_t_test(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test the mean of ``a - b`` over random splits whose training sets overlap (two-sided).

    The variance of the mean is ``(1/n + n_test/n_train) * s²`` instead of ``s²/n``, s² the sample
    variance of the n differences, with n - 1 degrees of freedom (Nadeau and Bengio 2003; Weka's
    ``PairedCorrectedTTester``). Differences that do not vary are treated as in
    `retree_lab.statistics.paired_t_test`. It also serves one cross-validation, and repeated ones
    (Bouckaert and Frank 2004), with ``n_test/n_train = 1/(n_folds - 1)``.

    Shapes: `a`, `b` (n_splits,).
    `a`, `b`: values of the two methods on the same splits. Pairs with a NaN are left out and
    counted.
    `test_share`: share of the rows that is tested on, 0.1 for ten folds; 0 for training sets that
    do not overlap, as of a single split.
    """
    if not 0 <= test_share < 1:
        raise ValueError(f"test_share must be at least 0 and below 1, got {test_share}.")
    pairs = complete_pairs(a, b)
    n_pairs = len(pairs.a)
    return t_test(pairs, 1 / max(n_pairs, 1) + test_share / (1 - test_share), n_pairs - 1)


@paired_test("paired", "the paired t-test over all folds")
def paired_t_test(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test whether the mean of ``a - b`` is zero (Student's paired t-test, two-sided).

    Differences that are all equal have no variance: the p-value is then 1 if they are zero and 0
    if they are not. A spread of the size of rounding errors counts as none.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same folds.
    test_share : float
        Not considered: pairs count as independent.

    Raises
    ------
    ValueError
        If `a` and `b` are not one-dimensional and of the same length.
    """
    pairs = complete_pairs(a, b)
    return t_test(pairs, 1 / max(len(pairs.a), 1), len(pairs.a) - 1)


@paired_test("sign", "the sign test over all folds")
def sign_test(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test whether `a` wins as often as it loses against `b` (sign test, exact, two-sided).

    Ties are split evenly between the two; if their number is odd, one is ignored (Demšar 2006,
    section 3.1.4).

    The ``statistic`` is the number of wins of `a` with its share of the ties.
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
