"""What splits and features are measured by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums
from retree.trees.hybrid_criteria.growing import Node

Floats = NDArray[np.float64]


def shares(counts: Floats) -> Floats:
    """Return each row's counts over their sum, shape (n, n_classes)."""
    found: Floats = counts / counts.sum(axis=1, keepdims=True)
    return found


def mean_of_children(node: Node, left: Floats, right: Floats) -> Floats:
    """Return the mean of a measure of both children, by their weights, of each split."""
    n_left, n = node.left.sum(axis=1), node.counts.sum()
    mean: Floats = (n_left * left + (n - n_left) * right) / n
    return mean


def information_gain(node: Node) -> Floats:
    """Return the entropy in bits less that of the children, of each split."""
    left, right = entropies(shares(node.left)), entropies(shares(node.right))
    whole = entropies(shares(node.counts[None, :]))
    gain: Floats = whole - mean_of_children(node, left, right)
    return gain


def gain_ratio(node: Node) -> Floats:
    """Return the information gain over the entropy of the sizes of the children."""
    n_left = node.left.sum(axis=1)
    sizes = np.stack([n_left, node.counts.sum() - n_left], axis=1)
    ratio: Floats = information_gain(node) / entropies(shares(sizes))
    return ratio


def gini_gain(node: Node) -> Floats:
    """Return the Gini impurity less that of the children, of each split."""
    left, right, whole = (
        1 - row_sums(shares(counts) ** 2)
        for counts in (node.left, node.right, node.counts[None, :])
    )
    gain: Floats = whole - mean_of_children(node, left, right)
    return gain


def share_of_majorities(node: Node) -> Floats:
    """Return the share of the weight that is of its child's commonest class, of each split."""
    right_of = node.left.max(axis=1, initial=0) + node.right.max(axis=1, initial=0)
    share: Floats = right_of / node.counts.sum()
    return share


def hellinger(node: Node) -> Floats:
    """Return the Hellinger distance of a class over the children from all others, in [0, 1].

    With more than two classes it is the mean over those in the node.
    """
    here = np.flatnonzero(node.counts)
    distances = np.zeros((len(node.left), len(here)))
    for place, code in enumerate(here):
        total, n_own = node.counts.sum(), node.counts[code]
        for child in (node.left, node.right):
            own, other = child[:, code], child.sum(axis=1) - child[:, code]
            distances[:, place] += (np.sqrt(own / n_own) - np.sqrt(other / (total - n_own))) ** 2
    mean: Floats = row_sums(np.sqrt(distances / 2)) / len(here)
    return mean


def class_moments(node: Node) -> tuple[Floats, Floats, Floats]:
    """Return weights, means and sums of squares about them of the classes that the node has.

    Features are scaled to [0, 1] in the node; the shapes are (n_present,), and twice
    (n_present, n_features).
    """
    present = np.flatnonzero(node.counts)
    codes, weight = node.codes[node.rows], node.weight[node.rows]
    counts, means, squares = node.counts[present], [], []
    for code, n in zip(present, counts, strict=True):
        own, heavy = node.scaled[:, codes == code], weight[codes == code]
        mean = row_sums(own * heavy) / n
        means.append(mean)
        squares.append(row_sums((own - mean[:, None]) ** 2 * heavy))
    return counts, np.array(means), np.array(squares)


def scatter_between(counts: Floats, means: Floats) -> Floats:
    """Return the sum of ``n_c * n_d * (m_c - m_d)**2`` over pairs of classes, of each feature."""
    total = np.zeros(means.shape[1])
    for c in range(len(counts)):
        for d in range(c):
            total += counts[c] * counts[d] * (means[c] - means[d]) ** 2
    return total
