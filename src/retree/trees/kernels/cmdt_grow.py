"""Growing a CMDT tree: every node divides its rows over clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.cmdt_split import find_split
from retree.trees.kernels.jit import jit
from retree.trees.kernels.multiway import group_by_branch
from retree.trees.kernels.stacks import with_room

PARENT, FIRST, COUNT, METRIC = 0, 1, 2, 3
_CHUNK = 64


class Data(NamedTuple):
    """Training rows in the order of their classes, numeric columns on the scale of distances."""

    rows: np.ndarray  # (n_samples, n_features) float64, level codes in nominal columns
    y: np.ndarray  # (n_samples,) int32, ascending
    n_classes: int
    start: np.ndarray  # (n_features + 1,) int32, first slot of each column in a centre
    nominal: np.ndarray  # (n_features,) bool
    spread: np.ndarray  # (n_features,) float64, the range of a numeric column, else 1
    priority: np.ndarray  # (n_samples,) int64, which rows Relief-F looks at first


class Records(NamedTuple):
    """Nodes in depth-first order, and their centres one after the other."""

    numbers: np.ndarray  # (capacity, 4) int64: parent, first centre, number of centres, metric
    gamma: np.ndarray  # (capacity, 1) float64
    weight: np.ndarray  # (capacity, n_features) float64
    counts: np.ndarray  # (capacity, n_classes) float64
    positions: np.ndarray  # (capacity, n_slots) float64


@jit
def _records(n_features, n_classes, n_slots):
    """Return records with room for some nodes."""
    return Records(
        np.zeros((_CHUNK, 4), np.int64),
        np.zeros((_CHUNK, 1)),
        np.zeros((_CHUNK, n_features)),
        np.zeros((_CHUNK, n_classes)),
        np.zeros((_CHUNK, n_slots)),
    )


@jit
def _add_node(records, n_nodes, n_centres, parent, counts):
    """Return the records with a leaf more."""
    records = Records(
        with_room(records.numbers, n_nodes, 1),
        with_room(records.gamma, n_nodes, 1),
        with_room(records.weight, n_nodes, 1),
        with_room(records.counts, n_nodes, 1),
        records.positions,
    )
    records.numbers[n_nodes] = (parent, n_centres, 0, 0)
    records.gamma[n_nodes] = 0.0
    records.weight[n_nodes] = 0.0
    records.counts[n_nodes] = counts
    return records


@jit
def _add_split(records, node, n_centres, split):
    """Return the records with the last node's split."""
    n_clusters = len(split.positions)
    positions = with_room(records.positions, n_centres, n_clusters)
    positions[n_centres : n_centres + n_clusters] = split.positions
    records.numbers[node, COUNT] = n_clusters
    records.numbers[node, METRIC] = split.metric
    records.gamma[node] = split.gamma
    records.weight[node] = split.weight
    return Records(records.numbers, records.gamma, records.weight, records.counts, positions)


@jit
def _split_node(data, index, rule):
    """Return the split of the rows `index`, which stand in the order of their classes."""
    codes = np.empty(len(index), np.int32)
    class_start = np.zeros(data.n_classes + 1, np.int64)
    n_classes = 0
    for i in range(len(index)):
        if i == 0 or data.y[index[i]] != data.y[index[i - 1]]:
            class_start[n_classes] = i
            n_classes += 1
        codes[i] = n_classes - 1
    class_start[n_classes] = len(index)
    rows, priority = data.rows[index], data.priority[index]
    starts = class_start[: n_classes + 1]
    return find_split(rows, codes, starts, priority, data.start, data.nominal, data.spread, rule)


@jit
def _divide(rows, labels, n_clusters, branch, buffer):
    """Put the rows of a node in the order of their clusters; return the size of each."""
    branch[rows] = labels
    sizes = np.bincount(labels, minlength=n_clusters)
    group_by_branch(rows, np.int32(-1), branch, sizes, np.empty(n_clusters, np.int64), buffer)
    return sizes


@jit
def _without_room(records, n_nodes, n_centres):
    """Return the records of the nodes and centres that there are."""
    return Records(
        records.numbers[:n_nodes],
        records.gamma[:n_nodes],
        records.weight[:n_nodes],
        records.counts[:n_nodes],
        records.positions[:n_centres],
    )


@jit
def grow(data, rule):
    """Return the records of the tree.

    A node with fewer than ``rule.min_parent`` rows, of one class, or whose rows are all nearest to
    one centre is a leaf.

    Returns
    -------
    Records
    """
    n_samples, n_features = data.rows.shape
    records = _records(n_features, data.n_classes, data.start[n_features])
    n_nodes, n_centres = 0, 0
    index = np.arange(n_samples).astype(np.int32)
    branch, buffer = np.empty(n_samples, np.int32), np.empty(n_samples, np.int32)
    stack = np.empty((_CHUNK, 3), np.int64)
    stack[0] = (-1, 0, n_samples)
    top = 1
    while top > 0:
        top -= 1
        parent, start, end = stack[top]
        node, rows = n_nodes, index[start:end]
        counts = np.bincount(data.y[rows], minlength=data.n_classes)
        records = _add_node(records, node, n_centres, parent, counts)
        n_nodes += 1
        if len(rows) < rule.min_parent or counts.max() == len(rows):
            continue
        split = _split_node(data, rows, rule)
        n_clusters = len(split.positions)
        if n_clusters == 0:
            continue
        records = _add_split(records, node, n_centres, split)
        n_centres += n_clusters
        sizes = _divide(rows, split.labels, n_clusters, branch, buffer)
        stack = with_room(stack, top, n_clusters)
        for size in sizes[::-1]:
            stack[top] = (node, end - size, end)
            end -= size
            top += 1
    return _without_room(records, n_nodes, n_centres)
