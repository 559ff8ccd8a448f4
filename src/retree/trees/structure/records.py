"""From the records of growing to trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.trees.tree import LEAF, Tree

_PARENT, _FEATURE, _THRESHOLD_ROW = range(3)


def trees_from_records(
    numbers: NDArray[np.int64],
    counts: NDArray[np.float64],
    members: NDArray[np.bool_],
    X: NDArray[np.float64],
) -> list[Tree]:
    """Return the tree of each point of a grid.

    Shapes: `numbers` (n_records, 3), `counts` (n_records, n_classes), `members` (n_records,
    n_points), `X` (n_samples, n_features).
    `numbers`: of each node: parent, feature (-1 for a leaf), row that has the threshold. Restricted
    to one point, they are its tree in depth-first order.
    `X`: training rows, of which the thresholds are values.
    """
    return [
        _binary_tree(numbers[own], counts[own], np.cumsum(own) - 1, X)
        for own in np.ascontiguousarray(members.T)
    ]


def _binary_tree(
    nodes: NDArray[np.int64],
    counts: NDArray[np.float64],
    new_number: NDArray[np.int64],
    X: NDArray[np.float64],
) -> Tree:
    """Return the tree of the records `nodes`, which stand in depth-first order."""
    feature = nodes[:, _FEATURE]
    inner = feature != LEAF
    parents = np.append(-1, new_number[nodes[1:, _PARENT]])
    threshold = np.full(len(nodes), np.nan)
    threshold[inner] = X[nodes[inner, _THRESHOLD_ROW], feature[inner]]
    return Tree.from_parents(
        parents,
        n_features=X.shape[1],
        feature=feature.astype(np.int32),
        threshold=threshold,
        counts=counts,
    )
