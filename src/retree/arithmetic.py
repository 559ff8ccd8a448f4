"""Sums and logarithms that are equal on every processor, whatever code numpy uses there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree import engine


def row_sums(X: ArrayLike) -> NDArray[np.float64]:
    """Return the sum of each row, adding up each half first (pairwise summation).

    Shapes: `X` (n_rows, n_columns), result (n_rows,).
    """
    rows = np.ascontiguousarray(X, np.float64)
    sums = np.empty(len(rows))
    engine.call("row_sums", rows, sums)
    return sums


def sum_of(values: ArrayLike) -> float:
    """Return the pairwise sum of `values`, shape (n_values,)."""
    return float(row_sums(np.asarray(values)[None, :])[0])


def running_sum(values: ArrayLike) -> float:
    """Return the sum of `values`, shape (n_values,), added up from first to last."""
    # Partial sums leave no choice of order, and Python's `sum` compensates since 3.12.
    partial_sums = np.cumsum(values, dtype=np.float64)
    return float(partial_sums[-1]) if len(partial_sums) else 0.0


def log(x: float) -> float:
    """Return the natural logarithm of a positive number, rounded to the nearest double."""
    result = np.empty(1)
    engine.call("log", np.array([x]), result)
    return float(result[0])


def logs(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithms of values that are not negative; log(0) is minus infinity."""
    given = np.ascontiguousarray(values, np.float64)
    result = np.empty(given.shape)
    engine.call("log", np.where(given > 0, given, 1.0).reshape(-1), result.reshape(-1))
    return np.where(given > 0, result, -np.inf)


def exps(values: ArrayLike) -> NDArray[np.float64]:
    """Return e to the power of each of `values`."""
    given = np.ascontiguousarray(values, np.float64)
    result = np.empty(given.shape)
    engine.call("exp", given.reshape(-1), result.reshape(-1))
    return result


def fdlibm_exps(values: ArrayLike) -> NDArray[np.float64]:
    """Return e to the power of each of `values`, as Java's ``StrictMath`` specifies.

    The last bit can differ from the nearest double.
    """
    x = np.asarray(values, np.float64)
    size, sign = np.abs(x), np.sign(x)
    # One step for numbers below 1.5 log(2), none below half of it.
    steps = np.trunc(1.44269504088896338700 * x + 0.5 * sign)
    steps = np.where(size < 1.03972077083991796413, sign, steps)
    steps = np.where(size <= 0.34657359027997264311, 0.0, steps)
    high, low = x - steps * 6.93147180369123816490e-01, steps * 1.90821492927058770002e-10
    rest = high - low
    square = rest * rest
    series: Any = 4.13813679705723846039e-08
    for term in (-1.65339022054652515390e-06, 6.61375632143793436117e-05,
                 -2.77777777770155933842e-03, 1.66666666666666019037e-01):  # fmt: skip
        series = term + square * series
    series = rest - square * series
    share = rest * series
    result = np.where(
        steps == 0.0,
        1.0 - (share / (series - 2.0) - x),
        1.0 - ((low - share / (2.0 - series)) - high),
    )
    result = np.where(size < 2.0**-28, 1.0 + x, result)
    return np.ldexp(result, steps.astype(np.int64))


def entropies(shares: ArrayLike) -> NDArray[np.float64]:
    """Return the entropy in bits of each row of `shares`, shape (n_rows, n_classes)."""
    values = np.ascontiguousarray(shares, np.float64)
    logs = np.empty(values.shape)
    engine.call("log2", np.where(values > 0, values, 1.0).reshape(-1), logs.reshape(-1))
    return row_sums(-values * logs)
