"""Rows as Relief-F compares them: numeric columns on one scale, classes one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def measure_columns(
    X: NDArray[np.float64], nominal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what is subtracted from each column and what it is divided by for a range of 1.

    Shapes: `X` (n_samples, n_features), `nominal` (n_features,).
    Returns 0 and 1 for a categorical column and one without values, scale 1 for a constant one.
    """
    # One column at a time: all at once would need as much memory as X again.
    low, high = np.full(len(nominal), np.inf), np.full(len(nominal), -np.inf)
    for j, column in enumerate(X.T):
        known = column[~np.isnan(column)]
        if len(known):
            low[j], high[j] = known.min(), known.max()
    measured = ~nominal & (low <= high)
    offset = np.where(measured, low, 0.0)
    with np.errstate(over="ignore"):
        scale = np.where(measured, high, 1.0) - offset
    if np.isinf(scale).any():
        column = int(np.flatnonzero(np.isinf(scale))[0])
        raise ValueError(f"The range of column {column} overflows; divide the column by 10.")
    return offset, np.where(scale > 0, scale, 1.0)


def grouped_by_class(
    columns: NDArray[np.float64], y: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the order of the rows by class and then by their values, and where classes start.

    Shapes: `columns` (n_features, n_samples), `y` (n_samples,).
    Returns numbers of the rows; the values do not depend on the order that they had.
    Returns in this order, class c has the rows ``class_start[c]:class_start[c + 1]``.
    """
    order = np.lexsort((*columns[::-1], y))
    return order, np.concatenate(([0], np.cumsum(np.bincount(y)))).astype(np.int64)
