"""The centres of clusters as slots of numbers: checks, first positions, and the way back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from retree import engine


class Space(NamedTuple):
    """The slots of a centre: one for each numeric column and each level of a categorical one."""

    start: NDArray[np.int32]  # First slot of each column; shape (n_features + 1,)
    nominal: NDArray[np.bool_]  # Shape (n_features,)
    # Whether a centre has the mode of a categorical column, and not the shares of its levels.
    modes: bool


def checked_levels(n_levels: ArrayLike, rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of levels of each column, -1 of a numeric one."""
    levels = np.asarray(n_levels).astype(np.int64)
    if levels.shape != (rows.shape[1],):
        raise ValueError(f"n_levels must be {rows.shape[1]} numbers, one a column.")
    _check_codes("X", rows, levels)
    return levels


def _check_codes(name: str, rows: NDArray[np.float64], levels: NDArray[np.int64]) -> None:
    """Raise unless the known values of categorical columns are codes of their levels."""
    for j in np.flatnonzero(levels >= 0):
        known = rows[~np.isnan(rows[:, j]), j]
        if ((known < 0) | (known >= levels[j]) | (known % 1 != 0)).any():
            raise ValueError(
                f"Nominal column {j} of {name} must hold whole numbers from 0 to {levels[j] - 1}."
            )


def checked_weights(weights: ArrayLike | None, n_features: int) -> NDArray[np.float64]:
    """Return the weights of the columns."""
    if weights is None:
        return np.ones(n_features)
    weight: NDArray[np.float64] = check_array(weights, ensure_2d=False, dtype=np.float64)
    if weight.shape != (n_features,) or (weight < 0).any():
        raise ValueError(f"weights must be {n_features} numbers that are not negative.")
    return weight


def first_positions(
    rows: NDArray[np.float64], init: ArrayLike, space: Space
) -> NDArray[np.float64]:
    """Return the centres to start from; the rows are in column-major order."""
    if np.ndim(init) == 1:
        labels = np.asarray(init)
        if labels.shape != (len(rows),) or labels.dtype.kind not in "iu" or labels.max() < 0:
            raise ValueError(f"init must be {len(rows)} labels, whole numbers from 0, or centres.")
        present = np.unique(labels[labels >= 0])
        labels = np.where(labels >= 0, np.searchsorted(present, labels), -1)
        positions = np.empty((len(present), space.start[-1]))
        engine.call("find_centres", rows.T, labels.astype(np.int32), *space, positions)
        return positions
    centres = check_array(init, dtype=np.float64, order="C", input_name="init")
    expected = rows.shape[1] if space.modes else int(space.start[-1])
    if centres.shape[1] != expected:
        raise ValueError(f"init has {centres.shape[1]} columns; a centre has {expected} here.")
    if not space.modes:
        return centres
    _check_codes("init", centres, np.where(space.nominal, np.diff(space.start), -1))
    return _one_hot(centres, space)


def _one_hot(centres: NDArray[np.float64], space: Space) -> NDArray[np.float64]:
    """Return the slots of centres whose categorical columns have level codes."""
    positions = np.zeros((len(centres), space.start[-1]))
    for j in range(centres.shape[1]):
        slot: Any = space.start[j]
        if space.nominal[j]:
            slot = slot + centres[:, j].astype(np.int64)
            positions[np.arange(len(centres)), slot] = 1.0
        else:
            positions[:, slot] = centres[:, j]
    return positions


def codes_of(positions: NDArray[np.float64], space: Space) -> NDArray[np.float64]:
    """Return centres with level codes in categorical columns; the inverse of `_one_hot`.

    A column without any value has NaN.
    """
    centres = np.empty((len(positions), len(space.nominal)))
    for j, is_nominal in enumerate(space.nominal):
        slots = positions[:, space.start[j] : space.start[j + 1]]
        if not is_nominal:
            centres[:, j] = slots[:, 0]
        elif slots.any():
            centres[:, j] = slots.argmax(axis=1)
        else:
            centres[:, j] = np.nan
    return centres
