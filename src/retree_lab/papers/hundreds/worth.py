"""How many counts of Weka's columns are equal with other seeds, releases or files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pandas as pd

from retree_lab.reports.context import Context
from retree_lab.reports.kinds.equality import (
    CHANGE_COLUMNS,
    Change,
    Place,
    changed_numbers,
    count_equal,
    own_datasets,
    pooled,
)

from .accuracies import METRIC, published_digit, rows_away
from .datasets import PREFIX, RESCALED

RELEASES = "weka_releases.csv"
SET_ASIDE = "nothing, with the numbers that were set aside"
FEW_ROWS = 200


def worth(context: Context, *, table: str, changes: Mapping[str, Change]) -> pd.DataFrame:
    """Return how many numbers of `table` are equal after each change, the first of which is none.

    `table`: the item in which they are judged, and that says which were set aside.
    """
    pairs = product(own_datasets(context, changes), context.item.methods)
    places = ((dataset, method.key, METRIC) for dataset, method in pairs)
    every = [place for place in places if not math.isnan(_published(context, table, place))]
    aside = _set_aside(context, table)
    judged = [place for place in every if place not in aside]

    def is_equal(place: Place, folds: pd.DataFrame) -> bool:
        return rows_away(*pooled(folds), _published(context, table, place)) == 0

    (nothing, none), *others = changes.items()
    frames = [changed_numbers(context, judged, {nothing: none}, is_equal)]
    frames.append(changed_numbers(context, every if aside else [], {SET_ASIDE: none}, is_equal))
    frames.append(changed_numbers(context, judged, dict(others), is_equal))
    frames.append(_releases(context, table, judged, frames[0]))
    numbers = pd.concat(frames, ignore_index=True)
    rows = _rows_by_dataset(context)
    few = numbers["dataset"].map(rows) < FEW_ROWS
    groups = {"All numbers": numbers["changed"].notna()}
    groups |= {f"Fewer than {FEW_ROWS} test rows": few, f"{FEW_ROWS} test rows and more": ~few}
    names = {method.key: method.name for method in context.item.methods}
    groups |= {name: numbers["method"] == key for key, name in names.items()}
    counted = count_equal(numbers, groups)
    excluded = {SET_ASIDE, *(name for name, change in changes.items() if change.datasets)}
    counted.attrs["notes"] = [*_left_out(numbers[~numbers["changed"].isin(excluded)], names)]
    return counted


def _set_aside(context: Context, table: str) -> set[Place]:
    """Return the places that the item of the table does not judge."""
    kind, item = context.paper.items[table], context.item
    only = kind.get("blocked_only", {})
    return {
        (dataset, method.key, METRIC)
        for dataset in item.datasets
        for method in item.methods
        if (label := item.label(dataset)) in kind.get("blocked", {})
        and method.name in only.get(label, (method.name,))
    }


def _published(context: Context, table: str, place: Place) -> float:
    dataset, key, metric = place
    name = next(method.name for method in context.item.methods if method.key == key)
    return context.published.find(table, context.item.label(dataset), name, metric).value


def _rows_by_dataset(context: Context) -> dict[str, int]:
    """Return how many test rows each data set has in a run."""
    frame = context.frame
    first = frame[(frame["repeat"] == 0) & (frame["method"] == context.item.methods[0].key)]
    totals = first.groupby("dataset")["n_test"].sum()
    return {context.item.label(str(name)): int(total) for name, total in totals.items()}


def _releases(
    context: Context, table: str, places: list[Place], changed: pd.DataFrame
) -> pd.DataFrame:
    """Return what other releases of Weka count themselves, on the sets that they were run on."""
    before = changed.drop_duplicates(["dataset", "method"]).set_index(["dataset", "method"])
    counts, rows = release_counts(context.paper.folder), list[tuple[object, ...]]()
    names = {method.key: method.name for method in context.item.methods}
    for release in dict.fromkeys(key[0] for key in counts):
        for place in places:
            dataset, method, metric = place
            label = context.item.label(dataset)
            count = counts.get((release, dataset.removeprefix(PREFIX), names[method]))
            # They were run on the files of the archive.
            if count is None or dataset.endswith(RESCALED) or (label, method) not in before.index:
                continue
            is_equal = published_digit(*count) == _published(context, table, place)
            was = before.loc[(label, method), "unchanged"]
            rows.append((f"Weka {release} itself", label, method, metric, was, is_equal))
    return pd.DataFrame(rows, columns=list(CHANGE_COLUMNS))


def release_counts(paper: Path) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Return right and all test rows by release, the data set's name in the paper, and method."""
    rows = pd.read_csv(paper / RELEASES, dtype={"release": str, "dataset": str})
    pairs = zip(rows["correct"].tolist(), rows["total"].tolist(), strict=True)
    names = rows[["release", "dataset", "method"]].itertuples(index=False, name=None)
    return dict(zip(names, pairs, strict=True))


def _left_out(numbers: pd.DataFrame, names: Mapping[str, str]) -> Iterator[str]:
    """Yield which data sets of the first change others leave out, and for which methods."""
    pairs = {
        str(changed): [*zip(part["dataset"], part["method"], strict=True)]
        for changed, part in numbers.groupby("changed", sort=False)
    }
    every = next(iter(pairs.values()))
    n_methods = Counter(dataset for dataset, _ in every)
    for changed, rows in pairs.items():
        lost, gained = dict[str, list[str]](), {*rows}
        for dataset, method in every:
            if (dataset, method) not in gained:
                lost.setdefault(dataset, []).append(names[method])
        by_methods: dict[str, list[str]] = {}
        for dataset, methods in lost.items():
            words = "" if len(methods) == n_methods[dataset] else f" for {' and '.join(methods)}"
            by_methods.setdefault(words, []).append(dataset)
        for words, datasets in by_methods.items():
            yield f"{changed} leaves out{words}: {', '.join(datasets)}."
