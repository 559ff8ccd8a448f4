"""The split of a CMDT node: weights of the columns, and clusters about the classes' centres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.centres import MANHATTAN, SQEUCLIDEAN
from retree.trees.kernels.clusters import Space, cluster, find_centres
from retree.trees.kernels.jit import jit
from retree.trees.kernels.relief import make_problem, relief_weights

_ZERO = 1e-12  # weights that are no more are 0; Gini indices that differ by less are tied
_N_GAMMAS = 9  # 0.1, 0.2, ... 0.9


class CMDTRule(NamedTuple):
    """How nodes are split; see the parameters of `CMDTClassifier`."""

    weights: bool
    modes: bool
    metric: int
    gamma: float  # NaN: chosen by the Gini index
    beta: float
    n_neighbors: int
    n_samples: int
    max_rounds: int
    min_parent: int


class Split(NamedTuple):
    """A node's test for the nearest centre, and where its rows go; no centres: no split."""

    weight: np.ndarray  # (n_features,) float64
    gamma: float
    metric: int
    positions: np.ndarray  # (n_clusters, n_slots) float64
    labels: np.ndarray  # (n_rows,) int32


@jit
def _sample(priority, n_samples):
    """Return the `n_samples` rows of lowest priority, in order; all if there are not so many."""
    if n_samples >= len(priority):
        return np.arange(len(priority))
    return np.sort(np.argsort(priority)[:n_samples])


@jit
def weigh(rows, nominal, spread, class_start, priority, rule):
    """Return the weights of the columns, 0 of those that are dropped."""
    if not rule.weights:
        return np.ones(rows.shape[1])
    problem = make_problem(rows / spread, nominal, class_start)
    weight = relief_weights(problem, _sample(priority, rule.n_samples), rule.n_neighbors)
    largest = weight.max()
    for j in range(len(weight)):
        if weight[j] <= _ZERO or weight[j] < rule.beta * largest:
            weight[j] = 0.0
    return weight


@jit
def count_clusters(labels, y, n_clusters, n_classes):
    """Return the rows of each class in each cluster; rows without a label go to the largest."""
    counts = np.zeros((n_clusters, n_classes))
    for i in range(len(labels)):
        if labels[i] >= 0:
            counts[labels[i], y[i]] += 1.0
    largest = np.int32(np.argmax(counts.sum(axis=1)))
    for i in range(len(labels)):
        if labels[i] < 0:
            labels[i] = largest
            counts[largest, y[i]] += 1.0
    return counts


@jit
def purity(counts):
    """Return the rows' mean share of their own class in their cluster: 1 - the Gini index."""
    total = 0.0
    for c in range(len(counts)):
        total += (counts[c] * counts[c]).sum() / counts[c].sum()
    return total / counts.sum()


@jit
def _gammas(weight, nominal, rule):
    """Return the parts of the numeric columns to try, and the metric: all or nothing if all are."""
    has_nominal, has_numeric = (weight[nominal] != 0.0).any(), (weight[~nominal] != 0.0).any()
    if rule.metric == MANHATTAN:
        return np.full(1, 0.5), rule.metric
    if not has_nominal:
        # The mean is the middle of the squared distances; the nearest centre is the same.
        return np.ones(1), SQEUCLIDEAN
    if not has_numeric:
        return np.zeros(1), rule.metric
    if np.isnan(rule.gamma):
        return np.arange(1, _N_GAMMAS + 1) / (_N_GAMMAS + 1), rule.metric
    return np.full(1, rule.gamma), rule.metric


@jit
def find_split(rows, y, class_start, priority, start, nominal, spread, rule):
    """Return the split of a node.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        In the order of their classes.
    y : ndarray of shape (n_rows,)
        Codes of the classes that the node has.
    class_start : ndarray of shape (n_classes + 1,)
        Of the classes that the node has.
    priority : ndarray of shape (n_rows,)
        Which rows Relief-F looks at first.
    start, nominal : ndarray
        As in `Centres`.
    spread : ndarray of shape (n_features,)
        What numeric columns are divided by for the range of 1 that Relief-F needs.
    rule : CMDTRule

    Returns
    -------
    Split
    """
    n_classes = len(class_start) - 1
    weight = weigh(rows, nominal, spread, class_start, priority, rule)
    best = Split(weight, 0.0, rule.metric, np.empty((0, start[-1])), np.empty(0, np.int32))
    if not weight.any():
        return best
    gammas, metric = _gammas(weight, nominal, rule)
    space = Space(weight, 0.0, metric, start, nominal, rule.modes)
    centroids = find_centres(rows, y, n_classes, space)
    most_pure = -1.0
    for gamma in gammas:
        space = Space(weight, gamma, metric, start, nominal, rule.modes)
        labels = np.empty(len(rows), np.int32)
        positions, _, _ = cluster(rows, centroids, space, rule.max_rounds, False, labels)
        if len(positions) < 2:
            continue
        now = purity(count_clusters(labels, y, len(positions), n_classes))
        if now > most_pure + _ZERO:
            most_pure = now
            best = Split(weight, gamma, metric, positions, labels)
    return best
