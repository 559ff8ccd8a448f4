"""Which rows a cell trains on and which it is scored on."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from retree.weka_folds import openml_fold, weka_fold
from retree_lab.experiments.definition.protocol import (
    FILE,
    GROUPS,
    K_FOLD,
    OPENML,
    TIME,
    WEKA,
    Protocol,
)

Rows = NDArray[np.intp]
# In the place of an inner fold: the cell is an outer one, or trains and is scored on all rows.
OUTER, ALL_ROWS = -1, -2


def split_rows(
    protocol: Protocol,
    y: NDArray[Any],
    repeat: int,
    fold: int,
    inner: int = OUTER,
    groups: NDArray[Any] | None = None,
) -> tuple[Rows, Rows]:
    """Return the training and the test rows of one cell: ascending, or in Weka's order.

    Shapes: `y` (n_samples,), `groups` (n_samples,).
    `protocol`: with one fold, all rows are both training and test rows, unless there is a test
    file.
    `y`: class codes; numbers are not stratified.
    `inner`: ``OUTER`` (-1); ``ALL_ROWS`` (-2), which are then training and test rows; or the inner
    fold: the outer training rows are split once more, by ``protocol.inner_folds`` and otherwise in
    the same way. Of a study's own split by stratified folds, groups of rows together and rows in
    time in their order.
    `groups`: which group each row is of, for splits that keep groups together.
    """
    everything = np.arange(len(y))
    if protocol.whole or inner == ALL_ROWS:
        return everything, everything
    if protocol.is_own:
        seed = repeat if protocol.splitter == FILE else protocol.seed + repeat
        train, test = protocol.own_rows(y, groups, protocol.folds, fold, seed)
        protocol = _inside(protocol)
    elif protocol.folds == 1:
        train, test = _test_file(everything, int(protocol.test_file))
    else:
        train, test = _fold(protocol, y, protocol.folds, repeat, fold)
    if inner == OUTER:
        return train, test
    if protocol.is_own:
        train_groups, seed = None if groups is None else groups[train], protocol.seed + repeat
        rows = protocol.own_rows(y[train], train_groups, protocol.inner_folds, inner, seed)
        return train[rows[0]], train[rows[1]]
    inner_train, inner_test = _fold(protocol, y[train], protocol.inner_folds, repeat, inner)
    return train[inner_train], train[inner_test]


def inner_words(inner: int) -> str:
    """Return the place of a cell inside its fold, as it is said after repeat and fold."""
    return {OUTER: "", ALL_ROWS: ", all rows"}.get(inner, f", inner fold {inner}")


def _inside(protocol: Protocol) -> Protocol:
    """Return how a study's own split divides its training rows."""
    if protocol.splitter in (GROUPS, TIME):
        return protocol
    return replace(protocol, splitter=K_FOLD, stratified=True, shuffle=True)


def _test_file(rows: Rows, test_rows: int) -> tuple[Rows, Rows]:
    if not 0 < test_rows < len(rows):
        raise ValueError("the data set has no test file")
    return rows[:-test_rows], rows[-test_rows:]


def _fold(
    protocol: Protocol, y: NDArray[Any], folds: int, repeat: int, fold: int
) -> tuple[Rows, Rows]:
    seed = protocol.seed + repeat if protocol.shuffle else None
    stratified = protocol.stratified and y.dtype.kind != "f"
    if protocol.splitter == WEKA:
        return weka_fold(y, folds, fold, protocol.seed + repeat, stratified)
    if protocol.splitter == OPENML:
        return openml_fold(y, folds, repeat, fold, protocol.seed, stratified)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int64).tobytes() if stratified else None
    return _shuffled_folds(codes, len(y), folds, protocol.shuffle, seed)[fold]


@lru_cache(maxsize=8)
def _shuffled_folds(
    codes: bytes | None, n_rows: int, folds: int, shuffle: bool, seed: int | None
) -> list[tuple[Rows, Rows]]:
    """Return all folds of a cross-validation; many methods ask for them one by one."""
    kind = KFold if codes is None else StratifiedKFold
    splitter = kind(folds, shuffle=shuffle, random_state=seed)
    y = np.zeros(n_rows) if codes is None else np.frombuffer(codes, np.int64)
    with warnings.catch_warnings():
        # A class of fewer rows than folds is in some test folds only, which is what is wanted.
        warnings.filterwarnings("ignore", "The least populated class in y")
        return list(splitter.split(np.zeros(n_rows), y))
