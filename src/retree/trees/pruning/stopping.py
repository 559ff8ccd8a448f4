"""Pre-pruning: rules that stop a node from being split, as cuts of the tree that lacks them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums
from retree.trees.pruning.losses import TIE
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

CRITERIA = ("entropy", "gini")


def stop_early(
    tree: Tree,
    min_gain: float = 0.0,
    max_class_share: float = 1.0,
    min_rows: float = 0.0,
    criterion: str = "entropy",
) -> Tree:
    """Return the tree that the same growing gives if it stops at a node by one of three rules.

    A node is split without regard to what is below it. So the tree of a rule is the tree without
    it, cut where the rule holds first.

    `max_class_share`: a node is a leaf if at least this share of its rows are of one class; in (0,
    1].
    `criterion`: the impurity that `min_gain` is about: in bits, or in [0, 1). A child counts with
    its weight, rows without the tested value included.
    """
    limits = [check_weight("min_gain", min_gain), check_weight("min_rows", min_rows)]
    share = check_share("max_class_share", max_class_share)
    check_choice("criterion", criterion, CRITERIA)
    if tree.moments is not None:
        raise ValueError("Stopping looks at class shares, so it needs a classification tree.")
    is_cut = tree.value.max(axis=1) >= share - TIE
    is_cut |= tree.weight < limits[1] - TIE * tree.weight[0]
    is_cut |= gains(tree, criterion) < limits[0] - TIE
    return tree.cut(is_cut)


def gains(tree: Tree, criterion: str) -> NDArray[np.float64]:
    """Return by how much each node's test lowers the impurity, infinity at leaves."""
    shares = tree.value
    impurity = entropies(shares) if criterion == "entropy" else 1 - row_sums(shares**2)
    found = np.full(tree.node_count, np.inf)
    for node in np.flatnonzero(~tree.is_leaf):
        children = tree.children_of(int(node))
        parts = tree.weight[children] * impurity[children]
        below = float(row_sums(parts[None, :])[0])
        weight = tree.weight[node]
        found[node] = impurity[node] - below / weight if weight > 0 else 0.0
    return found


def check_share(name: str, value: float) -> float:
    """Return `value`; raise unless it is a number in (0, 1]."""
    share = check_weight(name, value)
    if not 0 < share <= 1:
        raise ValueError(f"{name} == {value!r}, must be above 0 and at most 1.")
    return share
