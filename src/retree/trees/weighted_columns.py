"""Training data in the form from which the engine grows C4.5 and CART trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.trees.mixed import Sample

_ROW_BITS = 32


@dataclass(frozen=True, eq=False)
class WeightedColumns:
    """Weighted rows, with numeric columns sorted once and categorical columns as codes.

    An entry of a numeric column packs ``value code | near | class | row`` into 64 bits. The codes
    number the distinct values in ascending order; a missing value has the highest possible code, so
    rows without a value come last. ``near``, if asked for, is the number of next values that are
    too close for a threshold of C4.5. Growing moves `entries`, so they serve only one tree;
    `take_rows` copies them for another.
    """

    # Numbers, or level codes in categorical columns; NaN where missing; shape (n_samples,
    # n_features).
    X: NDArray[np.float64]
    y: NDArray[np.int32]  # Class codes in ``range(n_classes)``; shape (n_samples,)
    weight: NDArray[np.float64]  # Positive for the rows that count; shape (n_samples,)
    # The rows that count, in the order in which sums run over them; shape (n_rows,).
    rows: NDArray[np.int32]
    # Numeric columns, each sorted by value; equal values in the order of `rows`; shape (n_numeric,
    # n_rows).
    entries: NDArray[np.uint64]
    # Level of each row in each categorical column, -1 where missing; shape (n_nominal, n_samples).
    codes: NDArray[np.int32]
    # Number of levels of a categorical column, -1 of a numeric one; shape (n_features,).
    n_levels: NDArray[np.int32]
    n_classes: int
    total: float  # Weight of the rows that count
    # How often each row counts where C4.5 asks for a number of rows; None: once; shape
    # (n_samples,).
    times: NDArray[np.int32] | None = None

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The first arguments of a growing function of the engine."""
        rows = self.rows.copy()  # growing moves them
        return (self.X, self.y, self.weight, rows, self.entries, self.codes, self.n_levels,
                self.n_classes, self.total)  # fmt: skip


def make_weighted_columns(
    sample: Sample,
    n_levels: NDArray[np.int32],
    n_classes: int,
    order: NDArray[np.integer[Any]] | None = None,
    n_threads: int = 1,
    *,
    counts_near: bool = False,
) -> WeightedColumns:
    """Sort and pack training data.

    Shapes: `n_levels` (n_features,), `order` (n_samples,).
    `n_levels`: number of levels of each categorical column, -1 for a numeric column.
    `order`: row numbers in the order in which rows are summed; None means the order of `sample`.
    `counts_near`: whether entries count the next values that are too close for a threshold of C4.5.
    """
    n_samples = len(sample.y)
    class_bits = max(1, (n_classes - 1).bit_length())
    if (n_samples + 1) << class_bits > 2**_ROW_BITS:
        raise ValueError(f"{n_samples} rows of {n_classes} classes are more than a tree can hold.")
    X, y = np.ascontiguousarray(sample.X), sample.y.astype(np.int32, copy=False)
    n_levels = n_levels.astype(np.int32, copy=False)
    rows = np.arange(n_samples, dtype=np.int32) if order is None else order.astype(np.int32)
    n_numeric = int((n_levels < 0).sum())
    entries = np.empty((n_numeric, len(rows)), np.uint64)
    codes = np.empty((len(n_levels) - n_numeric, n_samples), np.int32)
    how = (n_classes, counts_near, n_threads)
    engine.call("presort_columns", X, y, rows, n_levels, *how, entries, codes)
    total = sum_of(sample.weight[rows])
    return WeightedColumns(
        X, y, sample.weight, rows, entries, codes, n_levels, n_classes, total, sample.times
    )


def take_rows(
    columns: WeightedColumns, weight: NDArray[np.float64], times: NDArray[np.int32] | None = None
) -> WeightedColumns:
    """Return the columns of the rows with a positive weight, without sorting again.

    Shapes: `weight` (n_samples,), `times` (n_samples,).
    `weight`: the new weights of the rows; rows of weight 0 are left out.
    `times`: how often each row counts; None means once.
    Returns columns with their own entries; row numbers are still those in `columns`.
    """
    rows = columns.rows[weight[columns.rows] > 0]
    entries = np.empty((len(columns.entries), len(rows)), np.uint64)
    engine.call("take_entries", columns.entries, weight, entries)
    total = sum_of(weight[rows])
    return replace(columns, weight=weight, rows=rows, entries=entries, total=total, times=times)
