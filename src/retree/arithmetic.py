"""Sums and logarithms that are the same on every processor, whatever numpy takes there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree import engine


def row_sums(X: ArrayLike) -> NDArray[np.float64]:
    """Return the sum of each row, added up by halves.

    Shapes: `X` (n_rows, n_columns), result (n_rows,).
    """
    rows = np.ascontiguousarray(X, np.float64)
    sums = np.empty(len(rows))
    engine.call("row_sums", rows, sums)
    return sums


def sum_of(values: ArrayLike) -> float:
    """Return the sum of `values`, shape (n_values,), added up by halves."""
    return float(row_sums(np.asarray(values)[None, :])[0])


def running_sum(values: ArrayLike) -> float:
    """Return the sum of `values`, shape (n_values,), added up one after the other."""
    # Partial sums leave no choice of order, and Python's `sum` compensates since 3.12.
    partial_sums = np.cumsum(values, dtype=np.float64)
    return float(partial_sums[-1]) if len(partial_sums) else 0.0


def log(x: float) -> float:
    """Return the natural logarithm of a positive number, the nearest double."""
    found = np.empty(1)
    engine.call("log", np.array([x]), found)
    return float(found[0])


def logs(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithm of each of `values`, 0 or more; that of 0 is minus infinity."""
    given = np.ascontiguousarray(values, np.float64)
    found = np.empty(given.shape)
    engine.call("log", np.where(given > 0, given, 1.0).reshape(-1), found.reshape(-1))
    return np.where(given > 0, found, -np.inf)


def exps(values: ArrayLike) -> NDArray[np.float64]:
    """Return e to the power of each of `values`."""
    given = np.ascontiguousarray(values, np.float64)
    found = np.empty(given.shape)
    engine.call("exp", given.reshape(-1), found.reshape(-1))
    return found


def entropies(shares: ArrayLike) -> NDArray[np.float64]:
    """Return the entropy in bits of each row of `shares`, shape (n_rows, n_classes)."""
    values = np.ascontiguousarray(shares, np.float64)
    logs = np.empty(values.shape)
    engine.call("log2", np.where(values > 0, values, 1.0).reshape(-1), logs.reshape(-1))
    return row_sums(-values * logs)
