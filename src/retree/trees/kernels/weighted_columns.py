"""Training data of C4.5: weighted rows, numeric columns presorted, nominal columns as codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_BITS, ROW_MASK, sort_keys
from retree.trees.kernels.jit import jit

NEAR = 1e-5  # no threshold between values this close
_LARGEST_TABLE = 1 << 22


class WeightedColumns(NamedTuple):
    """The rows of a node and of everything below it.

    An entry of a numeric column packs ``value code | class | row`` into 64 bits. Codes number the
    distinct values of the whole training data in ascending order; a missing value has the code
    after the last, so the rows without a value stand at the end.
    """

    entries: np.ndarray  # (n_numeric, n_rows) uint64, each column sorted by value
    rows: np.ndarray  # (n_rows,) int32, the rows of the nodes in the order of the segments
    y: np.ndarray  # (n_samples,) int32 class codes
    weight: np.ndarray  # (n_samples,) float64
    numeric: np.ndarray  # (n_numeric,) int32 attribute of each numeric column, ascending
    nominal: np.ndarray  # (n_nominal,) int32 attribute of each nominal column, ascending
    values: np.ndarray  # float64, distinct values of all numeric columns, one after the other
    values_start: np.ndarray  # (n_numeric + 1,) int64
    has_near: np.ndarray  # (n_numeric,) bool, whether neighbouring values are closer than NEAR
    codes: np.ndarray  # (n_nominal, n_samples) int32 level, -1 where missing
    n_levels: np.ndarray  # (n_nominal,) int32
    table: np.ndarray  # x * log2(x) of 0, 1, ..., empty unless all weights are whole
    total: float  # weight of all training rows
    n_classes: int
    class_bits: int


@jit
def presort_with_missing(X, y, numeric, class_bits):
    """Return the packed entries of the numeric columns and their distinct values."""
    n = X.shape[0]
    entries = np.empty((len(numeric), n), np.uint64)
    start = np.zeros(len(numeric) + 1, np.int64)
    parts = [np.empty(0, np.float64) for _ in range(len(numeric))]
    keys, keys_out = np.empty(n, np.uint64), np.empty(n, np.uint64)
    order, order_out = np.empty(n, np.int32), np.empty(n, np.int32)
    shift = np.uint64(ROW_BITS + class_bits)
    for j in range(len(numeric)):
        column = X[:, numeric[j]]
        sorted_keys, rows = sort_keys(column, keys, order, keys_out, order_out)
        distinct = np.empty(n, np.float64)
        code = -1
        for i in range(n):
            value = column[rows[i]]
            if i == 0 or sorted_keys[i] != sorted_keys[i - 1]:
                code += 1
                distinct[code] = value
            label = np.uint64(y[rows[i]]) << np.uint64(ROW_BITS)
            entries[j, i] = (np.uint64(code) << shift) | label | np.uint64(rows[i])
        n_values = code + 1
        if n_values > 0 and np.isnan(distinct[code]):
            n_values -= 1
        parts[j] = distinct[:n_values].copy()
        start[j + 1] = start[j] + n_values
    values = np.empty(start[-1], np.float64)
    for j in range(len(numeric)):
        values[start[j] : start[j + 1]] = parts[j]
    return entries, values, start


@jit
def find_near(values, start):
    """Return for each column whether neighbouring values are closer than `NEAR`."""
    near = np.zeros(len(start) - 1, np.bool_)
    for j in range(len(near)):
        for i in range(start[j] + 1, start[j + 1]):
            near[j] |= not values[i - 1] + NEAR < values[i]
    return near


@jit
def _keep_rows(columns, new_number, n_kept):
    """Return the packed entries of some rows, with codes of their own values, and these values."""
    n_columns, n = columns.entries.shape[0], 0
    entries = np.empty((n_columns, n_kept), np.uint64)
    values, start = np.empty(len(columns.values)), np.zeros(n_columns + 1, np.int64)
    shift = np.uint64(ROW_BITS + columns.class_bits)
    label_mask = (np.uint64(1) << shift) - np.uint64(1) - ROW_MASK
    for j in range(n_columns):
        all_values = columns.values[columns.values_start[j] : columns.values_start[j + 1]]
        place, code, last = 0, -1, -1
        for entry in columns.entries[j]:
            row = new_number[entry & ROW_MASK]
            if row < 0:
                continue
            old = np.int64(entry >> shift)
            if old != last:
                last = old
                code += 1
                if old < len(all_values):
                    values[n] = all_values[old]
                    n += 1
            entries[j, place] = (np.uint64(code) << shift) | (entry & label_mask) | np.uint64(row)
            place += 1
        start[j + 1] = n
    return entries, values[:n].copy(), start


def take_rows(columns: WeightedColumns, weight: np.ndarray) -> WeightedColumns:
    """Return the columns of the rows with a positive weight, without sorting anew.

    Parameters
    ----------
    columns : WeightedColumns
        As from `make_weighted_columns`, of all rows.
    weight : ndarray of shape (n_samples,), float64
        Their weights from now on; rows of weight 0 are left out.

    Returns
    -------
    WeightedColumns
        What `make_weighted_columns` returns for the other rows.
    """
    kept = weight > 0
    n_kept = int(kept.sum())
    new_number = np.where(kept, np.cumsum(kept) - 1, -1)
    entries, values, start = _keep_rows(columns, new_number, n_kept)
    return columns._replace(
        entries=entries,
        rows=np.arange(n_kept, dtype=np.int32),
        y=columns.y[kept],
        weight=weight[kept],
        values=values,
        values_start=start,
        has_near=find_near(values, start),
        codes=np.ascontiguousarray(columns.codes[:, kept]),
        table=_log_table(weight[kept]),
        total=float(weight[kept].sum()),
    )


def _log_table(weight: np.ndarray) -> np.ndarray:
    """Return x * log2(x) up to the sum of weights that are whole numbers, else nothing."""
    total = weight.sum()
    if total > _LARGEST_TABLE or (weight != np.floor(weight)).any():
        return np.empty(0)
    x = np.arange(int(total) + 1, dtype=np.float64)
    x[2:] *= np.log2(x[2:])
    x[:2] = 0.0
    return x


def make_weighted_columns(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, n_levels: np.ndarray, n_classes: int
) -> WeightedColumns:
    """Lay out training data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Numbers, or level codes in nominal columns; NaN where missing.
    y : ndarray of shape (n_samples,), int32
        Class codes in ``range(n_classes)``.
    weight : ndarray of shape (n_samples,), float64
        Positive.
    n_levels : ndarray of shape (n_features,), int32
        Number of levels of a nominal column, -1 of a numeric one.
    n_classes : int
        Number of classes.

    Returns
    -------
    WeightedColumns
    """
    n_samples = X.shape[0]
    class_bits = max(1, (n_classes - 1).bit_length())
    if (n_samples + 1) << class_bits > 2**ROW_BITS:
        raise ValueError(f"{n_samples} rows of {n_classes} classes are more than a tree can hold.")
    # NaNs of either sign would sort to different ends.
    X = np.where(np.isnan(X), np.nan, X)
    numeric = np.flatnonzero(n_levels < 0).astype(np.int32)
    nominal = np.flatnonzero(n_levels >= 0).astype(np.int32)
    entries, values, start = presort_with_missing(X, y, numeric, class_bits)
    codes = np.nan_to_num(X[:, nominal], nan=-1.0).T
    return WeightedColumns(
        entries=entries,
        rows=np.arange(n_samples, dtype=np.int32),
        y=y.astype(np.int32),
        weight=weight.copy(),
        numeric=numeric,
        nominal=nominal,
        values=values,
        values_start=start,
        has_near=find_near(values, start),
        codes=np.ascontiguousarray(codes, dtype=np.int32),
        n_levels=n_levels[nominal].astype(np.int32),
        table=_log_table(weight),
        total=float(weight.sum()),
        n_classes=n_classes,
        class_bits=class_bits,
    )
