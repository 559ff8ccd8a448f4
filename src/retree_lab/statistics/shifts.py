"""Whether a whole column of published numbers is shifted against ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from retree_lab.statistics.agreement import equivalence_p
from retree_lab.statistics.intervals import Prediction, predict, predict_mean
from retree_lab.statistics.paired_tests.t_sign_wilcoxon import sign_test

# The sign test of fewer numbers cannot reach 5 %.
FEWEST = 6
# The variance of Student's t needs more than two degrees of freedom, its estimate more than that.
_FEWEST_DF = 5


@dataclass(frozen=True)
class Published:
    """A published number of a column, with what is expected of it."""

    value: float
    unit: float  # Of its last digit
    prediction: Prediction  # What is expected of one run
    margin: float  # Difference that does not matter, in the units of the number
    file: str = ""  # Of its data set, where others share it


@dataclass(frozen=True)
class Shift:
    """Published minus ours over the data sets of a column.

    Chance is that of other folds of these data sets, which count as independent. Where the data
    sets are a sample, chance is that of other files like theirs.
    """

    numbers: Sequence[Published]  # At least two; of one measure
    log: bool = False  # Whether gaps are logarithms of ratios, as of sizes without a 0

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """Published minus ours, or the logarithm of their ratio; shape (n_numbers,)."""
        if self.log:
            return np.array([math.log(n.value / n.prediction.center) for n in self.numbers])
        return np.array([n.value - n.prediction.center for n in self.numbers])

    @cached_property
    def _scaled(self) -> list[Prediction]:
        """The expectation of each gap."""
        scaled = []
        for n in self.numbers:
            p, whole = n.prediction, n.prediction.center if self.log else 1.0
            unit, factor = n.unit / whole, p.slope / whole
            # A rounded number is off by up to half a unit, evenly.
            spread = math.hypot(p.spread * factor, unit / math.sqrt(12))
            scaled.append(Prediction(0.0, spread, p.center_error * factor, p.df))
        return scaled

    @cached_property
    def _of_mean(self) -> Prediction:
        return predict_mean(self._scaled)

    @property
    def gap(self) -> float:
        """The mean gap; of sizes the factor published / ours, a geometric mean."""
        return self._shown(float(self.gaps.mean()))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean gap, which holds 0 (or the factor 1) if none is real."""
        low, high = replace(self._of_mean, center=float(self.gaps.mean())).interval()
        return self._shown(low), self._shown(high)

    @property
    def distance(self) -> float:
        """The mean gap in standard deviations of that of one run."""
        return self._of_mean.distance(float(self.gaps.mean()))

    @property
    def p_value(self) -> float:
        """The p-value of a mean gap as great as this one if both programs are the same."""
        return self._of_mean.p_value(float(self.gaps.mean()))

    @property
    def n_above(self) -> int:
        """How many published numbers are greater than ours by more than rounding."""
        return sum(gap > 0 for gap in self._clear)

    @property
    def n_below(self) -> int:
        """How many are smaller."""
        return sum(gap < 0 for gap in self._clear)

    @property
    def sign_p(self) -> float:
        """The p-value of the sign test."""
        return sign_test(self._clear, np.zeros(len(self.gaps))).p_value

    @cached_property
    def _clear(self) -> list[float]:
        """The gaps, 0 where rounding alone may explain one."""
        return [n.prediction.distance(n.value, n.unit) for n in self.numbers]

    @property
    def equivalence_p(self) -> float:
        """The p-value of two one-sided tests that the mean gap lies within the margin; or NaN."""
        if math.isnan(self._margin):
            return math.nan
        return equivalence_p(self._of_mean, float(self.gaps.mean()), self._margin)

    @cached_property
    def _margin(self) -> float:
        if self.log:
            return float(np.mean([math.log1p(n.margin / n.value) for n in self.numbers]))
        return float(np.mean([n.margin for n in self.numbers]))

    @cached_property
    def _of_sample(self) -> Prediction:
        """The mean gap over files, with what chance gives of it if the files are a sample."""
        by_file: dict[str, list[float]] = {}
        for i, (number, gap) in enumerate(zip(self.numbers, self.gaps, strict=True)):
            by_file.setdefault(number.file or str(i), []).append(float(gap))
        mean = predict([float(np.mean(gaps)) for gaps in by_file.values()])
        return replace(mean, spread=mean.center_error, center_error=0.0)

    @property
    def n_files(self) -> int:
        """How many files the data sets come from, at least two."""
        return int(self._of_sample.df) + 1

    @property
    def sample_p(self) -> float:
        """The p-value of a mean gap as great as this one, if the data sets are a sample."""
        return self._of_sample.p_value(0.0)

    @property
    def sample_equivalence_p(self) -> float:
        """The p-value that the mean gap lies within the margin, if the data sets are a sample."""
        if math.isnan(self._margin):
            return math.nan
        return equivalence_p(self._of_sample, 0.0, self._margin)

    @property
    def heterogeneity(self) -> tuple[float, float, float]:
        """Cochran's Q, its p-value, and the deviation τ of the gaps beyond chance; or NaN.

        τ is that of DerSimonian and Laird (1986), in points or as a share of a size.
        """
        n = len(self.gaps)
        if min(p.df for p in self._scaled) < _FEWEST_DF:
            return math.nan, math.nan, math.nan
        # The mean square of Student's t is df / (df - 2).
        variances = [(p.spread**2 + p.center_error**2) * p.df / (p.df - 2) for p in self._scaled]
        if not all(variances):
            return math.nan, math.nan, math.nan
        weights = 1 / np.array(variances)
        mean = float(np.average(self.gaps, weights=weights))
        q = float((weights * (self.gaps - mean) ** 2).sum())
        free = weights.sum() - (weights**2).sum() / weights.sum()
        tau = math.sqrt(max(0.0, (q - (n - 1)) / float(free)))
        return q, float(chi2.sf(q, n - 1)), tau

    def _shown(self, gap: float) -> float:
        return math.exp(gap) if self.log else gap
