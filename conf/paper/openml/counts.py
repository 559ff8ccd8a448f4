"""Published accuracies as counts of rows, and which columns are points of one method's grid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from retree.experiments.definition.method import Method
from retree.reports.context import Context
from retree.reports.selection import OUTER

METRIC = "accuracy"
DECIMALS = 6


class Column(NamedTuple):
    """A learner as it is published, and the point of the method's grid that it is."""

    name: str
    method: str
    point: int


def columns(context: Context) -> list[Column]:
    """Return the learners of an item; a method has one for each of its numbers of rounds."""
    found = []
    for method in context.item.methods:
        rounds = context.paper.grid["n_estimators"] if method.tune else [None]
        names = (column_name(method, n) for n in rounds)
        found += [Column(name, method.key, point) for point, name in enumerate(names)]
    return found


def column_name(method: Method, rounds: int | None) -> str:
    """Return the published name of a learner with so many rounds."""
    return method.name if rounds is None else f"{method.name} -I {rounds}"


def find_counts(context: Context) -> dict[tuple[str, str, int], tuple[int, int]]:
    """Return right rows and all rows by data set, method and point, where no fold is lacking."""
    return dict(_counts(context))


def _counts(context: Context) -> Iterator[tuple[tuple[str, str, int], tuple[int, int]]]:
    frame = context.frame
    first = frame["repeat"] == 0
    done = frame[first & (frame["inner"] == OUTER) & (frame["status"] == "done")]
    for place, folds in done.groupby(["dataset", "method", "point"], sort=False):
        if len(folds) == context.item.protocol.folds:
            dataset, method, point = place
            yield (str(dataset), str(method), int(str(point))), pooled(folds)


def pooled(folds: pd.DataFrame) -> tuple[int, int]:
    """Return the right test rows of all folds, and all test rows."""
    correct = (folds["accuracy"] * folds["n_test"]).round().sum()
    return int(correct), int(folds["n_test"].sum())


def published_count(published: float, total: int) -> int | None:
    """Return how many of `total` rows give the published decimals, None if no number does."""
    count = round(published * total)
    return count if f"{count / total:.{DECIMALS}f}" == f"{published:.{DECIMALS}f}" else None
