"""Weighted k-means, k-modes, k-prototypes and clustering by the distributions of levels.

All four start from centres or labels, and in every round move each centre to the middle of its
rows and each row to its nearest centre, the first where distances tie. They end when no round
lowers the cost, the sum of the distances between rows and centres; a round that would raise it is
not made. Clusters that lose all rows are dropped. A missing value (NaN) adds nothing to any
distance; a row without a value in any column that has a weight is in no cluster (label -1). A
cluster without a value in a column has there the middle of all rows.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_scalar

from retree import engine
from retree.trees.node_tests import EUCLIDEAN, SQEUCLIDEAN
from retree.trees.validation import check_choice

METRICS = {"euclidean": EUCLIDEAN, "sqeuclidean": SQEUCLIDEAN}


class Clustering(NamedTuple):
    """Clusters of rows."""

    # Nearest centre of each row, -1 of a row without values; shape (n_samples,).
    labels: NDArray[np.int32]
    # Mean of a numeric column, most frequent level of a categorical one; without modes a
    # categorical column has the shares of all its levels in its place; shape (n_clusters,
    # n_features or n_slots).
    centres: NDArray[np.float64]
    cost: float  # Sum of the distances between the rows and their centres
    n_rounds: int  # Times that the centres were moved


def k_means(
    X: ArrayLike, init: ArrayLike, *, weights: ArrayLike | None = None, max_rounds: int = 100
) -> Clustering:
    """Cluster numeric rows by their weighted squared Euclidean distances.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers; NaN where missing.
    init : array-like of shape (n_clusters, n_features) or (n_samples,)
        Centres to start from, or whole numbers from 0 that label the clusters to start from.
    weights : array-like of shape (n_features,) or None, default=None
        Weights of the columns in the distance, not negative; None is 1 each.
    max_rounds : int, default=100
        Times that the centres are moved at most; with 0 rows are assigned only.

    Returns
    -------
    Clustering

    Raises
    ------
    ValueError
        If the data or a parameter is not as described.
    """
    numeric = np.full(np.shape(X)[1:], -1)
    return cluster(X, init, numeric, weights=weights, max_rounds=max_rounds)


def k_modes(
    X: ArrayLike, init: ArrayLike, *, weights: ArrayLike | None = None, max_rounds: int = 100
) -> Clustering:
    """Cluster categorical rows by the weights of the columns in which they differ (Huang 1998).

    Of levels that are equally frequent in a cluster, the first is its mode.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Level codes, whole numbers from 0; NaN where missing.
    init, weights, max_rounds
        As in `k_means`.

    Returns
    -------
    Clustering

    Raises
    ------
    ValueError
        If the data or a parameter is not as described.

    References
    ----------
    Huang Z. (1998). Extensions to the k-means algorithm for clustering large data sets with
    categorical values. Data Mining and Knowledge Discovery 2, 283-304.
    """
    rows = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    given = rows if np.ndim(init) == 1 else np.vstack([rows, check_array(init, dtype=np.float64)])
    n_levels = 1 + np.where(np.isnan(given), -1, given).max(axis=0)
    return cluster(X, init, n_levels, weights=weights, max_rounds=max_rounds)


def cluster(
    X: ArrayLike,
    init: ArrayLike,
    n_levels: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    gamma: float = 0.5,
    max_rounds: int = 100,
    metric: str = "sqeuclidean",
    modes: bool = True,
) -> Clustering:
    """Cluster rows of both kinds of columns by means, and by modes or the shares of the levels.

    The distance is ``gamma * N + (1 - gamma) * C``, N being that in the numeric columns and C the
    weight of the categorical ones in which row and centre differ (Liu & Song 2020, equation 8).
    Without categorical columns it is N, without numeric ones C. With modes these are the
    k-prototypes of Huang (1998). Without them a centre has the share of each level in its cluster,
    and a value differs from it by 1 minus its share (equations 10 to 14).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, and level codes, whole numbers from 0, in categorical columns; NaN where missing.
    init : array-like of shape (n_clusters, n_features or n_slots) or (n_samples,)
        As in `k_means`; a centre without modes has a number for each numeric column, and a share
        for each level of a categorical one.
    n_levels : array-like of shape (n_features,)
        Number of levels of each categorical column, -1 of a numeric one.
    weights, max_rounds
        As in `k_means`.
    gamma : float, default=0.5
        Part of the numeric columns in the distance, in [0, 1].
    metric : {"euclidean", "sqeuclidean"}, default="sqeuclidean"
        What N is: the weighted Euclidean distance, or its square as in Huang's k-prototypes.
    modes : bool, default=True
        Whether a centre has the mode of a categorical column, and not the shares of its levels.

    Returns
    -------
    Clustering

    Raises
    ------
    ValueError
        If the data or a parameter is not as described.
    """
    check_choice("metric", metric, METRICS)
    check_scalar(max_rounds, "max_rounds", Integral, min_val=0)
    check_scalar(gamma, "gamma", Real, min_val=0, max_val=1)
    rows = check_array(X, dtype=np.float64, order="F", ensure_all_finite="allow-nan")
    space = make_space(rows, n_levels, modes)
    part = gamma if len(set(space.nominal.tolist())) == 2 else not space.nominal[0]
    distance = (checked_weights(weights, rows.shape[1]), float(part), METRICS[metric])
    first, labels = first_positions(rows, init, space), np.empty(len(rows), np.int32)
    positions, cost, n_rounds = engine.call(
        "cluster", rows.T, first, *distance, *space, int(max_rounds), labels
    )
    centres = codes_of(positions, space) if modes else positions
    return Clustering(labels, centres, float(cost[0]), int(n_rounds[0]))


class Space(NamedTuple):
    """The slots of a centre: one for each numeric column and each level of a categorical one."""

    start: NDArray[np.int32]  # First slot of each column; shape (n_features + 1,)
    nominal: NDArray[np.bool_]  # Shape (n_features,)
    # Whether a centre has the mode of a categorical column, and not the shares of its levels.
    modes: bool


def make_space(rows: NDArray[np.float64], n_levels: ArrayLike, modes: bool) -> Space:
    """Return the slots of centres of `rows`, whose level codes are checked."""
    levels = np.asarray(n_levels).astype(np.int64)
    if levels.shape != (rows.shape[1],):
        raise ValueError(f"n_levels must be {rows.shape[1]} numbers, one a column.")
    _check_codes("X", rows, levels)
    start = np.concatenate(([0], np.cumsum(np.where(levels >= 0, levels, 1)))).astype(np.int32)
    return Space(start, levels >= 0, modes)


def _check_codes(name: str, rows: NDArray[np.float64], levels: NDArray[np.int64]) -> None:
    """Raise unless the known values of categorical columns are codes of their levels."""
    for j in np.flatnonzero(levels >= 0):
        codes = rows[~np.isnan(rows[:, j]), j]
        if ((codes < 0) | (codes >= levels[j]) | (codes % 1 != 0)).any():
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
