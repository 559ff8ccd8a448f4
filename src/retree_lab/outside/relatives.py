"""What an entry's relatives share with it: the learner with another option, or other folds.

A column may be of a learner that the index lacks: J48 with an option that nobody asked about, or
with another seed. On how many data sets such a relative gives other numbers is counted among the
relatives that are there.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

Shares = NDArray[np.float64]


def family(learner: str) -> str:
    """Return a learner's name without its options and release."""
    return re.split(r" -|, ", learner)[0]


def has_number(learner: str) -> bool:
    """Return whether a learner's name gives a number as an option, as in J48 -M 1."""
    return re.search(r" -[A-Z] [\d.]+$", learner) is not None


def alike(
    learners: tuple[str, ...], accuracy: Shares, unit: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return on each data set which share of an entry's relatives is written as the same number.

    `accuracy`: shape (n_datasets, n_learners, n_protocols). `unit`: of the last digit, as a share.

    Returns
    -------
    by_option, by_folds : arrays of the shape of `accuracy`
        Of the same family by the same protocol, and of the same learner by other protocols. A
        learner without a family has the second in both.
    """
    with np.errstate(invalid="ignore"):
        written = np.round(accuracy / unit)
    by_folds, _ = _smoothed(_pairs(written))
    by_option = by_folds.copy()
    names = np.array([family(name) for name in learners])
    for name in set(names):
        members = np.flatnonzero(names == name)
        if len(members) > 1:
            # Shape (n_datasets, n_protocols, n_members, n_members).
            same = _pairs(written[:, members].swapaxes(1, 2))
            # By a protocol that a relative lacks it is as alike as by the others.
            is_known = ~np.isnan(same)
            n = is_known.sum(axis=1, keepdims=True)
            usual = np.where(is_known, same, 0.0).sum(axis=1, keepdims=True) / np.maximum(n, 1)
            same = np.where(is_known, same, np.where(n > 0, usual, np.nan))
            shares, n_known = (each.swapaxes(1, 2) for each in _smoothed(same))
            by_option[:, members] = np.where(n_known > 0, shares, by_folds[:, members])
    return by_option, by_folds


def _pairs(written: Shares) -> Shares:
    """Return whether two entries along the last axis are equal; NaN if one is none, or the same."""
    a, b = written[..., :, None], written[..., None, :]
    same = np.where(np.isnan(a) | np.isnan(b), np.nan, a == b)
    at = np.arange(written.shape[-1])
    same[..., at, at] = np.nan
    return same


def _smoothed(same: Shares) -> tuple[Shares, NDArray[np.int64]]:
    """Return the share of what is equal along the last axis, and of how many.

    Half a case is added to either side.
    """
    is_known = ~np.isnan(same)
    n = is_known.sum(axis=-1)
    return (np.where(is_known, same, 0.0).sum(axis=-1) + 0.5) / (n + 1.0), n
