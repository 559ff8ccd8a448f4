"""scikit-learn's forests with trees that were cut."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.forests.forest import Forest
from retree.trees.decreases import impurities
from retree.trees.tree import Tree

_NONE = -1
_NO_FEATURE = -2  # of a leaf, and its threshold
_OUT_OF_BAG = ("oob_score_", "oob_decision_function_")


def cut_forest(original: Any, forest: Forest) -> Any:
    """Return a copy of scikit-learn's forest `original` whose trees are those of `forest`.

    Returns its probabilities are the mean of the trees' shares. It has no out-of-bag estimates.
    """
    made = copy(original)
    members = zip(original.estimators_, forest.trees, strict=True)
    made.estimators_ = [_cut_member(member, tree, forest.impurity) for member, tree in members]
    for name in _OUT_OF_BAG:
        vars(made).pop(name, None)
    return made


def _cut_member(member: Any, tree: Tree, impurity: str) -> Any:
    """Return a copy of scikit-learn's tree `member` cut to `tree`."""
    n_classes = tree.counts.shape[1]
    # Pickling is the public way to a tree of scikit-learn's from arrays.
    make, (n_features, _, n_outputs), state = member.tree_.__reduce__()
    nodes = state["nodes"][_places(member.tree_, tree)]
    left, right = tree.children_ptr[:-1], tree.children_ptr[1:] - 1
    inner = ~tree.is_leaf
    for name, edge in (("left_child", left), ("right_child", right)):
        nodes[name] = _NONE
        nodes[name][inner] = tree.children[edge[inner]]
    for name in ("feature", "threshold"):
        nodes[name][tree.is_leaf] = _NO_FEATURE
    nodes["weighted_n_node_samples"] = tree.weight
    nodes["impurity"] = impurities(tree, impurity)
    made = copy(member)
    made.tree_ = make(n_features, np.array([n_classes], dtype=np.intp), n_outputs)
    made.tree_.__setstate__(
        {
            **state,
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.ascontiguousarray(tree.value[:, None, :]),
        }
    )
    # A bag may lack classes that the rows of the pruning set have.
    made.classes_, made.n_classes_ = np.arange(n_classes), np.intp(n_classes)
    return made


def _places(theirs: Any, tree: Tree) -> NDArray[np.intp]:
    """Return the number in scikit-learn's tree of each node of its cut `tree`."""
    found = np.zeros(tree.node_count, np.intp)
    for node in np.flatnonzero(~tree.is_leaf):
        below = theirs.children_left[found[node]], theirs.children_right[found[node]]
        found[tree.children_of(int(node))] = below
    return found
