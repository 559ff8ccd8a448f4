"""Effects of one method against another, and shifts of whole published columns against ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats
from scipy.optimize import brentq
from scipy.stats import chi2, nct

from retree_lab.statistics.agreement import equivalence_p
from retree_lab.statistics.intervals import Prediction, predict, predict_mean
from retree_lab.statistics.paired import complete_pairs
from retree_lab.statistics.paired_tests.t_sign_wilcoxon import paired_t_test, sign_test


@dataclass(frozen=True)
class Effect:
    """An effect size with a confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        The effect, positive if `a` is greater, and the ends of its interval; NaN if undefined.
    level : float
        Confidence level of the interval.
    n_pairs, n_dropped : int
        Pairs used, and pairs left out because a value is NaN.
    """

    estimate: float
    low: float
    high: float
    level: float
    n_pairs: int
    n_dropped: int


def mean_difference(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Return the mean of ``a - b`` with the interval of the paired t-test.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same folds or data sets.
    level : float, default=0.95
        Confidence level.

    Raises
    ------
    ValueError
        If the vectors do not pair, or `level` is not between 0 and 1.
    """
    test = paired_t_test(a, b)
    low, high = test.confidence_interval(level)
    return Effect(test.mean_difference, low, high, level, test.n_pairs, test.n_dropped)


def cohen_d_z(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Return the mean of ``a - b`` in units of the differences' sample standard deviation.

    The interval is that of the noncentrality of Student's distribution of the test statistic
    (Cumming and Finch 2001), which is d_z times the root of the number of pairs.
    Differences that do not vary have an infinite effect, or none if they are 0, and no interval.

    Parameters
    ----------
    a, b, level
        As for `mean_difference`.

    Raises
    ------
    ValueError
        As for `mean_difference`.
    """
    test = paired_t_test(a, b)
    low, high = test.confidence_interval(level)
    estimate = test.statistic
    if test.standard_error > 0:
        # It turns a noncentrality into an effect: 1 over the root of the number of pairs.
        unit = test.standard_error / float(complete_pairs(a, b).differences.std(ddof=1))
        ends = [(1 + level) / 2, (1 - level) / 2]
        noncentralities = special.nctdtrinc(test.degrees_of_freedom, ends, test.statistic)
        estimate, low, high = (float(unit * v) for v in (test.statistic, *noncentralities))
    else:
        low = high = math.nan
    return Effect(estimate, low, high, level, test.n_pairs, test.n_dropped)


def rank_biserial(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Effect:
    """Return the matched-pairs rank-biserial correlation, the effect size of Wilcoxon's test.

    It is ``(W+ - W-) / (W+ + W-)``, W the sums of the ranks of positive and negative differences
    (Kerby 2014); differences of 0 are left out of the ranking. The interval is Fisher's, with the
    standard deviation that the correlation has if there is no effect, so it is conservative.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same data sets.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Effect
        ``n_pairs`` counts zeros too. There is no interval if all differences are zero (an effect
        of 0) or of one sign (an effect of ±1): the approximation then breaks down.

    Raises
    ------
    ValueError
        If the vectors do not pair, or `level` is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}.")
    pairs = complete_pairs(a, b)
    differences = pairs.differences[pairs.differences != 0]
    n, counts = len(differences), (len(pairs.a), pairs.n_dropped)
    if n == 0:
        return Effect(0.0 if len(pairs.a) else math.nan, math.nan, math.nan, level, *counts)
    total = n * (n + 1) / 2
    r = float((stats.rankdata(np.abs(differences)) * np.sign(differences)).sum() / total)
    if abs(r) == 1:
        return Effect(r, math.nan, math.nan, level, *counts)
    reach = (
        float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(n * (n + 1) * (2 * n + 1) / 6) / total
    )
    low, high = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
    return Effect(r, low, high, level, *counts)


def least_seen(n: int, power: float = 1 / 3) -> float:
    """Return the effect that a paired t-test of `n` differences finds with a chance of a third.

    Simonsohn (2015, "Small telescopes") takes it for the smallest effect that a study could see.
    The test is two-sided at 5 %; the effect is Cohen's d_z.
    """
    df, critical = n - 1, float(stats.t.ppf(0.975, n - 1))

    def missing(effect: float) -> float:
        shift = effect * math.sqrt(n)
        # Far from 0 the other tail underflows.
        other = nct.cdf(-critical, df, shift) if shift < critical else 0.0
        return float(nct.sf(critical, df, shift) + other) - power

    return float(brentq(missing, 0.0, 5.0))


def smaller_than_seen(differences: ArrayLike) -> float:
    """Return the p-value that the effect of `differences` is below `least_seen`.

    Small values say that even if there is an effect in the direction of positive differences, as
    many could hardly have seen it.

    Shapes: `differences` (n,).
    """
    values = np.asarray(differences, dtype=np.float64)
    n, std = len(values), float(values.std(ddof=1))
    if not std:
        return math.nan
    t = float(values.mean()) / std * math.sqrt(n)
    return float(nct.cdf(t, n - 1, least_seen(n) * math.sqrt(n)))


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
        """The mean gap in standard deviations of one run's mean gap."""
        return self._of_mean.distance(float(self.gaps.mean()))

    @property
    def p_value(self) -> float:
        """The p-value of a mean gap as great as this one if both programs are the same."""
        return self._of_mean.p_value(float(self.gaps.mean()))

    @property
    def n_above(self) -> int:
        """Return the number of published values greater than ours by more than rounding."""
        return sum(gap > 0 for gap in self._clear)

    @property
    def n_below(self) -> int:
        """Return the number of published values smaller than ours by more than rounding."""
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
        """Return the number of files that the data sets come from, at least two."""
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
