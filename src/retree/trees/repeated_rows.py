"""Sample weights of trees that count rows: each row as often as its weight says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_ROWS = 2**31


def repeated_rows(weight: NDArray[np.float64], estimator: Any) -> NDArray[np.intp]:
    """Return the numbers of the rows, each as often as its weight says.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,)
        Not negative.
    estimator : estimator
        What counts rows.

    Returns
    -------
    ndarray of shape (sum of the weights,)

    Raises
    ------
    ValueError
        If weights are not whole numbers, or there are more than 2^31 rows.
    """
    if weight.sum() > _MOST_ROWS:
        raise ValueError(f"The sample weights sum to {weight.sum():g} rows, more than 2^31.")
    times = weight.astype(np.int64)
    if (times != weight).any():
        raise ValueError(
            f"{type(estimator).__name__} counts rows, so sample weights must be whole numbers: "
            "round them to multiples of a unit and divide by that."
        )
    return np.repeat(np.arange(len(times)), times)
