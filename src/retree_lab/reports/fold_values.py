"""The values of an item's methods on each fold: as a table, and for tests between methods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from retree_lab.experiments.definition.item import BEST_TEST, NESTED, Item
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.results import METRICS
from retree_lab.reports.compare_items import compare_folds, compare_values, fold_values
from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.context import Context, best_words
from retree_lab.reports.published import NOTHING
from retree_lab.reports.runs import Runs, in_shared_runs
from retree_lab.reports.selection import OUTER, Choice, Choices
from retree_lab.statistics import PairedTest
from retree_lab.statistics.metrics import ACCURACY_632, Metric, find_metric


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

    They are from the folds of all replicates, so that their means are the table's numbers.
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
    return {name: _collect(context.plan, metric, name, *choice) for name, choice in chosen.items()}


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


Pair = tuple[str, str]


def fold_table(context: Context) -> pd.DataFrame:
    """Return a row for each fold of all complete replicates, by data set, method, repeat and fold.

    Parameters that are chosen are chosen inside the training rows wherever that was computed, and
    on the test rows only where it was not.

    Returns columns ``dataset`` and ``method`` (keys), ``replicate``, ``repeat``, ``fold``, the
    metrics of cells and of the item besides, ``params`` (JSON of the chosen point), ``key``
    and ``chosen_on_test``.
    """
    item = context.item
    metrics = [*METRICS, *([ACCURACY_632] if item.takes_all_rows else []), *item.scores]
    columns = ["dataset", "method", "replicate", "repeat", "fold", *metrics, "params", "key"]
    by_pair = _rows(context)
    tables = [
        by_pair[d, m.key] for d in item.datasets for m in item.methods if (d, m.key) in by_pair
    ]
    if not tables:
        return pd.DataFrame(columns=[*columns, "chosen_on_test"])
    table = pd.concat(tables, ignore_index=True)
    table["replicate"] = table["repeat"] // item.protocol.repeats
    return table[[*columns, "chosen_on_test"]]


def _rows(context: Context) -> dict[Pair, pd.DataFrame]:
    best, inside = context.runs, context.nested_runs
    by_pair = {}
    for pair, choice in context.best.items():
        if choice.on_test and pair in context.nested:
            rows, on_test = folds_of(pair, inside, context.nested), False
        else:
            rows, on_test = folds_of(pair, best, context.best), choice.on_test
        if len(rows):
            ordered = rows.sort_values(["repeat", "fold"], kind="stable")
            by_pair[pair] = ordered.assign(chosen_on_test=on_test)
    return by_pair


def folds_of(pair: Pair, runs: Runs, choices: Mapping[Pair, Choice]) -> pd.DataFrame:
    """Return the folds of all runs, or of the one where there are no others."""
    return runs.cells[pair] if pair in runs.cells else choices[pair].folds.reset_index()


def complete_runs(
    context: Context, length: int = 1
) -> dict[tuple[str, str, int, int], pd.DataFrame]:
    """Return the folds of each complete run by data set, method, point and number of the run.

    `length`: how many repeats of the protocol are a run.
    """
    frame, protocol = context.frame, context.item.protocol
    done = frame[(frame["inner"] == OUTER) & (frame["status"] == "done")]
    groups = done.groupby(["dataset", "method", "point", done["repeat"] // length], sort=False)
    n_folds = length * max(1, protocol.folds)
    return {
        (str(dataset), str(method), int(str(point)), int(str(run))): folds
        for (dataset, method, point, run), folds in groups
        if len(folds) == n_folds
    }


@dataclass(frozen=True)
class MethodPair:
    """A method and its base on one data set.

    Attributes
    ----------
    selection : str
        As in `retree_lab.reports.fold_values.FoldValues`.
    metric, dataset, method, base : str
        As published.
    values : sequence of (Series or None)
        Those of method and base by (repeat, fold), None without results.
    numbers : sequence of Comparison
        The means of those that have results.
    protocol : Protocol
        How the rows were split.
    reason : str
        Why there is no value or no test, or what to know of it.
    """

    selection: str
    metric: str
    dataset: str
    method: str
    base: str
    values: Sequence[pd.Series | None]
    numbers: Sequence[Comparison]
    protocol: Protocol
    reason: str

    @property
    def is_tested(self) -> bool:
        """Return whether there are two methods, both with results."""
        return self.method != self.base and all(values is not None for values in self.values)

    @cached_property
    def plain(self) -> PairedTest:
        """The paired t-test over the folds."""
        return self.test("paired")

    @cached_property
    def corrected(self) -> PairedTest:
        """The same, corrected for training sets that overlap (Nadeau and Bengio)."""
        return self.test("corrected")

    def test(self, name: str) -> PairedTest:
        """The test over the folds that `retree_lab.statistics.paired_tests` has by this name."""
        ours, theirs = self.values
        if ours is None or theirs is None or not self.is_tested:
            return PairedTest(math.nan, math.nan, math.nan, 0, 0)
        return compare_folds(*ours.align(theirs), self.protocol, name)


def find_pair(
    fold_values: FoldValues, item: Item, dataset: str, method: str, base: str
) -> MethodPair:
    """Return a method (its name) and its base on a data set (its key) of `item`."""
    places = [(dataset, name) for name in (method, base)]
    values = [fold_values.values.get(place) for place in places]
    reason = fold_values.reasons.get(places[0], "")
    if values[0] is not None and values[1] is None:
        reason = f"no test: {base}: {fold_values.reasons[places[1]]}"
    numbers = [fold_values.numbers[place] for place in places if place in fold_values.numbers]
    names = fold_values.selection, fold_values.metric.name, item.label(dataset), method, base
    return MethodPair(*names, values, numbers, item.protocol, reason)


def sign_of(test: PairedTest) -> int:
    """Return 1 or -1 for a significantly greater or smaller value, else 0."""
    if not test.p_value < LEVEL:
        return 0
    return 1 if test.mean_difference > 0 else -1
