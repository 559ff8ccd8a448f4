"""What the ranks of an item's methods over its data sets say, by tests and effect sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from retree.experiments.definition.item import NESTED
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.context import Context
from retree.reports.fold_values import FoldValues, find_fold_values
from retree.reports.kinds.rank_comparisons import against_control, pairs_of
from retree.reports.kinds.rank_spread import RankSpread, find_rank_spread
from retree.statistics import (
    Friedman,
    comparison_matrix,
    critical_difference,
    friedman_test,
    groups_not_different,
)
from retree.statistics.metrics import MetricKind

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
    # Greatest difference that counts as none, in units of the metric; None: not said.
    rope: float | None
    methods: pd.DataFrame  # A row for each method: ranks, and comparisons with the control
    pairs: pd.DataFrame  # A row for each two methods
    # A row for each ordered pair, as from `retree.statistics.comparison_matrix`.
    matrix: pd.DataFrame
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
    `rope`: the greatest difference that counts as none, by default 0.01 of an accuracy.
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
    )
