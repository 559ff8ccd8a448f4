"""Rows as Relief-F compares them: numeric columns on one scale, classes one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def measure_columns(
    X: NDArray[np.float64], nominal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what is subtracted from each column and what it is divided by for a range of 1.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN where missing.
    nominal : ndarray of shape (n_features,)
        Columns that are not changed.

    Returns
    -------
    offset, scale : ndarray of shape (n_features,)
        0 and 1 for a categorical column and one without values, scale 1 for a constant one.

    Raises
    ------
    ValueError
        If a range is beyond floating-point numbers.
    """
    is_known = ~np.isnan(X)
    low = np.where(is_known, X, np.inf).min(axis=0)
    high = np.where(is_known, X, -np.inf).max(axis=0)
    measured = ~nominal & (low <= high)
    offset = np.where(measured, low, 0.0)
    with np.errstate(over="ignore"):
        scale = np.where(measured, high, 1.0) - offset
    if np.isinf(scale).any():
        column = int(np.flatnonzero(np.isinf(scale))[0])
        raise ValueError(f"The range of column {column} overflows; divide the column by 10.")
    return offset, np.where(scale > 0, scale, 1.0)


def grouped_by_class(
    X: NDArray[np.float64], y: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows sorted by class and then by their values, whatever their order was.

    Returns
    -------
    rows : ndarray of shape (n_samples, n_features)
    classes : ndarray of shape (n_samples,)
        Class codes, ascending.
    class_start : ndarray of shape (n_classes + 1,)
        Class c has the rows ``class_start[c]:class_start[c + 1]``.
    """
    order = np.lexsort((*X.T[::-1], y))
    counts = np.bincount(y)
    return X[order], y[order], np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
