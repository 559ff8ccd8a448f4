"""The ranks of an item's methods over its data sets, with tests and effect sizes."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from retree_lab.reports.agreement.skill import twins_of
from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.fold_values import FoldValues, find_fold_values
from retree_lab.statistics import (
    Effect,
    Friedman,
    bayesian_signed_rank_test,
    comparison_matrix,
    critical_difference,
    friedman_test_of_ranks,
    groups_not_different,
    holm_adjusted,
    holm_test,
    mean_difference,
    nemenyi_test,
    rank_biserial,
    rank_rows,
    sign_test,
    wilcoxon_signed_rank,
    win_tie_loss,
)
from retree_lab.statistics.metrics import Metric, MetricKind

# Benavoli et al. (2017): accuracies that differ by less than one point are practically equal.
ROPE = 0.01


@dataclass(frozen=True)
class Ranking:
    """The ranks of the methods for one way of selection.

    Methods are ranked inside each replicate, on each data set, and these ranks are averaged.
    """

    fold_values: FoldValues  # The values that the ranks are of
    friedman: Friedman
    critical_difference: float  # Of Nemenyi's test at 5 %
    groups: list[tuple[str, ...]]  # Methods that do not differ by it
    control: str  # The method that all others are compared with
    # Largest difference that counts as none, in units of the metric; None: not said.
    rope: float | None
    methods: pd.DataFrame  # A row for each method: ranks, and comparisons with the control
    pairs: pd.DataFrame  # A row for each two methods
    # A row for each ordered pair, as from `retree_lab.statistics.comparison_matrix`.
    matrix: pd.DataFrame
    # Methods that are not ranked, since another one has their numbers on all data sets.
    twins: Mapping[str, str] = field(default_factory=dict)
    # The average rank over the data sets in each replicate, a column for each method.
    replicates: pd.DataFrame = field(default_factory=pd.DataFrame)

    def numbers(self, *methods: str) -> list[Comparison]:
        """Return the numbers that the ranks of `methods`, by default of all, are computed from."""
        names, datasets = (
            methods or self.friedman.average_ranks,
            self.fold_values.means.dropna().index,
        )
        return [self.fold_values.numbers[dataset, name] for dataset in datasets for name in names]

    @property
    def has_range(self) -> bool:
        """Return whether there are several replicates."""
        return len(self.replicates) > 1


def find_rankings(
    context: Context, metric: str, control: str = "", rope: float | None = None
) -> list[Ranking]:
    """Return the rankings of an item by way of selection, if there are enough results.

    Ranks need two methods and two data sets that have results of all these methods. Methods
    without any result are not among them.

    `control`: key of a method; if "" or without results, the best method is the control.
    `rope`: the largest difference that counts as none, by default 0.01 of an accuracy.
    """
    names = {m.key: m.name for m in context.item.methods}
    return [
        _ranking(values, names.get(control, ""), rope)
        for values in find_fold_values(context, metric, shared=True).values()
        if len(values.methods) > 1 and len(values.means.dropna()) > 1
    ]


def replicate_ranks(values: FoldValues) -> dict[str, pd.DataFrame]:
    """Return the ranks on each data set, a row for each of its replicates.

    Where replicates differ between methods, or there are none, the means over all folds are ranked.
    """
    ranks = {}
    for dataset, means in values.means.dropna().iterrows():
        runs = [values.numbers[str(dataset), method].runs for method in values.methods]
        has_runs = runs[0] and len(set(map(len, runs))) == 1
        by_run = np.array(runs).T if has_runs else means.to_numpy(dtype=np.float64)[None]
        ranked = rank_rows(by_run, not values.metric.smaller_is_better)
        ranks[str(dataset)] = pd.DataFrame(ranked, columns=list(values.methods))
    return ranks


def over_data_sets(ranks: Collection[pd.DataFrame]) -> pd.DataFrame:
    """Return the average rank in each replicate; a data set with fewer has its average rank there.

    `ranks`: of each data set, as from `replicate_ranks`.
    """
    most = max(map(len, ranks))
    whole = [of_dataset.reindex(range(most)).fillna(of_dataset.mean()) for of_dataset in ranks]
    return sum(whole[1:], whole[0]) / len(whole)


def _columns_of_replicates(replicates: pd.DataFrame) -> pd.DataFrame:
    """Return by method the range of its ranks, and in how many replicates it is first."""
    of = replicates.round(9)  # The last bit depends on the order of a sum
    return pd.DataFrame(
        {
            "rank_lowest": replicates.min(),
            "rank_highest": replicates.max(),
            "n_runs": len(replicates),
            "n_first": of.eq(of.min(axis=1), axis=0).sum(),
        }
    )


def _ranking(values: FoldValues, control: str, rope: float | None) -> Ranking:
    twins = twins_of([values.numbers[place] for place in values.values])
    if len(values.methods) - len(twins) < 2:
        twins = {}
    values = replace(values, methods=tuple(m for m in values.methods if m not in twins))
    control = twins.get(control, control)
    by_set = replicate_ranks(values)
    means = pd.DataFrame({d: ranks_of_set.mean() for d, ranks_of_set in by_set.items()}).T
    friedman = friedman_test_of_ranks(means.reindex(list(values.datasets)))
    ranks = friedman.average_ranks
    cd = critical_difference(len(ranks), friedman.n_datasets, LEVEL)
    if control not in ranks:
        control = min(ranks, key=ranks.__getitem__)
    if rope is None and values.metric.kind == MetricKind.SHARE:
        rope = ROPE * abs(values.metric.scale)
    complete = (-values.means if values.metric.smaller_is_better else values.means).dropna()
    methods = against_control(values.metric, complete, friedman, control, rope)
    replicates = over_data_sets(by_set.values())
    if len(replicates) > 1:
        methods = methods.join(_columns_of_replicates(replicates), on="method")
    return Ranking(
        values,
        friedman,
        cd,
        groups_not_different(ranks, cd),
        control,
        rope,
        methods,
        pairs_of(complete, friedman),
        comparison_matrix(values.means.dropna(), not values.metric.smaller_is_better),
        twins,
        replicates,
    )


def against_control(
    metric: Metric, values: pd.DataFrame, friedman: Friedman, control: str, rope: float | None
) -> pd.DataFrame:
    """Return one row per method, the best rank first; the control has no comparison with itself."""
    rows = []
    for name, rank in sorted(friedman.average_ranks.items(), key=lambda pair: (pair[1], pair[0])):
        mean = float(values[name].mean())
        row: dict[str, object] = {"method": name, "average_rank": rank}
        row["mean"] = -mean if metric.smaller_is_better else mean
        if name != control:
            row |= _comparison(metric, values[name], values[control], rope)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.insert(3, "rank_p_holm", table["method"].map(holm_test(friedman, control)["p_holm"]))
    holm = holm_adjusted(table["wilcoxon_p"])
    table.insert(list(table.columns).index("wilcoxon_p") + 1, "wilcoxon_p_holm", holm)
    return table


def _comparison(
    metric: Metric, ours: pd.Series, theirs: pd.Series, rope: float | None
) -> dict[str, object]:
    """Return how a method compares with the control; of its values greater ones are better."""
    # In the metric's own direction: positive is greater, whatever is better.
    pair = (theirs, ours) if metric.smaller_is_better else (ours, theirs)
    row: dict[str, object] = {
        "wilcoxon_p": wilcoxon_signed_rank(ours, theirs).p_value,
        "sign_p": sign_test(ours, theirs).p_value,
        **_wins(ours, theirs),
        **_estimate("difference", mean_difference(*pair)),
        **_estimate("rank_biserial", rank_biserial(ours, theirs)),
    }
    if rope is not None:
        posterior = bayesian_signed_rank_test(ours, theirs, rope)
        row["p_better"], row["p_equivalent"] = posterior.greater, posterior.equivalent
        row["p_worse"] = posterior.smaller
    return row


def _wins(ours: pd.Series, theirs: pd.Series) -> dict[str, object]:
    count = win_tie_loss(ours, theirs)
    return {"wins": count.wins, "ties": count.ties, "losses": count.losses}


def _estimate(name: str, effect: Effect) -> dict[str, object]:
    """Return an estimate, and the ends of its interval, as columns."""
    return {name: effect.estimate, f"{name}_low": effect.low, f"{name}_high": effect.high}


def pairs_of(values: pd.DataFrame, friedman: Friedman) -> pd.DataFrame:
    """Return a row for each two methods, the one of better rank first.

    Its ``gain`` is the mean difference in the better direction, with an interval over data sets.
    """
    nemenyi, ranks = nemenyi_test(friedman), friedman.average_ranks
    names = sorted(ranks, key=lambda name: (ranks[name], name))
    rows = []
    for a, b in itertools.combinations(names, 2):
        pair = values[a], values[b]
        row: dict[str, object] = {"better": a, "worse": b, "rank_difference": ranks[b] - ranks[a]}
        row["nemenyi_p"] = nemenyi.loc[a, b]
        row["wilcoxon_p"] = wilcoxon_signed_rank(*pair).p_value
        rows.append(row | _wins(*pair) | _estimate("gain", mean_difference(*pair)))
    table = pd.DataFrame(rows)
    table.insert(5, "wilcoxon_p_holm", holm_adjusted(table["wilcoxon_p"]))
    return table
