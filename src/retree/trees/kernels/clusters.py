"""Kernels that cluster rows with numeric and nominal columns about weighted centres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.centres import MANHATTAN
from retree.trees.kernels.centres import combine
from retree.trees.kernels.jit import jit

_TIE = 1e-12  # part of a cost by which it must fall


class Space(NamedTuple):
    """What a centre and a distance are; fields as those of `Centres` if not said otherwise."""

    weight: np.ndarray  # (n_features,) float64
    gamma: float
    metric: int
    start: np.ndarray  # (n_features + 1,) int32
    nominal: np.ndarray  # (n_features,) bool
    modes: bool  # whether a centre has the mode of a nominal column, and not the shares


@jit
def distance(row, position, space):
    """Return the distance between a row and a centre; missing values add 0."""
    numeric, nominal = 0.0, 0.0
    for j in range(len(row)):
        weight = space.weight[j]
        if weight == 0.0 or np.isnan(row[j]):
            continue
        slot = space.start[j]
        if space.nominal[j]:
            nominal += weight * (1.0 - position[slot + int(row[j])])
            continue
        difference = row[j] - position[slot]
        if space.metric == MANHATTAN:
            numeric += weight * abs(difference)
        else:
            numeric += weight * (difference * difference)
    return combine(numeric, nominal, space.gamma, space.metric)


@jit
def has_values(row, weight):
    """Whether a value that has a weight is known."""
    known = False
    for j in range(len(row)):
        known = known or (weight[j] != 0.0 and not np.isnan(row[j]))
    return known


@jit
def assign(rows, positions, space, labels):
    """Give each row the label of the nearest centre, the first where distances tie.

    Rows without any value that has a weight get -1.

    Returns
    -------
    float
        Sum of the distances between the rows and their centres.
    """
    cost = 0.0
    for i in range(len(rows)):
        best, nearest = np.inf, -1
        if has_values(rows[i], space.weight):
            for c in range(len(positions)):
                d = distance(rows[i], positions[c], space)
                if d < best:
                    best, nearest = d, c
            cost += best
        labels[i] = nearest
    return cost


@jit
def _count_values(rows, labels, n_clusters, space, sums, sizes):
    """Set `sums` to the sums or level counts of each slot, `sizes` to the known values."""
    for i in range(len(rows)):
        c = labels[i]
        if c < 0:
            continue
        for j in range(rows.shape[1]):
            value = rows[i, j]
            if np.isnan(value):
                continue
            sizes[c, j] += 1
            if space.nominal[j]:
                sums[c, space.start[j] + int(value)] += 1.0
            else:
                sums[c, space.start[j]] += value


@jit
def _to_centre(sums, size, is_mode):
    """Turn the sums of a column's slots into a centre, in place."""
    if not is_mode:
        sums /= size
        return
    mode = np.argmax(sums)
    sums[:] = 0.0
    sums[mode] = 1.0


@jit
def find_centres(rows, labels, n_clusters, space):
    """Return the centres of the clusters, shape (n_clusters, n_slots).

    Of levels that are equally frequent the first is the mode. A cluster without a known value in a
    column has there the centre of all rows, and zeros if there is no known value at all.
    """
    n_features = rows.shape[1]
    sums = np.zeros((n_clusters + 1, space.start[n_features]))
    sizes = np.zeros((n_clusters + 1, n_features), np.int64)
    _count_values(rows, labels, n_clusters, space, sums, sizes)
    for j in range(n_features):
        first, last = space.start[j], space.start[j + 1]
        for c in range(n_clusters):
            sums[n_clusters, first:last] += sums[c, first:last]
            sizes[n_clusters, j] += sizes[c, j]
        if sizes[n_clusters, j] == 0:
            continue
        for c in range(n_clusters + 1):
            if sizes[c, j] > 0:
                _to_centre(sums[c, first:last], sizes[c, j], space.modes and space.nominal[j])
        for c in range(n_clusters):
            if sizes[c, j] == 0:
                sums[c, first:last] = sums[n_clusters, first:last]
    return sums[:n_clusters]


@jit
def drop_empty(labels, positions):
    """Renumber `labels` without the clusters that have no rows; return the others' centres."""
    n_clusters = len(positions)
    used = np.zeros(n_clusters, np.bool_)
    for label in labels:
        if label >= 0:
            used[label] = True
    number = np.cumsum(used) - 1
    for i in range(len(labels)):
        if labels[i] >= 0:
            labels[i] = number[labels[i]]
    return positions[used]


@jit
def cluster(rows, positions, space, max_rounds, must_fall, labels):
    """Move centres to the middle of the rows nearest to them, until no label changes.

    Clusters that lose all rows are dropped.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
    positions : ndarray of shape (n_clusters, n_slots)
        Where the centres start.
    space : Space
    max_rounds : int
        Times that the centres are moved at most.
    must_fall : bool
        Whether a round that does not lower the cost is taken back and is the last. Means and shares
        are not what makes every distance least, so that a round may raise the cost.
    labels : ndarray of shape (n_samples,)
        Is set to the nearest of the returned centres.

    Returns
    -------
    positions : ndarray of shape (n_left, n_slots)
    cost : float
        Sum of the distances between the rows and their centres.
    n_rounds : int
        Times that the centres were moved.
    """
    cost = assign(rows, positions, space, labels)
    positions = drop_empty(labels, positions)
    moved_labels = np.empty(len(labels), np.int32)
    n_rounds, stays = 0, False
    while n_rounds < max_rounds and not stays:
        moved = find_centres(rows, labels, len(positions), space)
        moved_cost = assign(rows, moved, space, moved_labels)
        if must_fall and moved_cost >= cost * (1.0 - _TIE):
            break
        n_rounds += 1
        stays = (moved_labels == labels).all()
        cost = moved_cost
        positions = drop_empty(moved_labels, moved)
        labels[:] = moved_labels
    return positions, cost, n_rounds
