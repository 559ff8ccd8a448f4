"""Published accuracies as counts of rows."""

from __future__ import annotations

import pandas as pd

from retree.reports.context import Context
from retree.reports.selection import OUTER

METRIC = "accuracy"
DECIMALS = 6


def find_counts(context: Context) -> dict[tuple[str, str], tuple[int, int]]:
    """Return right rows and all rows by data set and method, where no fold is lacking."""
    frame = context.frame
    first = frame["repeat"] == 0
    done = frame[first & (frame["inner"] == OUTER) & (frame["status"] == "done")]
    return {
        (str(dataset), str(method)): pooled(folds)
        for (dataset, method), folds in done.groupby(["dataset", "method"], sort=False)
        if len(folds) == context.item.protocol.folds
    }


def pooled(folds: pd.DataFrame) -> tuple[int, int]:
    """Return the right test rows of all folds, and all test rows."""
    correct = (folds["accuracy"] * folds["n_test"]).round().sum()
    return int(correct), int(folds["n_test"].sum())


def published_count(published: float, total: int) -> int | None:
    """Return how many of `total` rows give the published decimals, None if no number does."""
    count = round(published * total)
    return count if f"{count / total:.{DECIMALS}f}" == f"{published:.{DECIMALS}f}" else None
