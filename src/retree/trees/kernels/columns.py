"""Training data laid out for growing: many-valued columns presorted, two-valued columns as bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit

ROW_BITS = 32
ROW_MASK = np.uint64(2**ROW_BITS - 1)
_DIGIT_BITS = 11
_N_DIGITS = 6


class Columns(NamedTuple):
    """The training rows as the growing kernels see them.

    A *wide* column has more than two values, a *pair* column exactly two; constant columns are
    left out. An entry of a wide column packs ``value code | class | row`` into 64 bits, so that a
    scan in sorted order reads memory straight ahead and a partition moves one word a row.
    """

    entries: np.ndarray  # (n_wide, n_samples) uint64, each column sorted by value
    rows: np.ndarray  # (n_samples,) int32, the rows of the nodes in the order of the segments
    y: np.ndarray  # (n_samples,) int32 class codes
    wide: np.ndarray  # (n_wide,) int32 attribute of each wide column, ascending
    pair: np.ndarray  # (n_pair,) int32 attribute of each pair column, ascending
    bits: np.ndarray  # (n_samples, n_pair) uint8, 1 where the pair column has its larger value
    set_start: np.ndarray  # (n_samples + 1,) int64, row i has the set bits
    set_pairs: np.ndarray  # set_pairs[set_start[i] : set_start[i + 1]], int32, ascending
    scaled: np.ndarray  # (n_samples, n_wide) float64 in [0, 1]; no rows if distances are not needed
    n_classes: int
    class_bits: int


@jit
def _is_wide(column):
    """Return the number of distinct values of `column`, but at most 3."""
    first = column[0]
    second = first
    found = 1
    for value in column:
        if value != first and value != second:
            if found == 2:
                return 3
            second = value
            found = 2
    return found


@jit
def count_values(X):
    """Return for each column of `X` the number of its distinct values, capped at 3."""
    counts = np.empty(X.shape[1], np.int64)
    for j in range(X.shape[1]):
        counts[j] = _is_wide(X[:, j])
    return counts


@jit
def sort_keys(column, keys, order, keys_out, order_out):
    """Radix-sort `column` (finite float64); return the sorted 64-bit keys and their rows."""
    n = len(column)
    digits = np.zeros((_N_DIGITS, 1 << _DIGIT_BITS), np.int64)
    mask = np.uint64((1 << _DIGIT_BITS) - 1)
    sign = np.uint64(1) << np.uint64(63)
    floats = np.empty(1, np.float64)
    integers = floats.view(np.uint64)
    for i in range(n):
        floats[0] = column[i] + 0.0  # makes -0.0 equal to 0.0
        bits = integers[0]
        key = ~bits if bits & sign else bits | sign
        keys[i] = key
        order[i] = i
        for d in range(_N_DIGITS):
            digits[d, (key >> np.uint64(d * _DIGIT_BITS)) & mask] += 1
    for d in range(_N_DIGITS):
        count = digits[d]
        shift = np.uint64(d * _DIGIT_BITS)
        if count[(keys[0] >> shift) & mask] == n:
            continue
        position = 0
        for v in range(len(count)):
            position, count[v] = position + count[v], position
        for i in range(n):
            digit = (keys[i] >> shift) & mask
            keys_out[count[digit]] = keys[i]
            order_out[count[digit]] = order[i]
            count[digit] += 1
        keys, keys_out = keys_out, keys
        order, order_out = order_out, order
    return keys, order


@jit
def presort(X, y, wide, class_bits):
    """Return the packed, sorted entries of the wide columns, shape (n_wide, n_samples)."""
    n = X.shape[0]
    entries = np.empty((len(wide), n), np.uint64)
    keys, keys_out = np.empty(n, np.uint64), np.empty(n, np.uint64)
    order, order_out = np.empty(n, np.int32), np.empty(n, np.int32)
    code_shift = np.uint64(ROW_BITS + class_bits)
    for j in range(len(wide)):
        values, rows = sort_keys(X[:, wide[j]], keys, order, keys_out, order_out)
        code = np.uint64(0)
        for i in range(n):
            if i > 0 and values[i] != values[i - 1]:
                code += np.uint64(1)
            label = np.uint64(y[rows[i]]) << np.uint64(ROW_BITS)
            entries[j, i] = (code << code_shift) | label | np.uint64(rows[i])
    return entries


@jit
def scale_columns(X, wide):
    """Return the wide columns of `X` scaled to [0, 1], shape (n_samples, n_wide)."""
    scaled = np.empty((X.shape[0], len(wide)))
    for j in range(len(wide)):
        column = X[:, wide[j]]
        # Halved, so that the range of values near the largest float stays finite.
        low, high = column.min() * 0.5, column.max() * 0.5
        for i in range(X.shape[0]):
            scaled[i, j] = (column[i] * 0.5 - low) / (high - low)
    return scaled


@jit
def pair_bits(X, pair):
    """Return 1 where a pair column has the larger of its two values, shape (n_samples, n_pair)."""
    bits = np.empty((X.shape[0], len(pair)), np.uint8)
    for j in range(len(pair)):
        low = X[:, pair[j]].min()
        for i in range(X.shape[0]):
            bits[i, j] = X[i, pair[j]] != low
    return bits


@jit
def list_set_bits(bits):
    """Return, as row pointers and pair columns, which bits of each row are set.

    Sums over a node's rows then cost a step a set bit: in one-hot data few of them are.
    """
    start = np.zeros(bits.shape[0] + 1, np.int64)
    for i in range(bits.shape[0]):
        start[i + 1] = start[i] + bits[i].sum()
    pairs = np.empty(start[-1], np.int32)
    place = 0
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if bits[i, j]:
                pairs[place] = j
                place += 1
    return start, pairs


def make_columns(X: np.ndarray, y: np.ndarray, n_classes: int, *, distances: bool) -> Columns:
    """Lay out `X`, shape (n_samples, n_features), finite float64, and class codes `y`.

    Parameters
    ----------
    X, y : ndarray
        Training rows and their class codes in ``range(n_classes)``.
    n_classes : int
        Number of classes.
    distances : bool
        Whether the criterion measures distances, so that scaled values are needed.

    Returns
    -------
    Columns
    """
    n_samples = X.shape[0]
    class_bits = max(1, (n_classes - 1).bit_length())
    if n_samples << class_bits > 2**ROW_BITS:
        raise ValueError(f"{n_samples} rows of {n_classes} classes are more than a tree can hold.")
    values = count_values(X)
    wide = np.flatnonzero(values == 3).astype(np.int32)
    pair = np.flatnonzero(values == 2).astype(np.int32)
    bits = pair_bits(X, pair)
    set_start, set_pairs = list_set_bits(bits)
    return Columns(
        entries=presort(X, y, wide, class_bits),
        rows=np.arange(n_samples, dtype=np.int32),
        y=y.astype(np.int32),
        wide=wide,
        pair=pair,
        bits=bits,
        set_start=set_start,
        set_pairs=set_pairs,
        scaled=scale_columns(X, wide) if distances else np.empty((0, len(wide))),
        n_classes=n_classes,
        class_bits=class_bits,
    )
