"""What equal and unequal numbers are worth as evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree_lab.statistics.agreement import Digits

# A right explanation may miss so many of the numbers: misprints, other files.
MISSED = 0.03


def is_written(
    written: NDArray[np.float64], values: NDArray[np.float64], unit: float, digits: Digits
) -> NDArray[np.bool_]:
    """Return where numbers are written as the values of their rows; as `gap_to_digit` has it."""
    printed = values.reshape(-1, *[1] * (written.ndim - 1))
    slack = 1e-9 * np.maximum(1.0, np.abs(printed))
    below = unit / 2 if digits == Digits.ROUNDED else 0.0
    above = np.round(printed + (unit / 2 if digits == Digits.ROUNDED else unit), 12)
    if digits == Digits.CUT:
        return (written >= printed - slack) & (written < above)
    return (written >= printed - below - slack) & (written <= above + slack)


def chance(equal: NDArray[np.bool_], compared: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the share of entries that give each number, along the first axis.

    It stands for how likely something gives it that is not in the index.
    """
    axes = tuple(range(1, equal.ndim))
    n_equal, n = (each.sum(axis=axes, keepdims=True) for each in (equal, compared))
    return np.asarray((n_equal + 0.5) / (n + 1.0), np.float64)


def evidence(
    equal: NDArray[np.bool_], compared: NDArray[np.bool_], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the logarithm of each entry's likelihood ratio over all numbers.

    `share`: their chances, as `chance` returns them.
    """
    score = np.where(equal, np.log((1 - MISSED) / share), np.log(MISSED / (1 - share)))
    return np.asarray(np.where(compared, score, 0.0).sum(axis=0), np.float64)
