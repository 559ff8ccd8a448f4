"""What a draw is, and its rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]
Seed = int | np.random.RandomState | None


def rounded(X: NDArray[np.float64], decimals: int | None) -> NDArray[np.float64]:
    """Return `X` with so many decimals, or as it is."""
    return X if decimals is None else np.round(X, decimals)
