"""Gini purity of candidate splits: G = 1 - weighted Gini of the children (larger is better)."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_BITS
from retree.trees.kernels.jit import jit
from retree.trees.kernels.ranking import offer


@jit
def count_classes(columns, start, end, counts):
    """Count the classes of a node's rows into `counts`."""
    counts[:] = 0
    for i in range(start, end):
        counts[columns.y[columns.rows[i]]] += 1


@jit
def gini_purity(squares_left, n_left, squares_right, n_right):
    """Return G from the sums of squared class counts of the two children."""
    # One division instead of three: this line is most of the time of growing by purity.
    weighted = np.float64(squares_left) * n_right + np.float64(squares_right) * n_left
    return weighted / (np.float64(n_left) * n_right * (n_left + n_right))


@jit
def rank_wide_by_purity(columns, start, end, column, counts, left, min_side, ranking):
    """Offer every threshold of a wide column to list 0 of `ranking` by its purity.

    Parameters
    ----------
    columns : Columns
    start, end : int
        The segment of the node.
    column : int
        Which wide column.
    counts : ndarray of shape (n_classes,), int64
        Class counts of the node.
    left : ndarray of shape (n_classes,), int64
        Scratch.
    min_side : int
        Least number of rows of a child.
    ranking : Ranking
    """
    values = columns.entries[column, start:end]
    n = len(values)
    class_mask = np.uint64(2**columns.class_bits - 1)
    shift = np.uint64(ROW_BITS + columns.class_bits)
    squares = np.int64(0)
    for c in range(columns.n_classes):
        left[c] = 0
        squares += counts[c] * counts[c]
    squares_left = np.int64(0)
    cross = np.int64(0)  # sum over classes of left count times node count
    cut = ranking.cut[0]
    entry = values[0]
    for i in range(n - min_side):
        c = (entry >> np.uint64(ROW_BITS)) & class_mask
        squares_left += 2 * left[c] + 1
        left[c] += 1
        cross += counts[c]
        following = values[i + 1]
        if (entry >> shift) != (following >> shift) and i + 1 >= min_side:
            squares_right = squares - 2 * cross + squares_left
            score = gini_purity(squares_left, i + 1, squares_right, n - i - 1)
            if score >= cut:
                cut = offer(ranking, 0, score, column, columns.wide[column], i)
        entry = following


@jit
def count_pairs(columns, start, end, ones):
    """Count, by class, the rows of a node with the larger value of each pair column.

    Parameters
    ----------
    ones : ndarray of shape (n_classes, n_pair), int64
        Receives the counts.
    """
    ones[:] = 0
    for i in range(start, end):
        row = columns.rows[i]
        c = columns.y[row]
        for s in range(columns.set_start[row], columns.set_start[row + 1]):
            ones[c, columns.set_pairs[s]] += 1


@jit
def pair_purity(counts, ones, j):
    """Return G and the sizes of the children of the only split of pair column `j`."""
    n_left, n_right = np.int64(0), np.int64(0)
    squares_left, squares_right = np.int64(0), np.int64(0)
    for c in range(len(counts)):
        right = ones[c, j]
        left = counts[c] - right
        n_left += left
        n_right += right
        squares_left += left * left
        squares_right += right * right
    return gini_purity(squares_left, n_left, squares_right, n_right), n_left, n_right


@jit
def rank_pairs_by_purity(columns, counts, ones, min_side, ranking):
    """Offer the split of each pair column that is not constant in the node to list 0."""
    for j in range(len(columns.pair)):
        score, n_left, n_right = pair_purity(counts, ones, j)
        if min(n_left, n_right) >= max(1, min_side) and score >= ranking.cut[0]:
            offer(ranking, 0, score, len(columns.wide) + j, columns.pair[j], 0)
