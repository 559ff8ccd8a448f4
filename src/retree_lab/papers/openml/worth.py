"""Published accuracies as counts of rows."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

import pandas as pd

from retree_lab.reports.context import Context
from retree_lab.reports.kinds.equality import complete_runs, pooled
from retree_lab.reports.published import published_name

from .datasets import is_known_by_name

METRIC = "accuracy"
DECIMALS = 6
# Right rows and all rows by data set, method and number of the run.
Counts = dict[tuple[str, str, int], tuple[int, int]]


def find_counts(context: Context) -> Counts:
    """Return the counts of all runs of which no fold is lacking."""
    runs = complete_runs(context).items()
    return {(dataset, method, run): pooled(folds) for (dataset, method, _, run), folds in runs}


def published_count(published: float, total: int) -> int | None:
    """Return how many of `total` rows give the published decimals, None if no number does."""
    count = round(published * total)
    return count if f"{count / total:.{DECIMALS}f}" == f"{published:.{DECIMALS}f}" else None


COLUMNS = ("changed", "method", "known", "equal")


def worth(
    context: Context,
    *,
    table: str,
    other_releases: Mapping[str, str],
    other_seeds: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return how many numbers of `table` are equal as they are, and after each change.

    `other_releases`, `other_seeds`: by the key of a method, the one in the place of which it is
    compared.
    """
    changes = {
        "the release of Weka": other_releases,
        "the seed": {} if other_seeds is None else other_seeds,
    }
    changed = {key: change for change, keys in changes.items() for key in keys}
    counts = dict(sorted(find_counts(context).items()))
    names = {method.key: published_name(method) for method in context.item.methods}
    stands_for = dict(ChainMap(*map(dict, changes.values()), {key: key for key in names}))
    published = {
        (dataset, key): context.published.find(
            table, context.item.label(dataset), names[stands_for[key]], METRIC
        ).value
        for dataset in context.item.datasets
        for key in names
    }
    rows = [*_rows(counts, published, changed), *_other_tasks(context, counts, published)]
    found = pd.DataFrame(rows, columns=list(COLUMNS))
    known = found["known"].astype(bool)
    groups = {"Tasks known by name": known, "Tasks matched by results": ~known}
    if known.any() and not known.all():
        groups = {"All tasks": known | True} | groups
    tables = []
    for group, inside in groups.items():
        counted = found[inside].groupby("changed", sort=False)["equal"]
        summed = counted.agg(numbers="size", equal="sum", share="mean").reset_index()
        tables.append(summed.assign(group=group, share_pct=100 * summed["share"]))
    return pd.concat(tables, ignore_index=True).drop(columns="share")


def _rows(
    counts: Counts, published: Mapping[tuple[str, str], float], changed: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    """Yield whether counts are the published ones: as they are, and after each change.

    `changed`: what is, by the keys of the methods that are not those of the table.
    """
    for (dataset, key, repeat), (right, total) in counts.items():
        if key in changed and repeat > 0:
            continue
        change = "the folds: three other shuffles" if repeat > 0 else changed.get(key, "nothing")
        equal = _is_equal(right, total, published[dataset, key])
        yield change, key, is_known_by_name(dataset), equal


def _other_tasks(
    context: Context, counts: Counts, published: Mapping[tuple[str, str], float]
) -> Iterator[tuple[object, ...]]:
    """Yield whether counts are the published numbers of every other task."""
    names = context.item.datasets
    for (dataset, key, repeat), (right, total) in counts.items():
        if repeat == 0:
            for other in (name for name in names if name != dataset):
                equal = _is_equal(right, total, published[other, key])
                yield "the task: every other one", key, is_known_by_name(dataset), equal


def _is_equal(right: int, total: int, published: float) -> bool:
    return f"{right / total:.{DECIMALS}f}" == f"{published:.{DECIMALS}f}"
