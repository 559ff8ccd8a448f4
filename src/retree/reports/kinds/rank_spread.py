"""How much the average ranks of methods vary from replicate to replicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from retree.experiments.definition.item import Item
from retree.experiments.definition.method import Method
from retree.reports.replicates.runs import Run, Runs
from retree.statistics import friedman_test
from retree.statistics.metrics import find_metric


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
