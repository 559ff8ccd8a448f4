"""Paired tests over training sets that overlap: repeated splits and cross-validations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from retree.statistics.paired import PairedTest, Pairs, complete_pairs, t_test

# Bouckaert (2003): with them the t-test over all 10 x 10 folds has the level that it states.
CALIBRATED_DEGREES_OF_FREEDOM = 10


def corrected_resampled_t_test(a: ArrayLike, b: ArrayLike, test_share: float) -> PairedTest:
    """Test the mean of ``a - b`` over random splits whose training sets overlap (two-sided).

    The variance of the mean is ``(1/n + n_test/n_train) * s²`` instead of ``s²/n``, s² the sample
    variance of the n differences, with n - 1 degrees of freedom (Nadeau and Bengio 2003; Weka's
    ``PairedCorrectedTTester``). Differences that do not vary are treated as in
    `paired_t_test`. It also serves one cross-validation, and repeated ones (see
    `repeated_cv_t_test`).

    Parameters
    ----------
    a, b : array-like of shape (n_splits,)
        Values of the two methods on the same splits. Pairs with a NaN are left out and counted.
    test_share : float
        Share of the rows that is tested on, 0.1 for ten folds.

    Raises
    ------
    ValueError
        If `a` and `b` are not one-dimensional and of the same length, or `test_share` is not
        between 0 and 1.
    """
    if not 0 < test_share < 1:
        raise ValueError(f"test_share must lie between 0 and 1, got {test_share}.")
    pairs = complete_pairs(a, b)
    n_pairs = len(pairs.a)
    return t_test(pairs, 1 / max(n_pairs, 1) + test_share / (1 - test_share), n_pairs - 1)


def repeated_cv_t_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the mean difference over a repeated cross-validation, as 10×10 folds (two-sided).

    It is the corrected resampled t-test over all folds (Bouckaert and Frank 2004, "corrected
    repeated k-fold cv test"), with ``n_test/n_train = 1/(n_folds - 1)``.

    Parameters
    ----------
    a, b : array-like of shape (n_repeats, n_folds)
        Values of the two methods on the same folds. Folds with a NaN are left out and counted.

    Raises
    ------
    ValueError
        If `a` and `b` are not two-dimensional of one shape with at least two folds.
    """
    x, y = _matrices(a, b)
    return corrected_resampled_t_test(x.ravel(), y.ravel(), 1 / x.shape[1])


def calibrated_cv_t_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the mean difference over 10×10 folds with calibrated degrees of freedom (two-sided).

    It is Bouckaert's test that uses all data (2003): ``t = mean * sqrt(df + 1) / s``
    over all folds, with df = 10, which was calibrated for ten times ten folds and no others.

    Parameters
    ----------
    a, b : array-like of shape (10, 10)
        Values of the two methods, one row per repeat. Folds with a NaN are left out and counted.

    Raises
    ------
    ValueError
        If `a` and `b` do not have 10 repeats of 10 folds.
    """
    x, y = _matrices(a, b)
    if x.shape != (10, 10):
        raise ValueError(f"The test is calibrated for 10 repeats of 10 folds, not for {x.shape}.")
    freedom = CALIBRATED_DEGREES_OF_FREEDOM
    return t_test(complete_pairs(x.ravel(), y.ravel()), 1 / (freedom + 1), freedom)


def five_by_two_cv_t_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the difference over five repeats of two folds (Dietterich 1998, section 3.5).

    The statistic is the very first difference over the root of the mean variance within repeats;
    it has Student's distribution with a degree of freedom for each repeat. Hence it depends on
    which fold comes first; `five_by_two_cv_f_test` does not.

    Parameters
    ----------
    a, b : array-like of shape (5, 2)
        Values of the two methods, one row per repeat. A repeat with a NaN is left out with both its
        folds, which are counted; the degrees of freedom go down with it.

    Returns
    -------
    PairedTest
        ``mean_difference`` is that over all folds used, not the first one.

    Raises
    ------
    ValueError
        If `a` and `b` do not have 5 repeats of 2 folds.
    """
    differences, pairs = _repeats(a, b)
    if len(differences) == 0:
        return PairedTest(math.nan, math.nan, math.nan, 0, pairs.n_dropped)
    first, variance = float(differences[0, 0]), float(_variances(differences).mean())
    statistic = _quotient(first, math.sqrt(variance))
    p_value = float(2 * stats.t.sf(abs(statistic), len(differences)))
    return _result(statistic, p_value, differences, pairs)


def five_by_two_cv_f_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test the difference over five repeats of two folds, by all ten (Alpaydin 1999).

    The statistic is the sum of all squared differences over twice the sum of the variances within
    repeats. It has the F distribution with 10 and 5 degrees of freedom (2r and r of r repeats).

    Parameters
    ----------
    a, b : array-like of shape (5, 2)
        As for `five_by_two_cv_t_test`.

    Raises
    ------
    ValueError
        If `a` and `b` do not have 5 repeats of 2 folds.
    """
    differences, pairs = _repeats(a, b)
    n_repeats = len(differences)
    if n_repeats == 0:
        return PairedTest(math.nan, math.nan, math.nan, 0, pairs.n_dropped)
    squares, variance = float((differences**2).sum()), float(_variances(differences).sum())
    statistic = _quotient(squares, 2 * variance)
    p_value = float(stats.f.sf(statistic, 2 * n_repeats, n_repeats))
    return _result(statistic, p_value, differences, pairs)


def _matrices(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.ndim != 2 or x.shape != y.shape or x.shape[1] < 2:
        raise ValueError(
            "Values must be two matrices (n_repeats, n_folds) of one shape with at least two "
            f"folds, not of shapes {x.shape}, {y.shape}."
        )
    return x, y


def _repeats(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], Pairs]:
    """Return the differences of the complete repeats, a row each, and their pairs."""
    x, y = _matrices(a, b)
    if x.shape != (5, 2):
        raise ValueError(f"The test is one of 5 repeats of 2 folds, not of {x.shape}.")
    lacking = np.isnan(x - y).any(axis=1, keepdims=True)
    pairs = complete_pairs(np.where(lacking, np.nan, x).ravel(), y.ravel())
    return pairs.differences.reshape(-1, 2), pairs


def _variances(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``(p1 - mean)² + (p2 - mean)²`` of each repeat."""
    return (differences[:, 0] - differences[:, 1]) ** 2 / 2


def _quotient(numerator: float, denominator: float) -> float:
    """Return a quotient; without any spread it is 0 for no difference, else infinite."""
    if denominator > 0:
        return numerator / denominator
    return math.copysign(math.inf, numerator) if numerator else 0.0


def _result(
    statistic: float, p_value: float, differences: NDArray[np.float64], pairs: Pairs
) -> PairedTest:
    mean = float(differences.mean())
    return PairedTest(statistic, p_value, mean, len(pairs.a), pairs.n_dropped)
