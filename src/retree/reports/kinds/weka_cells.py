"""Values of methods, and what a t-test over the folds says of them against a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from retree.errors import unknown_name
from retree.experiments.definitions import Item
from retree.experiments.plan import Plan
from retree.reports.comparison import LEVEL
from retree.reports.fold_values import FoldValues, find_fold_values
from retree.statistics import PairedTest, corrected_resampled_t_test, paired_t_test

TESTS = {
    "corrected": "corrected resampled t-test (Nadeau and Bengio)",
    "paired": "paired t-test",
}
GREATER, SAME, SMALLER = "v", "", "*"


@dataclass(frozen=True)
class Cell:
    """One value of the table: a row of the item's csv.

    Attributes
    ----------
    selection, metric, dataset, method, baseline : str
    mean, std : float
        Over the folds; NaN where there is none.
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


def weka_cells(item: Item, plan: Plan, frame: pd.DataFrame) -> Iterator[Cell]:
    """Yield the cells of an item by metric, selection, data set and method.

    Raises
    ------
    UnknownNameError
        If the item's ``test`` is none of `TESTS`.
    """
    if _test_name(item) not in TESTS:
        raise unknown_name("test", _test_name(item), TESTS)
    for metric in item.options["metrics"]:
        for found in find_fold_values(item, plan, frame, metric).values():
            baseline = _baseline(item, found)
            for dataset in item.datasets:
                for method in (m.name for m in item.methods):
                    yield _cell(item, found, dataset, method, baseline)


def is_corrected(item: Item) -> bool:
    """Whether the item's test corrects for training sets that overlap; a single fold has none."""
    return _test_name(item) == "corrected" and item.protocol.folds > 1


def _test_name(item: Item) -> str:
    return str(item.options.get("test", "corrected"))


def _baseline(item: Item, found: FoldValues) -> str:
    """Return the name of the baseline, "" if no method has results."""
    names = {m.key: m.name for m in item.methods}
    wanted = names.get(str(item.options.get("baseline")), "")
    return wanted if wanted in found.methods else next(iter(found.methods), "")


def _cell(item: Item, found: FoldValues, dataset: str, method: str, baseline: str) -> Cell:
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
        test = _compare(item, *ours.align(theirs))
    low, high = test.confidence_interval()
    effect = (test.mean_difference, low, high, test.statistic, test.p_value)
    return Cell(*names, mean, std, *effect, _mark(test), test.n_pairs, test.n_dropped, reason)


def _compare(item: Item, ours: pd.Series, theirs: pd.Series) -> PairedTest:
    if is_corrected(item):
        return corrected_resampled_t_test(ours, theirs, 1 / item.protocol.folds)
    return paired_t_test(ours, theirs)


def _mark(test: PairedTest) -> str:
    if not test.p_value <= LEVEL:
        return SAME
    return GREATER if test.mean_difference > 0 else SMALLER
