"""Values of methods, and what a t-test over the folds says of them against a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retree.reports.compare_items import compare_folds
from retree.reports.comparison import LEVEL
from retree.reports.context import Context
from retree.reports.fold_values import FoldValues, find_fold_values
from retree.statistics import PairedTest

GREATER, SAME, SMALLER = "v", "", "*"


@dataclass(frozen=True)
class WekaCell:
    """One value of the table: a row of the item's csv.

    Attributes
    ----------
    selection, metric, dataset, method, baseline : str
    mean, std : float
        Over the folds of all replicates; NaN where there are none.
    difference, low, high : float
        Mean difference to the baseline and its 95 % interval; NaN without a test.
    statistic, p_value : float
    mark : str
        ``v`` significantly greater, ``*`` significantly smaller, or "".
    n_pairs, n_dropped : int
        Folds that were compared, and folds of only one of the two.
    reason : str
        Why there is no value or no test, or what to know of it.
    """

    selection: str
    metric: str
    dataset: str
    method: str
    baseline: str
    mean: float
    std: float
    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    mark: str
    n_pairs: int
    n_dropped: int
    reason: str


def weka_cells(
    context: Context, metrics: Sequence[str], baseline: str, corrected: bool
) -> Iterator[WekaCell]:
    """Yield the cells of an item by metric, selection, data set and method.

    Parameters
    ----------
    context : Context
    metrics : sequence of str
    baseline : str
        Key of the method to compare with; without results of it, the first one that has some.
    corrected : bool
        Whether the test allows for the overlap of the training sets.
    """
    item = context.item
    wanted = {m.key: m.name for m in item.methods}.get(baseline, "")
    n_folds = item.protocol.folds if corrected else 1
    for metric in metrics:
        for found in find_fold_values(context, metric).values():
            name = wanted if wanted in found.methods else next(iter(found.methods), "")
            for dataset in item.datasets:
                for method in item.methods:
                    yield _cell(found, dataset, method.name, name, n_folds)


def _cell(found: FoldValues, dataset: str, method: str, baseline: str, n_folds: int) -> WekaCell:
    names = (found.selection, found.metric.name, dataset, method, baseline)
    ours, theirs = (found.values.get((dataset, name)) for name in (method, baseline))
    mean = std = math.nan
    if ours is not None:
        mean, std = float(ours.mean()), float(ours.std(ddof=1))
    test = PairedTest(math.nan, math.nan, math.nan, 0, 0)
    reason = found.reasons.get((dataset, method), "")
    if ours is not None and theirs is None:
        reason = f"no test: {baseline}: {found.reasons[dataset, baseline]}"
    elif ours is not None and theirs is not None and method != baseline:
        test = compare_folds(*ours.align(theirs), n_folds)
    low, high = test.confidence_interval()
    effect = (test.mean_difference, low, high, test.statistic, test.p_value)
    return WekaCell(*names, mean, std, *effect, _mark(test), test.n_pairs, test.n_dropped, reason)


def _mark(test: PairedTest) -> str:
    if not test.p_value <= LEVEL:
        return SAME
    return GREATER if test.mean_difference > 0 else SMALLER
