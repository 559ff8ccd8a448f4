"""The published accuracies of 179 classifiers on 121 data sets, and the counts of Weka itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from retree_lab.plain_files import read_rows
from retree_lab.reports.context import Context
from retree_lab.reports.document import Table
from retree_lab.reports.kinds.equality import pooled

from .datasets import PREFIX

ACCURACIES = "accuracies.csv.gz"
METRIC = "correct_pct"
# The columns that are computed here.
_LEARNERS = ("J48", "AdaBoostM1_J48", "Bagging_J48", "DecisionStump", "REPTree", "OneR")
COMPUTED = tuple(f"{name}_weka" for name in _LEARNERS)


def published_accuracies(paper: Path) -> pd.DataFrame:
    """Return the authors' table: a row for each data set, a column for each classifier, in %.

    NaN is a run that failed.
    """
    return pd.read_csv(paper / ACCURACIES, index_col="dataset")


def shares_of_maximum(accuracies: pd.DataFrame, failed_as_zero: bool = True) -> pd.DataFrame:
    """Return each accuracy in % of the highest one on the data set.

    Shapes: `accuracies` (n_datasets, n_classifiers).
    """
    shares = 100 * accuracies.div(accuracies.max(axis=1), axis=0)
    return shares.fillna(0.0) if failed_as_zero else shares


def friedman_ranks(accuracies: pd.DataFrame, fill_failed: bool = True) -> pd.Series:
    """Return the average rank of each classifier, the best first; 1 is best.

    Shapes: `accuracies` (n_datasets, n_classifiers).
    `fill_failed`: whether a run that failed has the mean accuracy of the others on the data set, or
    the data set is left out of the classifier's mean.
    """
    means = accuracies.mean(axis=1)
    values = accuracies.T.fillna(means).T if fill_failed else accuracies
    return values.rank(axis=1, ascending=False).mean().sort_values(kind="stable")


def copies(accuracies: pd.DataFrame, share: float = 0.9) -> list[tuple[str, str, int, int]]:
    """Return pairs of columns that are equal on at least `share` of the sets that both have.

    Returns both columns, on how many sets they are equal, and how many sets both have.
    """
    values, names = accuracies.to_numpy(), [str(name) for name in accuracies]
    pairs = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            both = int((~np.isnan(values[:, i]) & ~np.isnan(values[:, j])).sum())
            equal = int((values[:, i] == values[:, j]).sum())
            if both > len(values) // 2 and equal >= share * both:
                pairs.append((names[i], names[j], equal, both))
    return pairs


def published_digit(correct: int, total: int) -> float:
    """Return a share of rows in %, cut after one digit, as the columns of Weka are."""
    return 1000 * correct // total / 10


def rows_away(correct: int, total: int, published: float) -> int | None:
    """Return how many more rows (negative: fewer) would give the published digit, None if none."""
    tenths = round(10 * published)
    low, high = -(-tenths * total // 1000), -(-(tenths + 1) * total // 1000) - 1
    if low > high:
        return None
    return low - correct if correct < low else high - correct if correct > high else 0


def is_possible(published: float, total: int) -> bool:
    """Return whether any count of right rows in `total` gives the published digit, cut or not."""
    tenths = round(10 * published)
    near = {math.floor(tenths * total / 1000) + step for step in (-1, 0, 1, 2)}
    shares = [1000 * k / total for k in near if 0 <= k <= total]
    return any(math.floor(s + 1e-9) == tenths or abs(s - tenths) <= 0.5 + 1e-9 for s in shares)


WEKA_COUNTS = "weka_counts.csv"
COUNTS_RULE = (
    "Weka's own counts are from release 3.6.8, compiled from its source. Known before: the counts "
    "of this release, or equal ones of another, were looked at when the method was written. Made "
    "later: the method was not changed after the counts were seen."
)
_HEADER = ["method", "known before", "of these equal", "made later", "of these equal"]


class WekaCount(NamedTuple):
    """Weka's counts for a data set and a method."""

    correct: int  # Right test rows, and all
    total: int
    known: bool  # Whether the count was known when the method was written


def weka_counts(paper: Path) -> dict[tuple[str, str], WekaCount]:
    """Return the counts by the data set's name here, without prefix, and the method's published."""
    return {
        (row["dataset"], row["method"]): WekaCount(
            int(row["correct"]), int(row["total"]), row["known"] == "yes"
        )
        for row in read_rows(paper / WEKA_COUNTS)
    }


def counts_table(context: Context) -> Table:
    """Return how many counts of each method are Weka's, on sets known before and on others."""
    theirs = weka_counts(context.paper.folder)
    lines = []
    for method in context.item.methods:
        counts = {True: [0, 0], False: [0, 0]}
        for dataset in context.item.datasets:
            choice = context.best.get((dataset, method.key))
            count = theirs.get((dataset.removeprefix(PREFIX), method.name))
            if choice is None or choice.folds.empty or count is None:
                continue
            counts[count.known][0] += 1
            counts[count.known][1] += pooled(choice.folds) == (count.correct, count.total)
        lines.append([method.name, *(str(n) for before in (True, False) for n in counts[before])])
    return Table(_HEADER, lines, title="As many right test rows as Weka counts")
