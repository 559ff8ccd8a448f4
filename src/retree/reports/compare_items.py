"""The numbers of an item compared with the published ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from retree.experiments.definition.item import Item
from retree.experiments.definition.method import Method
from retree.experiments.definition.protocol import Protocol
from retree.experiments.planning.plan import Plan
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.published import NOTHING, PublishedValue
from retree.reports.replicates.runs import Run, Runs
from retree.reports.selection import Choice, Choices
from retree.reports.verdicts import judge_by_digits, judge_by_prediction, judge_on_our_data
from retree.statistics import PairedTest, corrected_resampled_t_test, paired_t_test, verdict
from retree.statistics.metrics import METRICS, Metric, MetricKind, find_metric


def compare_item(
    context: Context,
    metrics: Sequence[str],
    baseline: str = "",
    methods: Sequence[Method] | None = None,
) -> list[Comparison]:
    """Compare metrics of an item, cell by cell, with the published numbers.

    With "nested" among the item's ``select``, each runnable method also gets rows of the metrics
    ``accuracy_nested`` and ``optimism`` (accuracy selected on the test rows minus nested).

    Parameters
    ----------
    context : Context
        The item with its results.
    metrics : sequence of str
    baseline : str, optional
        Key of the method that the others are tested against; without results there is no test.
    methods : sequence of Method, optional
        By default all of the item's.

    Returns
    -------
    list of Comparison
        By data set, method and metric.
    """
    item, best = context.item, context.best
    base = {m.key: m.name for m in item.methods}.get(baseline, "")
    runs, nested_runs, comparisons = context.runs, context.nested_runs, []
    for dataset in item.datasets:
        for method in item.methods if methods is None else methods:
            choice = _choice(context.plan, best, dataset, method)
            for metric in metrics:
                ours = fold_values(best, runs, (dataset, method.key), metric)
                theirs = fold_values(best, runs, (dataset, baseline), metric)
                printed = context.find_published(item.label(dataset), method.name, metric)
                one = compare_values(item, (dataset, method, metric), choice, *printed)
                one = replace(one, baseline=base, test=_test(metric, ours, theirs, item.protocol))
                one = judge_by_runs(one, runs.find(dataset, method.key, metric))
                if metric not in item.tolerance and dataset in context.paper.our_data:
                    one = judge_on_our_data(one)
                comparisons.append(judge_by_digits(one, item.digits))
            if (dataset, method.key) in context.nested and "accuracy" in metrics:
                pair = dataset, method.key
                honest = _nested(item, dataset, method, choice, context.nested[pair])
                accuracy = nested_runs.find(*pair, "accuracy_nested")
                optimism = runs.find_optimism(nested_runs, *pair)
                comparisons += map(judge_by_runs, honest, (accuracy, optimism))
    return comparisons


def compare_values(
    item: Item,
    place: tuple[str, Method, str],
    choice: Choice,
    printed: PublishedValue,
    wrong: bool = False,
) -> Comparison:
    """Compare the mean over a choice's folds with a published cell.

    Parameters
    ----------
    item : Item
        Has the labels of data sets.
    place : tuple of (str, Method, str)
        Key of the data set, method, and metric.
    choice : Choice
        The outer cells.
    printed : PublishedValue
        What is published.
    wrong : bool
        Whether the published number is known to be wrong.
    """
    dataset, method, metric = place
    measure = find_metric(metric)
    values, reason = measure.of(choice.folds), choice.reason
    mean, std, n_folds = _mean_std(values)
    std = std if measure.has_spread else math.nan
    if math.isnan(mean) and n_folds:
        reason, n_folds = _undefined(measure, method.name, values), 0
    judged: str = ""
    if measure.kind != MetricKind.TIME:
        judged = verdict(measure.name, mean, std, n_folds, printed.value, wrong)
    names, numbers = (item.label(dataset), method.name, metric), (mean, std, *printed)
    return Comparison(
        *(*names, *numbers, judged, n_folds, choice.params, reason),
        n_test=int(choice.folds["n_test"].sum()),
        on_test=choice.on_test,
        dataset_key=dataset,
        method_key=method.key,
    )


def compare_number(
    context: Context, dataset: str, method: str, metric: str, ours: float, reason: str = ""
) -> Comparison:
    """Compare a number that is not one of folds with the published one.

    Parameters
    ----------
    context : Context
    dataset, method, metric : str
        The place that it has in the item.
    ours : float
        NaN for none.
    reason : str
        Why there is none.
    """
    printed, wrong = context.find_published(dataset, method, metric)
    judged = verdict(metric, ours, math.nan, 1, printed.value, wrong)
    names, n_folds = (dataset, method, metric), int(not math.isnan(ours))
    return Comparison(*names, ours, math.nan, *printed, judged, n_folds, "", reason)


def judge_by_runs(comparison: Comparison, run: Run | None) -> Comparison:
    """Return `comparison` with what the runs of its protocol say, if there are any.

    Its number becomes the mean over the replicates.
    """
    if run is None or math.isnan(comparison.reproduced):
        return comparison
    mean, std = float(run.means.mean()), float(run.stds.mean())
    if run.averaged == 1:
        comparison = replace(comparison, reproduced=mean, reproduced_std=std)
    comparison = replace(
        comparison, runs=tuple(map(float, run.means)), run_stds=tuple(map(float, run.stds))
    )
    return judge_by_prediction(comparison, run.prediction, run.n_replicates)


def _undefined(metric: Metric, method: str, values: pd.Series) -> str:
    if metric.kind != MetricKind.SCORE:
        return f"{method} has no {metric.name}"
    return f"{metric.label} is undefined on {values.isna().sum()} of {len(values)} folds"


def _choice(plan: Plan, best: Choices, dataset: str, method: Method) -> Choice:
    if (dataset, method.key) in best:
        return best[dataset, method.key]
    reason = plan.reason(dataset, method.key) or "no cell of it is planned"
    columns = dict.fromkeys(["n_test", *(m.column for m in METRICS.values() if m.column)])
    folds = pd.DataFrame(columns=[*columns, *plan.item.scores], dtype=np.float64)
    return Choice(folds, "", 0, 0, reason)


def _nested(
    item: Item, dataset: str, method: Method, best: Choice, honest: Choice
) -> list[Comparison]:
    difference = best.folds["accuracy"] - honest.folds["accuracy"]
    values = {"accuracy_nested": honest.folds["accuracy"], "optimism": difference.dropna()}
    reason = honest.reason or best.reason
    return [
        Comparison(
            *(item.label(dataset), method.name, metric, *_mean_std(folds)[:2], *NOTHING),
            *("", len(folds), honest.params, reason),
            dataset_key=dataset,
            method_key=method.key,
        )
        for metric, folds in values.items()
    ]


def _mean_std(values: pd.Series) -> tuple[float, float, int]:
    """Return mean, sample standard deviation and number of values; NaN if one is NaN."""
    numbers = values.to_numpy(dtype=np.float64)
    mean = float(numbers.mean()) if len(numbers) else math.nan
    std = float(numbers.std(ddof=1)) if len(numbers) > 1 else math.nan
    return mean, std, len(numbers)


def fold_values(
    choices: Choices, runs: Runs, pair: tuple[str, str], metric: str
) -> pd.Series | None:
    """Return a metric on the folds that the number of a pair of data set and method is of.

    These are the folds of all replicates, or of the one run where there are none; None without any.
    """
    if (every := runs.values(*pair, metric)) is not None:
        return every
    choice = choices.get(pair)
    return None if choice is None or choice.folds.empty else find_metric(metric).of(choice.folds)


def compare_folds(ours: pd.Series, theirs: pd.Series, protocol: Protocol) -> PairedTest:
    """Test a difference over folds, whose training sets overlap where there are several."""
    share = protocol.overlap(len(ours))
    if not share:
        return paired_t_test(ours, theirs)
    return corrected_resampled_t_test(ours, theirs, share)


def _test(
    metric: str, ours: pd.Series | None, theirs: pd.Series | None, protocol: Protocol
) -> PairedTest | None:
    if ours is None or theirs is None or not find_metric(metric).has_spread:
        return None
    ours, theirs = ours.align(theirs)
    return None if (ours - theirs).isna().any() else compare_folds(ours, theirs, protocol)
