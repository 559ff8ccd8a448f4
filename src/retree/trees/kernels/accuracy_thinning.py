"""Thinning a forest by what each node does to the forest's training errors (FT-Acc)."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.forest_rows import first_greatest, make_leaf, nodes_in_use
from retree.trees.kernels.jit import jit


@jit
def _gained(node, rows, value, y, tree_weight, ends, shares, moved, is_moved):
    """Return how many more rows the forest is right on if `node` becomes a leaf.

    `moved` and `is_moved`, which have a place for each row, are all zeros between uses.
    """
    first, last = rows.start[node], rows.start[rows.stop[node]]
    for e in range(first, last):
        row, weight = rows.row[e], tree_weight * rows.part[e]
        is_moved[row] = True
        for k in range(value.shape[1]):
            moved[row, k] += weight * (value[node, k] - value[ends[e], k])
    gained = 0
    for e in range(first, last):
        row = rows.row[e]
        if is_moved[row]:
            before, after = first_greatest(shares[row]), first_greatest(shares[row] + moved[row])
            gained += int(after == y[row]) - int(before == y[row])
            is_moved[row] = False
            moved[row] = 0.0
    return gained


@jit
def thin_by_accuracy(rows, value, y, tree_weight, ends, cut, shares):
    """Go once through the trees and cut the nodes without which the forest errs no more.

    Parameters
    ----------
    rows, value, y, tree_weight, ends, cut, shares
        As in `retree.trees.kernels.contribution.thin_by_contribution`.
    """
    moved, is_moved = np.zeros_like(shares), np.zeros(len(shares), np.bool_)
    for i in range(len(tree_weight)):
        weight = tree_weight[i]
        for v in nodes_in_use(i, rows, cut)[::-1]:
            if cut[v] or rows.stop[v] == v + 1:
                continue
            if _gained(v, rows, value, y, weight, ends, shares, moved, is_moved) >= 0:
                cut[v] = True
                make_leaf(v, rows, ends, value, weight, shares)
