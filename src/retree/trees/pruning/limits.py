"""Limits of growing, of the whole tree or of a node, as cuts of the tree that lacks them."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums
from retree.trees.decreases import impurity_decreases
from retree.trees.pruning.by_errors import TIE
from retree.trees.tree import Tree, majority_class
from retree.trees.validation import check_choice, check_weight

_TIE = 2.0**-40  # decreases that differ by less than this part of the greatest one are equal


def limit_growth(
    tree: Tree,
    criterion: str,
    max_leaf_nodes: int | None = None,
    min_impurity_decrease: float = 0.0,
) -> Tree:
    """Return the tree that the same growing gives if it goes best first and stops at the limits.

    A node is split without regard to the others. So the tree of limits is a cut of the tree without
    them, as in `stop_early`.

    `max_leaf_nodes`: maximum number of leaves, empty branches included. The node whose test lowers
    the impurity most is split next, of equal ones the first in the order of nodes. A test with more
    branches than there is room for is passed over.
    `min_impurity_decrease`: a node is a leaf if its test lowers the impurity of the whole tree by
    less.
    """
    if max_leaf_nodes is None and min_impurity_decrease == 0.0:
        return tree
    decrease = impurity_decreases(tree, criterion)
    tie = _TIE * decrease.max()
    is_split = ~tree.is_leaf & (decrease >= min_impurity_decrease - tie)
    if max_leaf_nodes is not None:
        ranks = -np.rint(decrease / tie) if tie > 0 else np.zeros(tree.node_count)
        is_split = _best_first(tree, is_split, ranks, max_leaf_nodes)
    return tree.cut(~is_split)


def _best_first(
    tree: Tree, may_split: NDArray[np.bool_], ranks: NDArray[np.float64], max_leaf_nodes: int
) -> NDArray[np.bool_]:
    """Return which nodes are split; the lowest rank goes first."""
    is_split = np.zeros(tree.node_count, np.bool_)
    waiting = [(ranks[0], 0)] if may_split[0] else []
    room = max_leaf_nodes - 1
    while waiting and room:
        _, node = heapq.heappop(waiting)
        children = tree.children_of(node).tolist()
        if len(children) - 1 > room:
            continue
        room -= len(children) - 1
        is_split[node] = True
        for child in children:
            if may_split[child]:
                heapq.heappush(waiting, (ranks[child], child))
    return is_split


_DIFFERENT = -1


def join_equal_leaves(tree: Tree) -> Tree:
    """Return the tree without the tests below which all leaves predict one class.

    Predicted classes stay what they are, shares of classes do not.
    """
    classes = majority_class(tree.value)
    for node in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parent
        below = classes[tree.children_of(node)]
        classes[node] = below[0] if (below == below[0]).all() else _DIFFERENT
    return tree.cut(classes != _DIFFERENT)


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
    gain = np.full(tree.node_count, np.inf)
    for node in np.flatnonzero(~tree.is_leaf):
        children = tree.children_of(int(node))
        weighted = tree.weight[children] * impurity[children]
        below = float(row_sums(weighted[None, :])[0])
        weight = tree.weight[node]
        gain[node] = impurity[node] - below / weight if weight > 0 else 0.0
    return gain


def check_share(name: str, value: float) -> float:
    """Return `value`; raise unless it is a number in (0, 1]."""
    share = check_weight(name, value)
    if not 0 < share <= 1:
        raise ValueError(f"{name} == {value!r}, must be above 0 and at most 1.")
    return share
