"""What nodes lose on rows that the tree was not grown on."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.traverse import branch_at, branch_of


@jit
def _loss(target, prediction, squared):
    """Return the squared difference, or whether the class is wrong."""
    if squared:
        return (target - prediction) ** 2
    return 0.0 if target == prediction else 1.0


@jit
def node_losses(X, y, weight, tests, node_weight, prediction, squared, divide):
    """Return the loss of each node, as a leaf, on the rows that pass it.

    A row without the tested value passes the heaviest branch, or with `divide` every branch with
    the part of its weight that the branch has of the training weight.

    Returns
    -------
    ndarray of shape (node_count, 2)
        Sums of the weighted losses and of the weighted squares of the losses; a loss is 1 for a
        wrong class, or with `squared` the squared difference.
    """
    sums = np.zeros((len(node_weight), 2))
    nodes, parts = np.empty(len(node_weight), np.int32), np.empty(len(node_weight))
    # Arrays by themselves: to hand over all of `tests` at every node takes longer than most tests.
    children_ptr, children, feature = tests.children_ptr, tests.children, tests.feature
    threshold, subset, left_levels = tests.threshold, tests.subset, tests.left_levels
    for i in range(len(y)):
        nodes[0], parts[0], top = 0, weight[i], 1
        while top > 0:
            top -= 1
            node, part = nodes[top], parts[top]
            loss = _loss(y[i], prediction[node], squared)
            sums[node, 0] += part * loss
            sums[node, 1] += part * loss * loss
            branches = children[children_ptr[node] : children_ptr[node + 1]]
            if len(branches) == 0:
                continue
            j = feature[node]
            if j >= 0:
                b = branch_of(X[i, j], threshold[node], subset[node], left_levels)
            else:
                b = branch_at(X[i], node, tests)
            if b >= 0 or not divide:
                nodes[top] = branches[b if b >= 0 else np.argmax(node_weight[branches])]
                parts[top] = part
                top += 1
                continue
            for child in branches:
                if node_weight[child] > 0.0:
                    nodes[top] = child
                    parts[top] = part * node_weight[child] / node_weight[node]
                    top += 1
    return sums
