"""Kernels for tests that send a row to the nearest of several centres."""

from __future__ import annotations

import numpy as np

from retree.trees.centres import EUCLIDEAN, MANHATTAN
from retree.trees.kernels.jit import jit


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
