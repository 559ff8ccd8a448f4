"""Values that stand for missing ones."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import row_sums
from retree.trees.validation import check_choice

Filling = Literal["common", "mean"]
COMMON, MEAN = get_args(Filling)


def fill_values(
    X: NDArray[np.float64], weight: NDArray[np.float64], is_nominal: NDArray[np.bool_], how: str
) -> NDArray[np.float64]:
    """Return what stands for a missing value in each column, shape (n_features,).

    Shapes: `X` (n_samples, n_features), `weight` (n_samples,), `is_nominal` (n_features,), result
    (n_features,).
    `X`: numbers, or level codes; NaN where missing.
    `how`: the value with the most weight, the lowest where weights tie; or the mean, of level codes
    the former. A column without any value has none to fill in: NaN.
    """
    check_choice("fill_missing", how, (COMMON, MEAN))
    values = np.full(X.shape[1], np.nan)
    for j, column in enumerate(X.T):
        known = ~np.isnan(column)
        if not known.any():
            continue
        own, heavy = column[known], weight[known]
        if how == MEAN and not is_nominal[j]:
            # The sum of large numbers may be infinite; scaling by a power of two is exact.
            exponent = int(np.frexp(np.abs(own).max())[1])
            scaled = np.ldexp(own, -exponent)
            total, sum_of_weights = row_sums(np.array([scaled * heavy, heavy]))
            values[j] = np.ldexp(total / sum_of_weights, exponent)
        else:
            found, places = np.unique(own, return_inverse=True)
            values[j] = found[np.bincount(places, heavy).argmax()]
    return values


def filled(X: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows with `values`, one for each column, where they are missing."""
    return np.where(np.isnan(X), values, X)
