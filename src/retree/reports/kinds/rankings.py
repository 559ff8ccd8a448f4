"""What the ranks of an item's methods over its data sets say, by tests and effect sizes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from retree.experiments.definition.item import NESTED, Item
from retree.experiments.definition.method import Method
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.context import Context
from retree.reports.fold_values import FoldValues, find_fold_values
from retree.reports.power import twins_of
from retree.reports.replicates.runs import Run, Runs
from retree.statistics import (
    Friedman,
    bayesian_signed_rank_test,
    comparison_matrix,
    critical_difference,
    friedman_test,
    groups_not_different,
    holm_adjusted,
    holm_test,
    mean_difference,
    nemenyi_test,
    rank_biserial,
    sign_test,
    wilcoxon_signed_rank,
    win_tie_loss,
)
from retree.statistics.metrics import Metric, MetricKind, find_metric


@dataclass(frozen=True)
class RankSpread:
    """The average ranks that each replicate gives."""

    ranks: pd.DataFrame  # One row per replicate and one column per method
    # The data sets that the ranks are over: those on which every method was run as often.
    n_datasets: int

    @property
    def sentence(self) -> str:
        """What the spread is of."""
        return (
            f"In single replicates: the lowest and the highest average rank in {len(self.ranks)} "
            f"replicates, which differ in their folds, over the {self.n_datasets} data sets that "
            "have as many."
        )

    def range_of(self, method: str) -> str:
        """Return the lowest and the highest average rank of a method as text."""
        return f"{self.ranks[method].min():.2f}–{self.ranks[method].max():.2f}"


def find_rank_spread(
    item: Item, every: Runs, metric: str, methods: Sequence[Method]
) -> RankSpread | None:
    """Return the average ranks in each replicate, None without any on at least two data sets."""
    found: dict[str, dict[str, Run]] = {}
    for dataset in item.datasets:
        runs = {method.name: every.find(dataset, method.key, metric) for method in methods}
        if complete := {name: run for name, run in runs.items() if run is not None}:
            found |= {dataset: complete} if len(complete) == len(runs) else {}
    n_runs = max((len(run.means) for runs in found.values() for run in runs.values()), default=0)
    whole = [r for r in found.values() if all(len(run.means) == n_runs for run in r.values())]
    if len(whole) < 2:
        return None
    sign = -1.0 if find_metric(metric).smaller_is_better else 1.0
    ranks = [_average_ranks(whole, run, sign) for run in range(n_runs)]
    return RankSpread(pd.DataFrame(ranks), len(whole))


def _average_ranks(
    datasets: Sequence[Mapping[str, Run]], number: int, sign: float
) -> Mapping[str, float]:
    values = [{n: sign * run.means[number] for n, run in runs.items()} for runs in datasets]
    return friedman_test(pd.DataFrame(values)).average_ranks


# Benavoli et al. (2017): accuracies that differ by less than one point are practically equal.
ROPE = 0.01


@dataclass(frozen=True)
class Ranking:
    """The ranks of the methods, by their means over the replicates, for one way of selection."""

    found: FoldValues  # The values that the ranks are of
    friedman: Friedman
    critical_difference: float  # Of Nemenyi's test at 5 %
    groups: list[tuple[str, ...]]  # Methods that do not differ by it
    control: str  # The method that all others are compared with
    # Largest difference that counts as none, in units of the metric; None: not said.
    rope: float | None
    methods: pd.DataFrame  # A row for each method: ranks, and comparisons with the control
    pairs: pd.DataFrame  # A row for each two methods
    # A row for each ordered pair, as from `retree.statistics.comparison_matrix`.
    matrix: pd.DataFrame
    # Methods that are not ranked, since another one has their numbers on all data sets.
    twins: Mapping[str, str] = field(default_factory=dict)
    spread: RankSpread | None = None  # The ranks in each replicate, where there are several

    def numbers(self, *methods: str) -> list[Comparison]:
        """Return what the ranks of `methods`, by default of all, are made of."""
        names, datasets = methods or self.friedman.average_ranks, self.found.means.dropna().index
        return [self.found.numbers[dataset, name] for dataset in datasets for name in names]


def find_rankings(
    context: Context, metric: str, control: str = "", rope: float | None = None
) -> list[Ranking]:
    """Return the rankings of an item by way of selection; those of too few results are left out.

    Ranks need two methods and two data sets that have results of all these methods. Methods
    without any result are not among them.

    `control`: key of a method; if "" or without results, the best method is the control.
    `rope`: the largest difference that counts as none, by default 0.01 of an accuracy.
    """
    names = {m.key: m.name for m in context.item.methods}
    rankings = [
        _ranking(found, names.get(control, ""), rope)
        for found in find_fold_values(context, metric).values()
        if len(found.methods) > 1 and len(found.means.dropna()) > 1
    ]
    return [_with_spread(ranking, context) for ranking in rankings]


def _with_spread(ranking: Ranking, context: Context) -> Ranking:
    """Return `ranking` with the ranks of each replicate."""
    beside = ranking.found.selection == NESTED and context.item.chosen_on_test
    runs = context.nested_runs if beside else context.runs
    ranked = [m for m in context.item.methods if m.name in ranking.friedman.average_ranks]
    spread = find_rank_spread(context.item, runs, ranking.found.metric.name, ranked)
    if spread is None:
        return ranking
    of = spread.ranks[list(ranking.methods["method"])]
    ends = {"rank_lowest": of.min(), "rank_highest": of.max(), "n_runs": of.count()}
    columns = {name: values.to_numpy() for name, values in ends.items()}
    return replace(ranking, methods=ranking.methods.assign(**columns), spread=spread)


def _ranking(found: FoldValues, control: str, rope: float | None) -> Ranking:
    twins = twins_of([found.numbers[place] for place in found.values])
    if len(found.methods) - len(twins) < 2:
        twins = {}
    found = replace(found, methods=tuple(m for m in found.methods if m not in twins))
    control = twins.get(control, control)
    values = -found.means if found.metric.smaller_is_better else found.means
    friedman = friedman_test(values)
    ranks = friedman.average_ranks
    cd = critical_difference(len(ranks), friedman.n_datasets, LEVEL)
    if control not in ranks:
        control = min(ranks, key=ranks.__getitem__)
    if rope is None and found.metric.kind == MetricKind.SHARE:
        rope = ROPE * abs(found.metric.scale)
    complete = values.dropna()
    return Ranking(
        found,
        friedman,
        cd,
        groups_not_different(ranks, cd),
        control,
        rope,
        against_control(found.metric, complete, friedman, control, rope),
        pairs_of(complete, friedman),
        comparison_matrix(found.means.dropna(), not found.metric.smaller_is_better),
        twins,
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
    count = win_tie_loss(ours, theirs)
    # In the metric's own direction: positive is greater, whatever is better.
    pair = (theirs, ours) if metric.smaller_is_better else (ours, theirs)
    difference = mean_difference(*pair)
    biserial = rank_biserial(ours, theirs)
    row: dict[str, object] = {
        "wilcoxon_p": wilcoxon_signed_rank(ours, theirs).p_value,
        "sign_p": sign_test(ours, theirs).p_value,
        "wins": count.wins,
        "ties": count.ties,
        "losses": count.losses,
        "difference": difference.estimate,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "rank_biserial": biserial.estimate,
        "rank_biserial_low": biserial.low,
        "rank_biserial_high": biserial.high,
    }
    if rope is not None:
        posterior = bayesian_signed_rank_test(ours, theirs, rope)
        row["p_better"], row["p_equivalent"] = posterior.greater, posterior.equivalent
        row["p_worse"] = posterior.smaller
    return row


def pairs_of(values: pd.DataFrame, friedman: Friedman) -> pd.DataFrame:
    """Return a row for each two methods, the one of better rank first."""
    nemenyi, ranks = nemenyi_test(friedman), friedman.average_ranks
    names = sorted(ranks, key=lambda name: (ranks[name], name))
    rows = []
    for a, b in itertools.combinations(names, 2):
        count = win_tie_loss(values[a], values[b])
        rows.append(
            {
                "better": a,
                "worse": b,
                "rank_difference": ranks[b] - ranks[a],
                "nemenyi_p": nemenyi.loc[a, b],
                "wilcoxon_p": wilcoxon_signed_rank(values[a], values[b]).p_value,
                "wins": count.wins,
                "ties": count.ties,
                "losses": count.losses,
            }
        )
    table = pd.DataFrame(rows)
    table.insert(5, "wilcoxon_p_holm", holm_adjusted(table["wilcoxon_p"]))
    return table
