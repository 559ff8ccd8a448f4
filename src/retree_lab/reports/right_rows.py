"""Accuracies as counts of right rows, which are the published ones or are not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
