"""Columns of numbers that stand for categorical ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from retree.trees.categories import Levels

ONE_HOT, ORDINAL = "one_hot", "ordinal"


def code_columns(
    rows: NDArray[np.float64], levels: Sequence[Levels], coding: str
) -> NDArray[np.float64]:
    """Return the columns of numbers that stand for rows with level codes.

    Shapes: `rows` (n_samples, n_features).
    `rows`: numbers, and level codes in categorical columns; NaN where missing.
    `coding`: a column of 0 and 1 for each level, or the position of the level.
    """
    if coding == ORDINAL:
        return rows
    columns = []
    for column, own in zip(rows.T, levels, strict=True):
        columns += [column] if own is None else [column == c for c in range(len(own))]
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)


def coded_columns(levels: Sequence[Levels], coding: str) -> list[tuple[int, int | None]]:
    """Return the column that each coded one stands for, and the level of a one-hot one."""
    return [
        (j, level)
        for j, own in enumerate(levels)
        for level in ([None] if own is None or coding == ORDINAL else range(len(own)))
    ]


def coded_names(names: Sequence[str], levels: Sequence[Levels], coding: str) -> list[str]:
    """Return the names of the coded columns; a one-hot one is called ``column = level``."""
    found = []
    for j, level in coded_columns(levels, coding):
        own = levels[j]
        found.append(names[j] if own is None or level is None else f"{names[j]} = {own[level]}")
    return found
