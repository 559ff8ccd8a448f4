"""Many p-values considered together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
