"""Ranking by gain ratio and by Hellinger distance: what class frequencies say of binary splits.

Both measures lie in [0, 1] or little above and may be 0, so candidates are ranked by 1 + measure:
rounding then makes those tie whose measures differ by less than 1.5e-11, near 0 too.
"""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.columns import ROW_BITS
from retree.trees.kernels.jit import jit
from retree.trees.kernels.ranking import offer


def make_log_table(n: int) -> np.ndarray:
    """Return ``x * log2(x)`` of 0, 1, ..., n, shape (n + 1,)."""
    table = np.arange(n + 1, dtype=np.float64)
    table[1:] *= np.log2(table[1:])
    return table


@jit
def gain_ratio(counts, left, n, n_left, table):
    """Return information gain over split information, which is never 0 as no child is empty.

    Parameters
    ----------
    counts, left : ndarray of shape (n_classes,), int64
        Class counts of the node and of its left child.
    n, n_left : int
        Their sums.
    table : ndarray
        That of `make_log_table`.
    """
    before, inside = 0.0, 0.0
    for c in range(len(counts)):
        before += table[counts[c]]
        inside += table[left[c]] + table[counts[c] - left[c]]
    sides = table[n_left] + table[n - n_left]
    gain = (table[n] - before) - (sides - inside)
    return max(gain, 0.0) / (table[n] - sides)


@jit
def hellinger(counts, left, n, n_left):
    """Return the mean over classes of the Hellinger distance of the class from the others.

    It is the distance, up to sqrt(2), of two distributions over the two children: that of the rows
    of the class and that of all other rows. Of two classes it is the same for both.
    """
    total = 0.0
    present = 0
    for c in range(len(counts)):
        own = counts[c]
        if own == 0:
            continue
        others = n - own
        own_left, others_left = left[c], n_left - left[c]
        to_left = np.sqrt(own_left / own) - np.sqrt(others_left / others)
        to_right = np.sqrt((own - own_left) / own) - np.sqrt((others - others_left) / others)
        total += np.sqrt(to_left * to_left + to_right * to_right)
        present += 1
    return total / present


@jit
def _score(counts, left, n, n_left, by_hellinger, table):
    if by_hellinger:
        return 1.0 + hellinger(counts, left, n, n_left)
    return 1.0 + gain_ratio(counts, left, n, n_left, table)


@jit
def rank_wide_by_frequency(
    columns, start, end, column, by_hellinger, counts, left, table, min_side, ranking
):
    """Offer every threshold of a wide column to list 0 of `ranking`.

    Parameters
    ----------
    columns : Columns
    start, end : int
        The segment of the node.
    column : int
        Which wide column.
    by_hellinger : bool
        Rank by Hellinger distance, not by gain ratio.
    counts : ndarray of shape (n_classes,), int64
        Class counts of the node.
    left : ndarray of shape (n_classes,), int64
        Scratch.
    table : ndarray
        That of `make_log_table`.
    min_side : int
        Least number of rows of a child.
    ranking : Ranking
    """
    values = columns.entries[column, start:end]
    n = len(values)
    class_mask = np.uint64(2**columns.class_bits - 1)
    shift = np.uint64(ROW_BITS + columns.class_bits)
    left[:] = 0
    for i in range(n - min_side):
        entry = values[i]
        left[(entry >> np.uint64(ROW_BITS)) & class_mask] += 1
        if entry >> shift == values[i + 1] >> shift or i + 1 < min_side:
            continue
        score = _score(counts, left, n, i + 1, by_hellinger, table)
        if score >= ranking.cut[0]:
            offer(ranking, 0, score, column, columns.wide[column], i)


@jit
def rank_pairs_by_frequency(columns, by_hellinger, counts, ones, left, table, min_side, ranking):
    """Offer the split of each pair column that is not constant in the node to list 0."""
    n = counts.sum()
    for j in range(len(columns.pair)):
        n_left = np.int64(0)
        for c in range(len(counts)):
            left[c] = counts[c] - ones[c, j]
            n_left += left[c]
        if min(n_left, n - n_left) < max(1, min_side):
            continue
        score = _score(counts, left, n, n_left, by_hellinger, table)
        if score >= ranking.cut[0]:
            offer(ranking, 0, score, len(columns.wide) + j, columns.pair[j], 0)
