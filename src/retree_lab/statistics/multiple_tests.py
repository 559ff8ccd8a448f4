"""Many p-values considered together."""

from __future__ import annotations

import math
from functools import cache

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


def shaffer_adjusted(p_values: ArrayLike, n_methods: int) -> NDArray[np.float64]:
    """Return p-values of all pairs of methods, adjusted by Shaffer's static procedure (1986).

    As Holm's, but a step counts only as many hypotheses as can be true together: if one pair
    differs, no division of the methods into groups of equal ones leaves all other pairs equal.

    Shapes: `p_values` (n_methods * (n_methods - 1) / 2,).

    Raises
    ------
    ValueError
        If there is not a p-value for each pair.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if len(p) != math.comb(n_methods, 2) or np.isnan(p).any():
        raise ValueError(
            f"{n_methods} methods have {math.comb(n_methods, 2)} pairs, each with a p-value, got "
            f"{int((~np.isnan(p)).sum())}."
        )
    order = np.argsort(p, kind="stable")
    possible = _equal_pairs(n_methods)
    left = range(len(p), 0, -1)
    steps = p[order] * [max(count for count in possible if count <= n) for n in left]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


@cache
def _equal_pairs(n_methods: int) -> frozenset[int]:
    """Return how many pairs can be equal, over all ways to divide the methods into groups."""
    if n_methods < 2:
        return frozenset([0])
    sizes = range(1, n_methods + 1)
    return frozenset(
        math.comb(size, 2) + rest for size in sizes for rest in _equal_pairs(n_methods - size)
    )
