"""The numbers of an item compared with the published ones."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.keys import depends_on_seed
from retree_lab.experiments.planning.plan import Plan
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.published import NOTHING, PublishedValue
from retree_lab.reports.runs import Run, Runs, mean_run
from retree_lab.reports.selection import Choice, Choices
from retree_lab.reports.verdicts import OUR_DATA
from retree_lab.statistics import PairedTest
from retree_lab.statistics.intervals import Prediction, predict_mean, predict_other_sets
from retree_lab.statistics.metrics import (
    METRICS,
    NESTED,
    OPTIMISM,
    Metric,
    MetricKind,
    find_metric,
    nested_name,
)
from retree_lab.statistics.paired_tests import find_test


def compare_item(
    context: Context,
    metrics: Sequence[str],
    baseline: str | Mapping[str, str] = "",
    test: str = "corrected",
) -> list[Comparison]:
    """Compare metrics of an item, cell by cell, with the published numbers, and judge them.

    With both ways of choosing parameters among the item's ``select``, each runnable method also
    gets a row of each metric with the parameters chosen inside the training folds, as
    ``accuracy_nested``; beside the accuracy, ``optimism`` is that on the test rows minus nested.

    Parameters
    ----------
    context : Context
        The item with its results.
    metrics : sequence of str
    baseline : str or mapping of str to str, optional
        Key of the method that the others are tested against, or that of each method by its key;
        without results there is no test.
    test : str, optional
        The test, one of `retree_lab.statistics.paired_tests`.

    Returns
    -------
    list of Comparison
        By data set, method and metric.
    """
    item, best = context.item, context.best
    names = {m.key: m.name for m in item.methods}
    bases = dict.fromkeys(names, baseline) if isinstance(baseline, str) else baseline
    runs, comparisons = context.runs, []
    for dataset in item.datasets:
        for method in item.methods:
            choice = _choice(context.plan, best, dataset, method)
            base = bases.get(method.key, "")
            for metric in metrics:
                ours = fold_values(best, runs, (dataset, method.key), metric)
                theirs = fold_values(best, runs, (dataset, base), metric)
                printed = context.find_published(item.label(dataset), method.name, metric)
                one = compare_values(
                    *(item, (dataset, method, metric), choice, printed),
                    runs.find(dataset, method.key, metric),
                    baseline=names.get(base, ""),
                    test=_test(metric, ours, theirs, item.protocol, test),
                )
                comparisons.append(one)
            if (pair := (dataset, method.key)) in context.nested:
                comparisons += _nested(context, pair, method, metrics)
    return context.judge(comparisons)


def compare_values(
    item: Item,
    place: tuple[str, Method, str],
    choice: Choice,
    printed: PublishedValue,
    run: Run | None = None,
    **more: Any,
) -> Comparison:
    """Put the mean over a choice's folds beside a published value, not judged.

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
    run : Run, optional
        All runs of the protocol.
    **more
        Further fields of the number.
    """
    dataset, method, metric = place
    measure = find_metric(metric)
    values, reason = measure.of(choice.folds), choice.reason
    mean, std, n_folds = _mean_std(values)
    points = json.loads(choice.params or "{}")
    points = points if isinstance(points, list) else [points]
    std = std if measure.has_spread else math.nan
    if math.isnan(mean) and n_folds:
        reason, n_folds = _undefined(measure, method.name, values), 0
    return Comparison(
        item.label(dataset),
        method.name,
        metric,
        **run_fields(run, mean, std),
        theirs=printed,
        n_folds=n_folds,
        params=choice.params,
        reason=reason,
        dataset_key=dataset,
        method_key=method.key,
        n_test=int(choice.folds["n_test"].sum()),
        # Only digits ask for it.
        is_seeded=bool(item.digits and n_folds)
        and (
            item.protocol.has_seed_of_ours
            or any(depends_on_seed(method, point) for point in points)
        ),
        on_test=choice.on_test,
        item=item.name,
        **more,
    )


def compare_number(
    context: Context,
    dataset: str,
    method: str,
    metric: str,
    ours: float,
    reason: str = "",
    dataset_key: str = "",
) -> Comparison:
    """Put a number that is not one of folds beside the published one, not judged.

    Parameters
    ----------
    context : Context
    dataset, method, metric : str
        The place that it has in the item.
    ours : float
        NaN for none.
    reason : str
        Why there is none.
    dataset_key : str
    """
    printed, n_folds = context.find_published(dataset, method, metric), int(not math.isnan(ours))
    number = dataset, method, metric, ours, math.nan, printed, n_folds, "", reason, dataset_key
    return Comparison(*number, item=context.item.name)


def run_fields(run: Run | None, mean: float, std: float) -> dict[str, Any]:
    """Return the fields of a number that come from the runs of its protocol, if there are any.

    The number becomes the mean over the replicates. `mean`, `std`: over the folds of the first run.
    """
    first: dict[str, Any] = {"reproduced": mean, "reproduced_std": std}
    if run is None or math.isnan(mean):
        return first
    if run.averaged == 1:
        first = {"reproduced": float(np.mean(run.means)), "first_run": (mean, std)}
        first["reproduced_std"] = float(np.mean(run.stds))
    return first | {"run": run, "prediction": run.prediction}


def over_sets(
    comparison: Comparison, predictions: Sequence[Prediction], others: Sequence[float]
) -> Comparison:
    """Return a mean over data sets, some of which stand for others that are not known.

    `others`: our numbers on the others; with fewer than two nothing can be expected of the mean.
    """
    if len(others) < 2:
        return replace(comparison, is_comparable=False, reason=OUR_DATA)
    return replace(
        comparison, prediction=predict_other_sets(list(predictions), others), over_sets=True
    )


def with_mean(
    comparison: Comparison, cells: Sequence[Comparison], our_data: Collection[str] = ()
) -> Comparison:
    """Return the mean over the data sets of `cells` with what is expected of each of them.

    Replicates are of single data sets: where one has fewer than the others, they are taken again
    from its first for the runs of the mean. If any of the data sets is one of `our_data`, the
    prediction is for the paper's own ones, see `over_sets`.
    """
    comparison = replace(comparison, on_test=any(c.on_test for c in cells))
    predictions = [c.prediction for c in cells if c.prediction is not None]
    if not cells or len(predictions) < len(cells):
        return comparison
    comparison = replace(comparison, run=mean_run([c.run for c in cells if c.run]))
    if others := [c.reproduced for c in cells if c.place[0] in our_data]:
        of_paper = [c.prediction for c in cells if c.prediction and c.place[0] not in our_data]
        return over_sets(comparison, of_paper, others)
    return replace(comparison, prediction=predict_mean(predictions))


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
    context: Context, pair: tuple[str, str], method: Method, metrics: Sequence[str]
) -> Iterator[Comparison]:
    """Yield the numbers of parameters chosen inside the training folds, beside the others."""
    dataset, best, honest = pair[0], context.best[pair], context.nested[pair]
    honest = replace(honest, reason=honest.reason or best.reason)
    for metric in map(nested_name, metrics):
        run = context.nested_runs.find(*pair, metric)
        yield compare_values(context.item, (dataset, method, metric), honest, NOTHING, run)
        if metric == NESTED:
            gaps = (best.folds["accuracy"] - honest.folds["accuracy"]).dropna()
            folds = honest.folds.loc[gaps.index].assign(accuracy=gaps)
            run, place = context.runs.find_optimism(context.nested_runs, *pair), (dataset, method)
            choice = replace(honest, folds=folds)
            yield compare_values(context.item, (*place, OPTIMISM), choice, NOTHING, run)


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


def compare_folds(
    ours: pd.Series, theirs: pd.Series, protocol: Protocol, test: str = "corrected"
) -> PairedTest:
    """Test a difference over folds, whose training sets overlap where there are several."""
    return find_test(test).compare(ours, theirs, protocol.overlap(len(ours)))


def _test(
    metric: str,
    ours: pd.Series | None,
    theirs: pd.Series | None,
    protocol: Protocol,
    test: str,
) -> PairedTest | None:
    if ours is None or theirs is None or not find_metric(metric).has_spread:
        return None
    ours, theirs = ours.align(theirs)
    return None if (ours - theirs).isna().any() else compare_folds(ours, theirs, protocol, test)
