"""Right rows of each fold, published and ours."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from retree_lab.reports.right_rows import right_rows

METRIC = "accuracy"
COUNTS = "published_counts.csv"
Counts = tuple[int, ...]


@cache
def published_counts(folder: Path) -> Mapping[tuple[str, str, str], Counts]:
    """Return the right rows of each fold by table, data set and learner, as published."""
    with (folder / COUNTS).open(newline="", encoding="utf-8") as file:
        return {
            (row["table"], row["dataset"], row["method"]): tuple(map(int, row["correct"].split()))
            for row in csv.DictReader(file)
        }


def fold_counts(folds: pd.DataFrame) -> Counts:
    """Return the right rows of each fold of a method on a data set, in their order."""
    return tuple(right_rows(folds.sort_values("fold")))


def rows_apart(ours: Sequence[int], theirs: Sequence[int]) -> Counts:
    """Return for each fold how many right rows ours has more."""
    return tuple(own - other for own, other in zip(ours, theirs, strict=True))
