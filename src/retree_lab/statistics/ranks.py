"""Tests of several methods over data sets, and many p-values considered together (Demšar 2006)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from retree_lab.statistics.paired import round_to_digits, win_tie_loss
from retree_lab.statistics.paired_tests.t_sign_wilcoxon import wilcoxon_signed_rank


def holm_adjusted(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted for their number, step by step from the lowest (Holm 1979).

    Shapes: `p_values` (n_tests,).
    A test that was not done has a p-value of NaN: it stays NaN and does not count.
    """
    p = np.asarray(p_values, dtype=np.float64)
    return _stepped(p, range(int((~np.isnan(p)).sum()), 0, -1))


def _stepped(p: NDArray[np.float64], counts: Sequence[int]) -> NDArray[np.float64]:
    """Return p-values that are not NaN times `counts`, the lowest first, none below the last."""
    adjusted = np.full(p.shape, math.nan)
    order = np.argsort(p, kind="stable")[: len(counts)]
    steps = p[order] * np.asarray(counts)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def shaffer_adjusted(p_values: ArrayLike, n_methods: int) -> NDArray[np.float64]:
    """Return p-values of all pairs of methods, adjusted by Shaffer's static procedure (1986).

    As Holm's, but a step counts only as many hypotheses as can be true together: if one pair
    differs, no division of the methods into groups of equal ones leaves all other pairs equal.

    Shapes: `p_values` (n_methods * (n_methods - 1) / 2,).

    Raises
    ------
    ValueError
        If there is not a p-value for each pair.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if len(p) != math.comb(n_methods, 2) or np.isnan(p).any():
        raise ValueError(
            f"{n_methods} methods have {math.comb(n_methods, 2)} pairs, each with a p-value, got "
            f"{int((~np.isnan(p)).sum())}."
        )
    possible, left = _equal_pairs(n_methods), range(len(p), 0, -1)
    return _stepped(p, [max(count for count in possible if count <= n) for n in left])


@cache
def _equal_pairs(n_methods: int) -> frozenset[int]:
    """Return how many pairs can be equal, over all ways to divide the methods into groups."""
    if n_methods < 2:
        return frozenset([0])
    sizes = range(1, n_methods + 1)
    return frozenset(
        math.comb(size, 2) + rest for size in sizes for rest in _equal_pairs(n_methods - size)
    )


@dataclass(frozen=True)
class Friedman:
    """Result of Friedman's test of several methods on several data sets."""

    # Friedman's, corrected for ties, with the chi-squared distribution; NaN with fewer than two
    # data sets.
    statistic: float
    p_value: float
    iman_davenport: float  # The F statistic of Iman and Davenport, which is less conservative
    iman_davenport_p_value: float
    # By method, in the table's order; 1 is best. NaN without a data set.
    average_ranks: Mapping[str, float]
    n_datasets: int
    left_out: tuple[str, ...]  # Data sets left out because a method has no value there

    @property
    def standard_error(self) -> float:
        """Standard error of the difference of two average ranks, ``sqrt(k (k + 1) / (6 N))``."""
        k = len(self.average_ranks)
        return math.sqrt(k * (k + 1) / (6 * self.n_datasets)) if self.n_datasets else math.nan


def friedman_test(values: pd.DataFrame, greater_is_better: bool = True) -> Friedman:
    """Test whether several methods have the same ranks over data sets (Friedman 1937).

    Equal values (to twelve digits) share their ranks, see `friedman_test_of_ranks`.

    Shapes: `values` (n_datasets, n_methods).
    A data set where a method has no value (NaN) is left out and named.
    """
    ranks = rank_rows(values.to_numpy(dtype=np.float64), greater_is_better)
    return friedman_test_of_ranks(pd.DataFrame(ranks, values.index, values.columns))


def friedman_test_of_ranks(ranks: pd.DataFrame, corrected: bool = True) -> Friedman:
    """Test whether several methods have the same ranks over data sets, given the ranks.

    The statistic is corrected for shared ranks, as scipy's is, unless `corrected` is False: Demšar
    (2006) publishes it without the correction. The same correction holds for ranks that are
    averages over replicates: the statistic is that of a permutation of the methods within each data
    set. Iman and Davenport's statistic is
    ``(N - 1) χ² / (N (k - 1) - χ²)`` with ``k - 1`` and ``(k - 1)(N - 1)`` degrees of freedom.

    Shapes: `ranks` (n_datasets, n_methods).
    A data set without ranks (NaN) is left out and named.
    """
    k = ranks.shape[1]
    if k < 2:
        raise ValueError(f"Friedman's test needs two methods at least, got {k}.")
    complete = ranks.dropna(axis=0)
    n = len(complete)
    left_out = tuple(str(name) for name in ranks.index[ranks.isna().any(axis=1)])
    of = complete.to_numpy(dtype=np.float64)
    means = of.mean(axis=0) if n else np.full(k, math.nan)
    average = dict(zip(map(str, ranks.columns), map(float, means), strict=True))
    if n < 2:
        return Friedman(math.nan, math.nan, math.nan, math.nan, average, n, left_out)
    # The first term without shared ranks is n k (k + 1) (2 k + 1) / 6.
    squares = float((of**2).sum()) if corrected else n * k * (k + 1) * (2 * k + 1) / 6
    spread = squares - n * k * (k + 1) ** 2 / 4
    between = n**2 * float(((means - (k + 1) / 2) ** 2).sum())
    chi2 = (k - 1) * between / spread if spread > 0 else 0.0
    rest = n * (k - 1) - chi2
    # All data sets have the same ranks if nothing is left of the greatest possible statistic.
    f = (n - 1) * chi2 / rest if rest > 1e-9 * n else math.inf
    p_values = float(stats.chi2.sf(chi2, k - 1)), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return Friedman(chi2, p_values[0], f, p_values[1], average, n, left_out)


def critical_difference(
    n_methods: int, n_datasets: int, level: float = 0.05, to_control: bool = False
) -> float:
    """Return by how much two average ranks must differ in Nemenyi's test.

    It is ``q_level sqrt(k (k + 1) / (6 N))``, q the studentised range over √2 (Demšar 2006,
    section 3.2.2).

    `to_control`: whether all methods are compared with one, by the test of Bonferroni and Dunn; q
    is then the normal quantile of `level` over 2 (k - 1).
    """
    if n_methods < 2 or n_datasets < 1 or not 0 < level < 1:
        raise ValueError(
            "Expected at least 2 methods, 1 data set and a level between 0 and 1, got "
            f"{n_methods}, {n_datasets} and {level}."
        )
    if to_control:
        q = float(stats.norm.isf(level / (2 * (n_methods - 1))))
    else:
        q = float(stats.studentized_range.ppf(1 - level, n_methods, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def nemenyi_test(friedman: Friedman) -> pd.DataFrame:
    """Compare all methods with each other after Friedman's test (Nemenyi 1963).

    Returns p-values, adjusted for all comparisons; 1 on the diagonal.
    """
    names, ranks = list(friedman.average_ranks), np.array(list(friedman.average_ranks.values()))
    q = np.abs(ranks[:, None] - ranks) / friedman.standard_error * math.sqrt(2)
    p_values = np.asarray(stats.studentized_range.sf(q, len(ranks), np.inf), dtype=np.float64)
    np.fill_diagonal(p_values, 1.0)
    return pd.DataFrame(p_values, index=names, columns=names)


def holm_test(friedman: Friedman, control: str) -> pd.DataFrame:
    """Compare all methods with one after Friedman's test, adjusted by Holm (1979).

    The result has a row for each other method: ``difference`` of its average rank to the control's,
    ``z`` (in standard errors), ``p_value`` (two-sided, normal) and ``p_holm``.
    """
    if control not in friedman.average_ranks:
        raise ValueError(f"{control} is not one of {', '.join(friedman.average_ranks)}.")
    ranks = pd.Series(friedman.average_ranks)
    table = (ranks.drop(control) - ranks[control]).to_frame("difference")
    table["z"] = table["difference"] / friedman.standard_error
    table["p_value"] = 2 * stats.norm.sf(table["z"].abs())
    table["p_holm"] = holm_adjusted(table["p_value"])
    return table


def groups_not_different(
    average_ranks: Mapping[str, float], difference: float
) -> list[tuple[str, ...]]:
    """Return the largest groups of methods whose average ranks all differ by less.

    `difference`: the critical difference; ranks that differ by it or more are different.
    The groups have two or more methods, each from best to worst, the best group first, and may
    overlap.
    """
    names = sorted(average_ranks, key=lambda name: (average_ranks[name], name))
    groups: list[tuple[str, ...]] = []
    end = 0
    for start, first in enumerate(names):
        within = [n for n in names[start:] if average_ranks[n] - average_ranks[first] < difference]
        if start + len(within) > end and len(within) > 1:
            groups.append(tuple(within))
        end = max(end, start + len(within))
    return groups


def rank_rows(values: NDArray[np.float64], greater_is_better: bool = True) -> NDArray[np.float64]:
    """Return the rank of each value within its row, from 1; equal ones share theirs.

    A row with a NaN has no ranks.
    """
    sign = -1.0 if greater_is_better else 1.0
    rows = [round_to_digits(sign * row, float(np.abs(row).max())) for row in values]
    return stats.rankdata(rows, axis=1, nan_policy="propagate") if rows else np.empty_like(values)


def comparison_matrix(values: pd.DataFrame, greater_is_better: bool = True) -> pd.DataFrame:
    """Return the multi-comparison matrix of methods, a row for each ordered pair of them.

    Average ranks, and the tests of them, depend on which methods are compared. The mean of each
    method, and what is said of two methods, do not (Ismail-Fawaz et al. 2023, "An approach to
    multiple comparison benchmark evaluations that is stable under manipulation of the comparate
    set"). So there is no correction for the number of pairs either.

    Shapes: `values` (n_datasets, n_methods).
    Rows with a missing number are left out.
    The result is ordered by the means, the best method first: ``method`` and ``other``, ``mean``
    and ``other_mean``, ``difference`` (mean of `method` minus that of `other`), ``wins``, ``ties``
    and ``losses`` (data sets on which `method` is better, equal or worse), ``wilcoxon_p``
    (two-sided) and ``n_datasets``.
    """
    complete = values.dropna()
    means = {str(name): float(mean) for name, mean in complete.mean().items()}
    sign = -1 if greater_is_better else 1
    names = sorted(means, key=lambda name: (sign * means[name], name))
    better = complete if greater_is_better else -complete
    rows = []
    for name in names:
        for other in (other for other in names if other != name):
            count = win_tie_loss(better[name], better[other])
            test = wilcoxon_signed_rank(complete[name], complete[other])
            rows.append(
                {
                    "method": name,
                    "other": other,
                    "mean": means[name],
                    "other_mean": means[other],
                    "difference": test.mean_difference,
                    "wins": count.wins,
                    "ties": count.ties,
                    "losses": count.losses,
                    "wilcoxon_p": test.p_value,
                    "n_datasets": len(complete),
                }
            )
    return pd.DataFrame(rows)
