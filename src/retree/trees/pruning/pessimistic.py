"""Pessimistic error pruning (Quinlan 1987)."""

from __future__ import annotations

import numpy as np

from retree.trees.pruning.losses import TIE, training_errors
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

ORDERS = ("top_down", "bottom_up")


def prune_pessimistic(tree: Tree, z: float = 1.0, order: str = "top_down") -> Tree:
    """Return the tree with a leaf in place of each subtree that is not clearly better.

    Node t becomes a leaf if n'(t) <= n'(T_t) + z * SE, where n'(t) = e(t) + 1/2 are its training
    errors e(t) corrected for continuity, n'(T_t) the sum of that over the leaves below it, and
    SE = sqrt(n'(T_t) (n(t) - n'(T_t)) / n(t)) with its training weight n(t); SE = 0 where n'(T_t)
    is more than n(t). A leaf that no training row reaches adds its 1/2 too.

    `order`: whether T_t is the subtree as it was grown, so that nodes below a pruned one do not
    matter (Quinlan), or the subtree that is left when the nodes below t have been pruned.

    References
    ----------
    Quinlan J. R. (1987). Simplifying decision trees. International Journal of Man-Machine Studies
    27, 221-234.
    """
    z = check_weight("z", z)
    check_choice("order", order, ORDERS)
    if tree.moments is not None:
        raise ValueError("Pessimistic pruning counts errors, so it needs a classification tree.")
    weight, parents, is_leaf = tree.weight, tree.parents, tree.is_leaf
    as_leaf = training_errors(tree) + 0.5
    below = np.where(is_leaf, as_leaf, 0.0)
    is_cut = np.zeros(tree.node_count, np.bool_)
    for node in range(tree.node_count - 1, -1, -1):
        if not is_leaf[node]:
            spread = z * _standard_error(below[node], weight[node])
            is_cut[node] = as_leaf[node] <= below[node] + spread + TIE * weight[0]
            if is_cut[node] and order == "bottom_up":
                below[node] = as_leaf[node]
        if node > 0:
            below[parents[node]] += below[node]
    return tree.cut(is_cut)


def _standard_error(errors: float, weight: float) -> float:
    """Return the standard error of a binomial number of errors, 0 if there are too many."""
    return float(np.sqrt(errors * (weight - errors) / weight)) if errors < weight else 0.0
