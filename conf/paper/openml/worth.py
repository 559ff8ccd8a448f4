"""What a match is worth: how often numbers are equal once something is changed on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from retree.reports.context import Context
from retree.reports.published import published_name

from .counts import DECIMALS, METRIC, Counts, find_counts
from .datasets import is_known_by_name

COLUMNS = ("changed", "method", "known", "equal")


def worth(context: Context, *, table: str, other_releases: Mapping[str, str]) -> pd.DataFrame:
    """Return how many numbers of `table` are equal as they are, and after each change.

    `other_releases`: by the key of a method, the one in the place of which it is compared.
    """
    counts = dict(sorted(find_counts(context).items()))
    names = {method.key: published_name(method) for method in context.item.methods}
    stands_for = {key: other_releases.get(key, key) for key in names}
    published = {
        (dataset, key): context.published.find(
            table, context.item.label(dataset), names[stands_for[key]], METRIC
        ).value
        for dataset in context.item.datasets
        for key in names
    }
    rows = [*_rows(counts, published, stands_for), *_other_tasks(context, counts, published)]
    found = pd.DataFrame(rows, columns=list(COLUMNS))
    groups = {"All tasks": found["known"].notna()}
    groups |= {"Tasks known by name": found["known"], "Tasks matched by results": ~found["known"]}
    tables = []
    for group, inside in groups.items():
        counted = found[inside.astype(bool)].groupby("changed", sort=False)["equal"]
        summed = counted.agg(numbers="size", equal="sum", share="mean").reset_index()
        tables.append(summed.assign(group=group, share_pct=100 * summed["share"]))
    return pd.concat(tables, ignore_index=True).drop(columns="share")


def _rows(
    counts: Counts, published: Mapping[tuple[str, str], float], stands_for: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    """Yield whether counts are the published ones: as they are, by other folds and releases."""
    for (dataset, key, repeat), (right, total) in counts.items():
        changed = "nothing"
        if stands_for[key] != key:
            changed = "the release of Weka" if repeat == 0 else ""
        elif repeat > 0:
            changed = "the folds: three other shuffles"
        if changed:
            equal = _is_equal(right, total, published[dataset, key])
            yield changed, key, is_known_by_name(dataset), equal


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
