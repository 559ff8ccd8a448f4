"""The values that an item's methods have on each fold, for tests between methods."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from retree_lab.experiments.definition.item import BEST_TEST, NESTED, Item
from retree_lab.experiments.planning.plan import Plan
from retree_lab.reports.compare_items import compare_values, fold_values
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import best_words
from retree_lab.reports.published import NOTHING
from retree_lab.reports.replicates.runs import Runs, in_shared_runs
from retree_lab.reports.selection import OUTER, Choices
from retree_lab.statistics.metrics import Metric, find_metric


def selection_title(selection: str, item: Item) -> str:
    """Return how the parameters of an item are chosen by `selection`, as a heading."""
    if selection == NESTED:
        return "Parameters chosen inside the training folds"
    return f"Parameters with the {best_words(item, 'test')} (optimistic)"


@dataclass(frozen=True)
class FoldValues:
    """The values of a metric under one way of choosing parameters, in all replicates."""

    selection: str  # ``best_test`` or ``nested``, as in `retree_lab.reports.selection`
    metric: Metric
    # The item's data sets, and the published names of those methods that have a value anywhere.
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    without: tuple[str, ...]
    # Data set and method: the values, indexed by (repeat, fold); absent where there are none.
    values: Mapping[tuple[str, str], pd.Series]
    reasons: Mapping[tuple[str, str], str]  # Why there are none, or what to know of them
    numbers: Mapping[tuple[str, str], Comparison]  # The means of the values

    @cached_property
    def means(self) -> pd.DataFrame:
        """Mean over the folds, a row per data set and a column per method; NaN without any."""
        rows = [
            [
                float(self.values[d, m].mean()) if (d, m) in self.values else math.nan
                for m in self.methods
            ]
            for d in self.datasets
        ]
        return pd.DataFrame(rows, list(self.datasets), list(self.methods), dtype=float)


def find_fold_values(context: Context, metric: str, shared: bool = False) -> dict[str, FoldValues]:
    """Return the values of `metric` by way of selection, those as published first.

    They are those of the folds of all replicates, so that their means are the table's numbers.
    `shared`: only of the replicates that both ways of selection and all methods have.

    The nested selection is there if the item's ``select`` asks for it and inner cells exist.
    """
    first = BEST_TEST if context.item.chosen_on_test else NESTED
    chosen = {first: (context.best, context.runs)}
    if context.nested and (context.frame["inner"] > OUTER).any():
        chosen[NESTED] = context.nested, context.nested_runs
    if shared:
        same = in_shared_runs([runs for _, runs in chosen.values()])
        chosen = {n: (c, r) for (n, (c, _)), r in zip(chosen.items(), same, strict=True)}
    return {name: _collect(context.plan, metric, name, *found) for name, found in chosen.items()}


def find_numbers(
    item: Item, choices: Choices, metric: str, runs: Runs | None = None
) -> dict[tuple[str, str], Comparison]:
    """Return means over the folds of `choices` and `runs`, by data set and name of the method."""
    methods, numbers = {method.key: method for method in item.methods}, {}
    for (dataset, key), choice in choices.items():
        if not choice.folds.empty:
            run = runs.find(dataset, key, metric) if runs else None
            place = dataset, methods[key], metric
            numbers[dataset, methods[key].name] = compare_values(item, place, choice, NOTHING, run)
    return numbers


def _collect(plan: Plan, metric: str, selection: str, choices: Choices, runs: Runs) -> FoldValues:
    item = plan.item
    values: dict[tuple[str, str], pd.Series] = {}
    reasons: dict[tuple[str, str], str] = {}
    for dataset in item.datasets:
        for method in item.methods:
            choice = choices.get((dataset, method.key))
            folds = fold_values(choices, runs, (dataset, method.key), metric)
            reason = choice.reason if choice else plan.reason(dataset, method.key)
            if folds is not None and folds.notna().all():
                values[dataset, method.name] = folds
            elif not reason:
                reason = "no cell is planned" if folds is None else f"{method.name} has no {metric}"
            if reason:
                reasons[dataset, method.name] = reason
    names = [method.name for method in item.methods]
    have = {name for _, name in values}
    return FoldValues(
        selection,
        find_metric(metric),
        item.datasets,
        tuple(name for name in names if name in have),
        tuple(name for name in names if name not in have),
        values,
        reasons,
        find_numbers(item, choices, metric, runs),
    )
