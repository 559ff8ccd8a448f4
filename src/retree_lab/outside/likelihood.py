"""What equal and unequal numbers are worth as evidence, deviations and relatives of entries too.

A column may be of a learner that the index lacks: J48 with an option that nobody asked about, or
with another seed. On how many data sets such a relative gives other numbers is counted among the
relatives that are there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retree_lab.outside.index import Index
from retree_lab.outside.reading import Number
from retree_lab.statistics.agreement import Digits

# A right explanation may miss so many of the numbers: misprints, other files.
MISSED = 0.03
# How likely it is beforehand that what stands behind ± is not the deviation over the folds.
OTHER = 0.2
DIVISORS = ("n − 1", "n")


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


@dataclass(frozen=True)
class Spread:
    """How many printed deviations an entry gives, at the divisor that fits more."""

    equal: int
    compared: int  # 0 if none is printed, or the entry has none
    folds: int
    divisor: str  # One of `DIVISORS`


def read_spreads(
    index: Index, places: NDArray[np.intp], numbers: Sequence[Number], full: float
) -> tuple[NDArray[np.float64], Callable[[int, int], Spread]]:
    """Compare the deviations of numbers with the deviations of all entries.

    `places`: of the data sets in the index. `full`: what stands for all rows, 1 or 100.

    Returns
    -------
    score : array of shape (n_learners, n_protocols)
        Logarithm of the likelihood ratios; 0 if no deviation is printed.
    spread_of : callable
        What there is of the entry of a learner and a protocol.
    """
    printed = np.array([number.std for number in numbers])
    is_printed = ~np.isnan(printed)
    std = full * index.std[places]
    compared = ~np.isnan(std) & is_printed[:, None, None]
    unit = min((n.std_unit for n in numbers if not math.isnan(n.std)), default=1.0)
    narrower = np.sqrt(1 - 1 / np.maximum(index.folds, 2))
    # Shape (n_divisors, n_numbers, n_learners, n_protocols).
    equal = np.array(
        [compared & is_written(std * f, printed, unit, Digits.ROUNDED) for f in (1.0, narrower)]
    )
    scores = (evidence(same, compared, chance(same, compared)) for same in equal)
    likelihood = np.logaddexp(*scores) - math.log(2)
    likelihood = np.where(compared.any(axis=0), likelihood, -np.inf)
    score = np.logaddexp(math.log(OTHER), math.log(1 - OTHER) + likelihood)

    def spread_of(learner: int, protocol: int) -> Spread:
        counts = equal[:, :, learner, protocol].sum(axis=1)
        best, n = int(counts.argmax()), int(compared[:, learner, protocol].sum())
        return Spread(int(counts[best]), n, int(index.folds[protocol]), DIVISORS[best])

    return score if is_printed.any() else np.zeros_like(score), spread_of


def family(learner: str) -> str:
    """Return a learner's name without its options and release."""
    return re.split(r" -|, ", learner)[0]


def has_number(learner: str) -> bool:
    """Return whether a learner's name gives a number as an option, as in J48 -M 1."""
    return re.search(r" -[A-Z] [\d.]+$", learner) is not None


def alike(
    learners: tuple[str, ...], accuracy: NDArray[np.float64], unit: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return on each data set which share of an entry's relatives is written as the same number.

    `accuracy`: shape (n_datasets, n_learners, n_protocols). `unit`: of the last digit, as a share.

    Returns
    -------
    by_option, by_folds : arrays of the shape of `accuracy`
        Of the same family by the same protocol, and of the same learner by other protocols. A
        learner without a family has the second in both.
    """
    with np.errstate(invalid="ignore"):
        written = np.round(accuracy / unit)
    by_folds, _ = _smoothed(_pairs(written))
    by_option = by_folds.copy()
    names = np.array([family(name) for name in learners])
    for name in set(names):
        members = np.flatnonzero(names == name)
        if len(members) > 1:
            # Shape (n_datasets, n_protocols, n_members, n_members).
            same = _pairs(written[:, members].swapaxes(1, 2))
            # By a protocol that a relative lacks it is as alike as by the others.
            is_known = ~np.isnan(same)
            n = is_known.sum(axis=1, keepdims=True)
            usual = np.where(is_known, same, 0.0).sum(axis=1, keepdims=True) / np.maximum(n, 1)
            same = np.where(is_known, same, np.where(n > 0, usual, np.nan))
            shares, n_known = (each.swapaxes(1, 2) for each in _smoothed(same))
            by_option[:, members] = np.where(n_known > 0, shares, by_folds[:, members])
    return by_option, by_folds


def _pairs(written: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return whether two entries along the last axis are equal; NaN if one is none, or the same."""
    a, b = written[..., :, None], written[..., None, :]
    same = np.where(np.isnan(a) | np.isnan(b), np.nan, a == b)
    at = np.arange(written.shape[-1])
    same[..., at, at] = np.nan
    return same


def _smoothed(same: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the share of equal pairs along the last axis, and the number of pairs.

    Half a case is added to either side.
    """
    is_known = ~np.isnan(same)
    n = is_known.sum(axis=-1)
    return (np.where(is_known, same, 0.0).sum(axis=-1) + 0.5) / (n + 1.0), n
