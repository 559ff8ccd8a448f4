"""Printed deviations as evidence: those over the folds, or over the folds of all runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retree_lab.outside.index import Index
from retree_lab.outside.likelihood import chance, evidence, is_written
from retree_lab.outside.reading import Number
from retree_lab.statistics.agreement import Digits

# How likely it is beforehand that what stands behind ± is not the deviation over the folds.
OTHER = 0.2
DIVISORS = ("n − 1", "n")


@dataclass(frozen=True)
class Spread:
    """How many printed deviations an entry gives, at the divisor that fits more of them."""

    equal: int
    compared: int  # 0 if none is printed, or the entry has none
    folds: int
    divisor: str  # One of `DIVISORS`


@dataclass(frozen=True)
class Spreads:
    """The deviations of a column, compared with those of all entries."""

    score: NDArray[np.float64]  # Shape (n_learners, n_protocols): logarithm of likelihood ratios
    equal: NDArray[np.bool_]  # Shape (n_divisors, n_numbers, n_learners, n_protocols)
    compared: NDArray[np.bool_]  # Shape (n_numbers, n_learners, n_protocols)
    folds: NDArray[np.int64]

    def of(self, learner: int, protocol: int) -> Spread:
        """Return what there is of one entry."""
        counts = self.equal[:, :, learner, protocol].sum(axis=1)
        best = int(counts.argmax())
        n = int(self.compared[:, learner, protocol].sum())
        return Spread(int(counts[best]), n, int(self.folds[protocol]), DIVISORS[best])


def read_spreads(
    index: Index, places: NDArray[np.intp], numbers: Sequence[Number], full: float
) -> Spreads:
    """Compare the deviations of numbers with those of all entries.

    `places`: of the data sets in the index. `full`: what stands for all rows, 1 or 100.
    """
    printed = np.array([number.std for number in numbers])
    is_printed = ~np.isnan(printed)
    std = full * index.std[places]
    compared = ~np.isnan(std) & is_printed[:, None, None]
    if not is_printed.any():
        return Spreads(np.zeros(std.shape[1:]), np.array([compared] * 2), compared, index.folds)
    unit = min(number.std_unit for number in numbers if not math.isnan(number.std))
    narrower = np.sqrt(1 - 1 / np.maximum(index.folds, 2))
    equal = np.array(
        [compared & is_written(std * f, printed, unit, Digits.ROUNDED) for f in (1.0, narrower)]
    )
    scores = (evidence(same, compared, chance(same, compared)) for same in equal)
    likelihood = np.logaddexp(*scores) - math.log(2)
    likelihood = np.where(compared.any(axis=0), likelihood, -np.inf)
    score = np.logaddexp(math.log(OTHER), math.log(1 - OTHER) + likelihood)
    return Spreads(score, equal, compared, index.folds)
