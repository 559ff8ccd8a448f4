"""Published accuracies as counts of rows."""

from __future__ import annotations

from retree_lab.reports.context import Context
from retree_lab.reports.right_rows import complete_runs, pooled

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
