"""Accuracies as counts of right rows, and how many are equal once something is changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.context import Context
from retree_lab.reports.document import Entry, Table, TableCell
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.selection import OUTER
from retree_lab.statistics import Verdict

Number = TypeVar("Number", bound=Comparison)


def right_rows(folds: pd.DataFrame) -> pd.Series:
    """Return the right test rows of each fold."""
    return (folds["accuracy"] * folds["n_test"]).round().astype(int)


def pooled(folds: pd.DataFrame) -> tuple[int, int]:
    """Return the right test rows of all folds, and all test rows."""
    return int(right_rows(folds).sum()), int(folds["n_test"].sum())


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


def blank_number(
    context: Context,
    place: tuple[str, Method, str],
    theirs: PublishedValue,
    kind: type[Number],
    **more: Any,
) -> Number:
    """Return a number that is not reproduced, with the reason.

    `place`: key of the data set, method, and metric. `more`: further fields of `kind`.
    """
    dataset, method, metric = place
    return kind(
        *(context.item.label(dataset), method.name, metric, math.nan, math.nan, theirs),
        reason=context.plan.reason(dataset, method.key),
        dataset_key=dataset,
        method_key=method.key,
        item=context.item.name,
        judgement=Judgement("" if math.isnan(theirs.value) else Verdict.MISSING),
        **more,
    )


def methods_table(
    header: Sequence[Entry],
    rows: Sequence[Number],
    names: Sequence[str],
    counted: Callable[[Sequence[Number]], Sequence[str]],
    title: str,
    total: bool = False,
) -> Table:
    """Return what `counted` says of the numbers of each method, and of all of them at last."""
    lines: list[list[Entry]] = [
        [name, *counted([c for c in rows if c.method == name])] for name in names
    ]
    if total:
        lines.append([TableCell(text, strong=True, sums=True) for text in ("all", *counted(rows))])
    return Table(header, lines, title=title)


def numbers_table(
    rows: Sequence[Number],
    names: Sequence[str],
    cell: Callable[[Number], Entry],
    title: str = "All numbers",
    head: Sequence[str] = ("data set",),
    lead: Callable[[Sequence[Number]], Sequence[Entry]] = lambda own: [own[0].dataset],
) -> Table:
    """Return the numbers of all methods on each data set, behind what `lead` says of them."""
    places = {(c.dataset, c.method): c for c in rows}
    by_dataset = [[places[d, name] for name in names] for d in dict.fromkeys(d for d, _ in places)]
    lines: list[list[Entry]] = [[*lead(own), *map(cell, own)] for own in by_dataset]
    return Table([*head, *names], lines, title=title)


# A row for each number of each change: whether it is equal before, and in which share of the runs
# it is equal after.
COLUMNS = ("changed", "dataset", "method", "metric", "unchanged", "equal")
# Key of a data set, key of a method, and metric.
Place = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A deliberate change, after which numbers are compared with the published ones again."""

    # By the key of a data set, that of the one in its place; the others are not counted then.
    datasets: Mapping[str, str] = field(default_factory=dict)
    point: int = 0  # Of what the item varies; the first one is what numbers are of
    runs: tuple[int, ...] = (0,)  # The first one is that of the paper


def changed_numbers(
    context: Context,
    places: Iterable[Place],
    changes: Mapping[str, Change],
    is_equal: Callable[[Place, pd.DataFrame], bool],
    length: int = 1,
) -> pd.DataFrame:
    """Return a row for each number that has all its folds before and after a change.

    `is_equal`: whether folds give the number that is published at a place.
    `length`: how many repeats of the protocol are a run.
    """
    cells, rows, wanted = complete_runs(context, length), list[tuple[object, ...]](), [*places]
    for name, change in changes.items():
        for place in wanted:
            dataset, method, metric = place
            if change.datasets and dataset not in change.datasets:
                continue
            other = change.datasets.get(dataset, dataset)
            before = cells.get((dataset, method, 0, 0))
            after = [cells.get((other, method, change.point, run)) for run in change.runs]
            found = [is_equal(place, folds) for folds in after if folds is not None]
            if before is None or len(found) < len(after):
                continue
            label = context.item.label(dataset)
            equal = sum(found) / len(found)
            rows.append((name, label, method, metric, is_equal(place, before), equal))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def count_equal(
    numbers: pd.DataFrame, groups: Mapping[str, Sequence[bool] | pd.Series]
) -> pd.DataFrame:
    """Return for each group of numbers how many are equal after each change.

    `groups`: by what a group is called, whether each row of `numbers` is in it. The column
    ``in_all`` is how many of all numbers of the group are equal if those that a change is about are
    changed; all are those of the first change, which is none.
    """
    rows = []
    for group, inside in groups.items():
        own = numbers[list(inside)]
        by_change = own.groupby("changed", sort=False)
        all_equal = 0
        for place, (changed, part) in enumerate(by_change):
            before, after = int(part["unchanged"].sum()), float(part["equal"].sum())
            all_equal = before if place == 0 else all_equal
            sizes = part["dataset"].nunique(), len(part), before
            share = 100 * after / len(part)
            rows.append((group, changed, *sizes, after, share, all_equal - before + after))
    names = ["group", "changed", "n_datasets", "numbers", "unchanged", "equal", "share_pct"]
    return pd.DataFrame(rows, columns=[*names, "in_all"])
