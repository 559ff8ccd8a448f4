"""The published accuracies of 179 classifiers on 121 data sets, and what follows from them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd

ACCURACIES = "accuracies.csv.gz"
# The columns that are computed here.
COMPUTED = (
    "J48_weka",
    "AdaBoostM1_J48_weka",
    "Bagging_J48_weka",
    "DecisionStump_weka",
    "REPTree_weka",
    "OneR_weka",
)


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
    found = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            both = int((~np.isnan(values[:, i]) & ~np.isnan(values[:, j])).sum())
            equal = int((values[:, i] == values[:, j]).sum())
            if both > len(values) // 2 and equal >= share * both:
                found.append((names[i], names[j], equal, both))
    return found


def pooled(folds: pd.DataFrame) -> tuple[int, int]:
    """Return the right test rows of all folds, and all test rows."""
    correct = (folds["accuracy"] * folds["n_test"]).round().sum()
    return int(correct), int(folds["n_test"].sum())


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
    """Whether any number of right rows among `total` gives the published digit, cut or rounded."""
    tenths = round(10 * published)
    near = {math.floor(tenths * total / 1000) + step for step in (-1, 0, 1, 2)}
    shares = [1000 * k / total for k in near if 0 <= k <= total]
    return any(math.floor(s + 1e-9) == tenths or abs(s - tenths) <= 0.5 + 1e-9 for s in shares)
