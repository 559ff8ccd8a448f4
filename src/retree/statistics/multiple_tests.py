"""Many p-values considered together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def benjamini_hochberg(p_values: ArrayLike, level: float = 0.05) -> NDArray[np.bool_]:
    """Return which of several null hypotheses are rejected.

    Among the rejected ones at most a share of `level` is expected to be true (the false discovery
    rate), if the tests are independent or positively dependent.

    Shapes: `p_values` (n_tests,), result (n_tests,).

    References
    ----------
    Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57(1), 1995.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("Expected p-values between 0 and 1.")
    below = np.sort(p) <= level * np.arange(1, len(p) + 1) / max(len(p), 1)
    # All that are no greater than the greatest one below its own bound.
    return p <= np.sort(p)[np.flatnonzero(below)[-1]] if below.any() else np.zeros(len(p), bool)


def holm_adjusted(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted for their number, step by step from the lowest (Holm 1979).

    Shapes: `p_values` (n_tests,).
    A test that was not done has a p-value of NaN: it stays NaN and does not count.
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, math.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
