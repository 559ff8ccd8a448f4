"""What two contents of one data set have different, whatever the order of their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from retree_lab.datasets.canonical import cell_texts, sorted_sha256

SHOWN = 10
# Beyond so many comparisons of rows the contents are different samples, not different cells.
_MOST_PAIRS = 1_000_000

Rows = npt.NDArray[np.object_]


def relabelled(
    X: pd.DataFrame, y: pd.Series, reference: tuple[pd.DataFrame, pd.Series]
) -> pd.Series:
    """Return `y` with the labels of the reference, where only their spelling differs.

    Two labels are one class if the rows of both are equal as multisets.
    """
    if set(y) <= set(reference[1]):
        return y
    ours, theirs = _classes(*reference), _classes(X, y)
    spelling = {label: ours[rows] for rows, label in theirs.items() if rows in ours}
    if len(spelling) < y.nunique():
        return y
    return y.map(spelling).astype(str)


def find_difference(
    X: pd.DataFrame, y: pd.Series, reference: tuple[pd.DataFrame, pd.Series]
) -> list[str]:
    """Return how canonical content differs from the reference, whose rows count as numbered from 1.

    First comes half a sentence, then up to `SHOWN` differences; nothing if both have the same rows.
    Shapes: `X` (n_rows, n_features), `y` (n_rows,).
    """
    theirs, ours = _rows(X, y), _rows(*reference)
    lacking, surplus = _left_over(ours, theirs), _left_over(theirs, ours)
    if not len(lacking) and not len(surplus):
        return []
    names = [*map(str, reference[0].columns), "class"]
    columns: list[int] = []
    first = []
    pairs = _nearest(ours[lacking], theirs[surplus])
    for i, j in pairs:
        row, other = ours[lacking[i]], theirs[surplus[j]]
        for k in np.flatnonzero(row != other):
            columns.append(int(k))
            first.append(f"row {lacking[i] + 1}, {names[k]}: {other[k]!r} instead of {row[k]!r}")
    unmatched = np.delete(lacking, [i for i, _ in pairs])
    foreign = np.delete(surplus, [j for _, j in pairs])
    first += [f"row {i + 1} is not there: {', '.join(ours[i])}" for i in unmatched[:SHOWN]]
    first += [f"only there: {', '.join(theirs[j])}" for j in foreign[:SHOWN]]
    parts = [f"it lacks {len(unmatched)} of {len(ours)} rows"] if len(unmatched) else []
    parts += [f"it has {len(foreign)} other rows"] if len(foreign) else []
    if columns:
        what = "cell differs" if len(columns) == 1 else "cells differ"
        found = ", ".join(names[k] for k in sorted(set(columns)))
        parts.append(f"{len(columns)} {what} ({found})")
    return [", ".join(parts), *first[:SHOWN]]


def _classes(X: pd.DataFrame, y: pd.Series) -> dict[str, str]:
    """Return each label by the hash of its rows."""
    return {
        sorted_sha256(X[y == label], pd.Series("", index=y.index[y == label])): label
        for label in y.unique()
    }


def _rows(X: pd.DataFrame, y: pd.Series) -> Rows:
    return np.column_stack(cell_texts(X, y))


def _left_over(rows: Rows, others: Rows) -> npt.NDArray[np.intp]:
    """Return the positions of the rows that `others` does not have, or not as often."""
    available = Counter(map(tuple, others))
    left = []
    for i, row in enumerate(map(tuple, rows)):
        available[row] -= 1
        if available[row] < 0:
            left.append(i)
    return np.array(left, dtype=np.intp)


def _nearest(ours: Rows, theirs: Rows) -> Sequence[tuple[int, int]]:
    """Return pairs of rows that have most cells in common, each row in one pair at most."""
    if len(ours) * len(theirs) > _MOST_PAIRS:
        return []
    free = np.ones(len(theirs), dtype=bool)
    pairs = []
    for i, row in enumerate(ours):
        common = np.where(free, (theirs == row).sum(axis=1), -1)
        if len(common) and 2 * common.max() > ours.shape[1]:
            pairs.append((i, int(common.argmax())))
            free[common.argmax()] = False
    return pairs
