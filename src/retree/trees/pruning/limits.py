"""Limits on growing, of the whole tree or of a node, applied as cuts of the unlimited tree."""

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
    """Return the tree that grows if growing is best first and stops at the limits.

    The split of a node does not depend on other nodes. So the limited tree is a cut of the
    unlimited tree, as in `stop_early`.

    `max_leaf_nodes`: maximum number of leaves, including empty branches. The next node to split is
    the one whose test lowers the impurity most, the first in the order of nodes where these tie. A
    test with too many branches for the limit is skipped.
    `min_impurity_decrease`: a node becomes a leaf if its test lowers the impurity of the whole tree
    by less than this.
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
    """Return a mask of the nodes that are split, lowest rank first."""
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
    """Return the tree without tests below which all leaves predict the same class.

    Predicted classes stay the same, class shares do not.
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
    """Return the tree that grows if growing stops at nodes that meet one of three rules.

    The split of a node does not depend on the nodes below it. So the stopped tree is the full tree,
    cut where a rule first applies.

    `max_class_share`: a node is a leaf if at least this share of its rows is of one class; in (0,
    1].
    `criterion`: the impurity that `min_gain` refers to: the entropy, in bits, or the Gini index, in
    [0, 1). A child counts with its weight, including rows without the tested value.
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
    """Return the impurity decrease of each node's test, infinity at leaves."""
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
