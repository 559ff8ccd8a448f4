"""Reduced-error pruning (Quinlan 1987)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from retree.trees.mixed import Sample
from retree.trees.pruning.losses import TIE, held_out_losses
from retree.trees.tree import Tree
from retree.trees.validation import check_weights


def prune_reduced_error(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int32] | NDArray[np.float64],
    sample_weight: NDArray[np.float64] | None = None,
    *,
    divide_missing: bool = False,
) -> Tree:
    """Return the smallest subtree of lowest error on rows the tree was not grown on.

    From the leaves up, a node becomes a leaf if it makes no more errors on the pruning rows than
    the subtree that is left below it. What a leaf predicts, and the counts of the returned tree,
    come from the training rows alone. In a regression, squared errors stand for errors.

    Shapes: `X` (n_samples, n_features), `y` (n_samples,), `sample_weight` (n_samples,).
    `X`: the pruning rows: numbers, or level codes; NaN where missing.
    `divide_missing`: whether a row without the tested value takes all branches, with parts of its
    weight, and each part is judged where it ends (C4.5); if not, it takes the heaviest branch.

    References
    ----------
    Quinlan J. R. (1987). Simplifying decision trees. International Journal of Man-Machine Studies
    27, 221-234.
    """
    check_consistent_length(X, y)
    if len(y) == 0:
        raise ValueError("Reduced-error pruning needs at least one row to prune with.")
    sample = Sample(X, y, check_weights(sample_weight, len(y)))
    as_leaf = held_out_losses(tree, sample, divide_missing)[:, 0]
    below = np.where(tree.is_leaf, as_leaf, 0.0)
    is_cut = np.zeros(tree.node_count, np.bool_)
    for node in range(tree.node_count - 1, -1, -1):
        is_cut[node] = as_leaf[node] <= below[node] + TIE * as_leaf[0]
        if node > 0:
            below[tree.parents[node]] += min(as_leaf[node], below[node])
    return tree.cut(is_cut)
