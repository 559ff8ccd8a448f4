"""Stratified folds and held-out rows."""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from retree.trees.mixed import Sample
from retree.trees.pruning.losses import is_regression


def deal_folds(sample: Sample, n_folds: int, rng: RandomState) -> NDArray[np.int64]:
    """Return the fold of each row: the shuffled rows, class by class, are dealt out in turn.

    So folds, and the rows of a class in them, differ in number by one at most; a class of fewer
    rows than folds is in some folds only.

    Shapes: result (n_samples,).
    `sample`: a class in `y` is a stratum; the rows of a regression are one stratum.
    """
    fold = np.empty(len(sample.y), np.int64)
    fold[_by_stratum(sample, rng)] = np.arange(len(fold)) % n_folds
    return fold


def hold_out(sample: Sample, fraction: float, rng: RandomState) -> NDArray[np.bool_]:
    """Return a mask of about `fraction` of the rows, taken evenly from the classes.

    Shapes: result (n_samples,).
    `fraction`: in (0, 1). At least one row is held out and at least one is not.
    """
    n_rows = len(sample.y)
    if n_rows < 2:
        raise ValueError(f"Rows cannot be held out for pruning of n_samples={n_rows}; give more.")
    n_held = min(max(round(fraction * n_rows), 1), n_rows - 1)
    places = (np.arange(n_held) + 0.5) * (n_rows / n_held)
    mask = np.zeros(n_rows, np.bool_)
    mask[_by_stratum(sample, rng)[places.astype(np.int64)]] = True
    return mask


def _by_stratum(sample: Sample, rng: RandomState) -> NDArray[np.int64]:
    """Return the row numbers, shuffled within each class and sorted by class."""
    rows: NDArray[np.int64] = rng.permutation(len(sample.y))
    if is_regression(sample):
        return rows
    return rows[np.argsort(sample.y[rows], kind="stable")]
