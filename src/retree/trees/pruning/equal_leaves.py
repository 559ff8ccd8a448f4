"""Leaves that predict one class joined, as far up as that goes."""

from __future__ import annotations

import numpy as np

from retree.trees.tree import Tree, majority_class

_DIFFERENT = -1


def join_equal_leaves(tree: Tree) -> Tree:
    """Return the tree without the tests below which all leaves predict one class.

    Predicted classes stay what they are, shares of classes do not.
    """
    found = majority_class(tree.value)
    for node in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parent
        below = found[tree.children_of(node)]
        found[node] = below[0] if (below == below[0]).all() else _DIFFERENT
    return tree.cut(found != _DIFFERENT)
