"""How many numbers of the ensembles are equal with other files, another release or other runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import pandas as pd
from scipy.stats import t as student

from retree_lab.reports.context import Context
from retree_lab.reports.formatting import capitalized
from retree_lab.reports.kinds.equality import (
    CHANGE_COLUMNS,
    Change,
    Place,
    changed_numbers,
    count_equal,
    own_datasets,
)
from retree_lab.reports.published import published_name
from retree_lab.reports.selection import OUTER
from retree_lab.statistics.agreement import Digits, gap_to_digit
from retree_lab.statistics.intervals import predict
from retree_lab.statistics.metrics import find_metric, is_size

OTHER_RUNS = "ten other runs, expected from how far these differ"


def worth(
    context: Context, *, metrics: tuple[str, ...], changes: Mapping[str, Change]
) -> pd.DataFrame:
    """Return how many published means are equal after each change; the first changes nothing."""
    item = context.item
    places = [
        (dataset, method.key, metric)
        for metric, method, dataset in product(
            metrics, item.methods, own_datasets(context, changes)
        )
        if item.label(dataset) in context.published.places(published_name(method), metric)
    ]

    def is_equal(place: Place, folds: pd.DataFrame) -> bool:
        value, unit = _published(context, place)
        ours = float(find_metric(place[2]).of(folds).mean())
        return not gap_to_digit(ours, value, unit, Digits.ROUNDED)

    changed = changed_numbers(context, places, changes, is_equal, item.protocol.repeats)
    first = changed[changed["changed"] == next(iter(changes))]
    numbers = pd.concat([changed, _expected(context, places, first)], ignore_index=True)
    groups = {"All numbers": numbers["changed"].notna()}
    groups |= {
        capitalized(find_metric(metric).label): numbers["metric"] == metric for metric in metrics
    }
    return count_equal(numbers, groups)


def _published(context: Context, place: Place) -> tuple[float, float]:
    """Return the published mean of a place and the unit of its last digit."""
    dataset, key, metric = place
    method = next(method for method in context.item.methods if method.key == key)
    cell = context.published.places(published_name(method), metric)[context.item.label(dataset)][1]
    return cell.value, cell.unit


def _expected(context: Context, places: list[Place], changed: pd.DataFrame) -> pd.DataFrame:
    """Return how likely each number is equal in as many other runs, without computing any."""
    frame = context.frame
    outer = frame[(frame["inner"] == OUTER) & (frame["point"] == 0)]
    cells = dict(tuple(outer.groupby(["dataset", "method"], sort=False)))
    before = changed.set_index(["dataset", "method", "metric"])["unchanged"]
    rows = []
    for place in places:
        dataset, method, metric = place
        label = context.item.label(dataset)
        if (label, method, metric) not in before.index:
            continue
        folds = cells[dataset, method]
        means = find_metric(metric).of(folds).groupby(folds["repeat"]).mean()
        step = 1 / len(folds) if is_size(metric) else 100 / float(folds["n_test"].sum())
        value, unit = _published(context, place)
        chance = chance_of_equal(means, value, max(unit, step))
        rows.append((OTHER_RUNS, label, method, metric, before[label, method, metric], chance))
    return pd.DataFrame(rows, columns=list(CHANGE_COLUMNS))


def chance_of_equal(means: pd.Series, published: float, unit: float) -> float:
    """Return how likely the mean of as many other runs is published as `published`.

    The runs are normal, so that the difference of the two means has Student's distribution.

    `means`: that of each run, shape (n_runs,).
    `unit`: that of the last digit, or the distance between neighbouring means if that is larger.
    """
    ours = predict(means, averaged=len(means))
    error = math.hypot(ours.spread, ours.center_error)
    if not error:
        return float(abs(published - ours.center) <= unit / 2)
    ends = [(published + sign * unit / 2 - ours.center) / error for sign in (-1, 1)]
    return float(student.cdf(ends[1], ours.df) - student.cdf(ends[0], ours.df))
