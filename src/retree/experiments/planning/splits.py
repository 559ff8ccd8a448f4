"""Which rows a cell trains on and which it is scored on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from retree.experiments.definition.definitions import Protocol
from retree.experiments.planning.weka_folds import weka_fold

Rows = NDArray[np.intp]
OUTER = -1


def split_rows(
    protocol: Protocol, y: NDArray[Any], repeat: int, fold: int, inner: int = OUTER
) -> tuple[Rows, Rows]:
    """Return the training and the test rows of one cell: ascending, or in Weka's order.

    Parameters
    ----------
    protocol : Protocol
        With one fold, all rows are both training and test rows, unless there is a test file.
    y : ndarray of shape (n_samples,)
        Class codes; numbers are not stratified.
    repeat, fold : int
        Repeat `r` shuffles with the seed ``protocol.seed + r``.
    inner : int
        ``OUTER`` (-1), or the inner fold: the outer training rows are split once more, by
        ``protocol.inner_folds`` and otherwise in the same way.

    Raises
    ------
    ValueError
        If there are fewer rows, or fewer rows of every class, than folds, or the protocol asks for
        a test file of a data set that has none.
    """
    everything = np.arange(len(y))
    if protocol.whole:
        return everything, everything
    if protocol.folds == 1:
        return _test_file(everything, int(protocol.test_file))
    train, test = _fold(protocol, y, protocol.folds, repeat, fold)
    if inner == OUTER:
        return train, test
    inner_train, inner_test = _fold(protocol, y[train], protocol.inner_folds, repeat, inner)
    return train[inner_train], train[inner_test]


def _test_file(rows: Rows, test_rows: int) -> tuple[Rows, Rows]:
    if not 0 < test_rows < len(rows):
        raise ValueError("the data set has no test file")
    return rows[:-test_rows], rows[-test_rows:]


def _fold(
    protocol: Protocol, y: NDArray[Any], folds: int, repeat: int, fold: int
) -> tuple[Rows, Rows]:
    seed = protocol.seed + repeat if protocol.shuffle else None
    stratified = protocol.stratified and y.dtype.kind != "f"
    if protocol.splitter == "weka":
        return weka_fold(y, folds, fold, protocol.seed + repeat, stratified)
    kind = StratifiedKFold if stratified else KFold
    splitter = kind(folds, shuffle=protocol.shuffle, random_state=seed)
    with warnings.catch_warnings():
        # A class of fewer rows than folds is in some test folds only, which is what is wanted.
        warnings.filterwarnings("ignore", "The least populated class in y")
        return list(splitter.split(np.zeros(len(y)), y))[fold]
