"""Paired tests over folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


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
    """

    statistic: float
    p_value: float
    mean_difference: float
    n_pairs: int
    n_dropped: int


def paired_t_test(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test whether the mean of ``a - b`` is zero (Student's paired t-test, two-sided).

    Differences that are all equal have no variance: the p-value is then 1 if they are zero and 0
    if they are not. A spread of the size of rounding errors counts as none.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same folds.

    Raises
    ------
    ValueError
        If `a` and `b` are not one-dimensional and of the same length.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"Pairs need two vectors of one length, not shapes {x.shape}, {y.shape}.")
    kept = ~(np.isnan(x) | np.isnan(y))
    n_pairs, n_dropped = int(kept.sum()), int((~kept).sum())
    x, y = x[kept], y[kept]
    difference = x - y
    mean = float(difference.mean()) if n_pairs else np.nan
    if n_pairs < 2:
        return PairedTest(np.nan, np.nan, mean, n_pairs, n_dropped)
    rounding = 8 * np.finfo(np.float64).eps * max(np.abs(x).max(), np.abs(y).max())
    if np.ptp(difference) <= rounding:
        same = abs(mean) <= rounding
        statistic = 0.0 if same else float(np.copysign(np.inf, mean))
        return PairedTest(statistic, float(same), mean, n_pairs, n_dropped)
    result = stats.ttest_rel(x, y)
    return PairedTest(float(result.statistic), float(result.pvalue), mean, n_pairs, n_dropped)
