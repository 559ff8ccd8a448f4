"""Kernels for tests that send a row to the nearest of several centres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit

MANHATTAN, EUCLIDEAN, SQEUCLIDEAN = 0, 1, 2


class Centres(NamedTuple):
    """Centres of clusters of rows with numeric and nominal columns, those of each node in a run.

    A centre has a slot for each numeric column, with a mean on the column's scale, and a slot for
    each level of a nominal column, with the level's share of the cluster (or 1 for its mode, 0 for
    others).
    """

    weight: np.ndarray  # (node_count, n_features) float64, of each column in the distance, or 0
    gamma: np.ndarray  # (node_count,) float64, part of the numeric columns in the distance
    metric: np.ndarray  # (node_count,) int8, how numeric columns are combined, a code from above
    first: np.ndarray  # (node_count,) int32, row of `position` with the node's first centre
    n_centres: np.ndarray  # (node_count,) int32
    position: np.ndarray  # (n_centres, n_slots) float64
    start: np.ndarray  # (n_features + 1,) int32, first slot of each column
    nominal: np.ndarray  # (n_features,) bool
    offset: np.ndarray  # (n_features,) float64, value of a numeric column that is 0 on its scale
    scale: np.ndarray  # (n_features,) float64, distance of values that is 1 on its scale


NO_CENTRES = Centres(
    weight=np.empty((0, 0)),
    gamma=np.empty(0),
    metric=np.empty(0, np.int8),
    first=np.empty(0, np.int32),
    n_centres=np.empty(0, np.int32),
    position=np.empty((0, 0)),
    start=np.zeros(1, np.int32),
    nominal=np.empty(0, np.bool_),
    offset=np.empty(0),
    scale=np.empty(0),
)


@jit
def combine(numeric, nominal, gamma, metric):
    """Return a distance from the sums over the numeric and over the nominal columns."""
    if metric == EUCLIDEAN:
        numeric = np.sqrt(numeric)
    return gamma * numeric + (1.0 - gamma) * nominal


@jit
def distance_to(row, node, centre, centres):
    """Return the distance between a row and row `centre` of the positions; missing values add 0."""
    numeric, nominal = 0.0, 0.0
    position = centres.position[centre]
    for j in range(len(row)):
        weight = centres.weight[node, j]
        if weight == 0.0 or np.isnan(row[j]):
            continue
        slot = centres.start[j]
        if centres.nominal[j]:
            nominal += weight * (1.0 - position[slot + int(row[j])])
            continue
        difference = (row[j] - centres.offset[j]) / centres.scale[j] - position[slot]
        if centres.metric[node] == MANHATTAN:
            numeric += weight * abs(difference)
        else:
            numeric += weight * (difference * difference)
    return combine(numeric, nominal, centres.gamma[node], centres.metric[node])


@jit
def nearest_centre(row, node, centres):
    """Return the position of the nearest of the node's centres, the first where distances tie.

    It is -1 if every value that has a weight is missing.
    """
    is_known = False
    for j in range(len(row)):
        is_known = is_known or (centres.weight[node, j] != 0.0 and not np.isnan(row[j]))
    if not is_known:
        return -1
    best, nearest = np.inf, 0
    for c in range(centres.n_centres[node]):
        distance = distance_to(row, node, centres.first[node] + c, centres)
        if distance < best:
            best, nearest = distance, c
    return nearest
