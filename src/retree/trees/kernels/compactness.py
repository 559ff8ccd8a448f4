"""CSN, class compactness over class separation in the same child (structure_purity, eqs. 11-14).

The candidates of one column cut the node's rows, in the order of the column, into runs. Each run is
summarised once, and the summaries are merged from the front and from the back into those of the
left and right children, so k candidates of a column cost little more than one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.columns import ROW_MASK
from retree.trees.kernels.geometry import inverse_square
from retree.trees.kernels.jit import jit

# Squared distance, in unit ranges, below which two centroids are the same but for rounding.
_COINCIDENT = 1e-24


class Summary(NamedTuple):
    """Sums over a set of rows, from which CSN follows; they can be merged."""

    counts: np.ndarray  # (n_classes,) float64 rows of each class
    mean: np.ndarray  # (n_classes, n_wide) class centroids of the scaled columns
    scatter: np.ndarray  # (n_classes, n_wide) sums of squared deviations from them
    ones: np.ndarray  # (n_classes, n_pair) float64 sums of the bits
    low: np.ndarray  # (n_wide,) least scaled value
    high: np.ndarray  # (n_wide,) greatest scaled value


@jit
def _empty_summary(n_classes, n_wide, n_pair):
    return Summary(
        np.zeros(n_classes),
        np.zeros((n_classes, n_wide)),
        np.zeros((n_classes, n_wide)),
        np.zeros((n_classes, n_pair)),
        np.full(n_wide, np.inf),
        np.full(n_wide, -np.inf),
    )


@jit
def _summarise_wide(columns, rows, found):
    """Add what `found` says of the wide columns; two passes, as one-pass sums of squares cancel."""
    n_wide = len(columns.wide)
    low, high = found.low, found.high
    for row in rows:
        c = columns.y[row]
        found.counts[c] += 1.0
        for j in range(n_wide):
            value = columns.scaled[row, j]
            found.mean[c, j] += value
            low[j] = value if value < low[j] else low[j]
            high[j] = value if value > high[j] else high[j]
    for c in range(columns.n_classes):
        found.mean[c] /= max(found.counts[c], 1.0)
    for row in rows:
        c = columns.y[row]
        for j in range(n_wide):
            difference = columns.scaled[row, j] - found.mean[c, j]
            found.scatter[c, j] += difference * difference


@jit
def _summarise_runs(columns, rows, cuts, ones):
    """Return the summaries of the runs of `rows` between `cuts`.

    The bits of the longest run are what the other runs leave of those of the node, `ones`.
    """
    n_classes, n_wide, n_pair = columns.n_classes, len(columns.wide), len(columns.pair)
    edges = np.empty(len(cuts) + 2, np.int64)
    edges[0], edges[-1] = 0, len(rows)
    edges[1:-1] = cuts + 1
    longest = np.argmax(np.diff(edges))
    runs = [_empty_summary(n_classes, n_wide, n_pair) for _ in range(len(cuts) + 1)]
    rest = runs[longest].ones
    rest += ones
    for i in range(len(runs)):
        members = rows[edges[i] : edges[i + 1]]
        _summarise_wide(columns, members, runs[i])
        if i == longest or n_pair == 0:
            continue
        own = runs[i].ones
        for row in members:
            c = columns.y[row]
            for s in range(columns.set_start[row], columns.set_start[row + 1]):
                own[c, columns.set_pairs[s]] += 1.0
                rest[c, columns.set_pairs[s]] -= 1.0
    return runs


@jit
def _merge(into, other):
    """Merge the summary `other` into `into` (Chan, Golub and LeVeque's update)."""
    for c in range(len(into.counts)):
        both = into.counts[c] + other.counts[c]
        if other.counts[c] == 0.0:
            continue
        share = other.counts[c] / both
        weight = into.counts[c] * share
        mean, scatter = into.mean[c], into.scatter[c]
        for j in range(len(into.low)):
            difference = other.mean[c, j] - mean[j]
            scatter[j] += other.scatter[c, j] + difference * difference * weight
            mean[j] += difference * share
        into.ones[c] += other.ones[c]
        into.counts[c] = both
    for j in range(len(into.low)):
        into.low[j] = min(into.low[j], other.low[j])
        into.high[j] = max(into.high[j], other.high[j])


@jit
def _separation(summary, weight, codes):
    """Return BCM: the squared distances of the two sides' means, summed over dichotomies."""
    n_classes, n_wide, n_pair = len(summary.counts), len(summary.low), summary.ones.shape[1]
    total = 0.0
    for d in range(codes.shape[1]):
        rows = np.zeros(2)
        means = np.zeros((2, n_wide + n_pair))
        for c in range(n_classes):
            if codes[c, d] == 0 or summary.counts[c] == 0.0:
                continue
            side = 1 if codes[c, d] > 0 else 0
            rows[side] += summary.counts[c]
            for j in range(n_wide):
                means[side, j] += summary.counts[c] * summary.mean[c, j]
            for j in range(n_pair):
                means[side, n_wide + j] += summary.ones[c, j]
        if rows[0] == 0.0 or rows[1] == 0.0:
            continue
        for j in range(n_wide + n_pair):
            difference = means[1, j] / rows[1] - means[0, j] / rows[0]
            total += difference * difference * (weight[j] if j < n_wide else 1.0)
    return total


@jit
def _compactness(summary, weight, codes):
    """Return the CSN of one child."""
    present = 0
    within = 0.0
    for c in range(len(summary.counts)):
        n = summary.counts[c]
        if n == 0.0:
            continue
        present += 1
        for j in range(len(summary.low)):
            within += weight[j] * summary.scatter[c, j]
        for j in range(summary.ones.shape[1]):
            within += summary.ones[c, j] * (1.0 - summary.ones[c, j] / n)
    if present < 2:
        return 0.0
    separation = _separation(summary, weight, codes)
    if separation <= _COINCIDENT:
        return np.inf
    # Rows of a class that coincide have no scatter, however their sum was rounded.
    return within / separation if within > _COINCIDENT * summary.counts.sum() else 0.0


@jit
def _child_weight(summary, node_weight, scale_by_child):
    """Return the inverse squared range of each attribute, in the child or in its parent."""
    if not scale_by_child:
        return node_weight
    weight = np.empty(len(summary.low))
    for j in range(len(weight)):
        weight[j] = inverse_square(summary.high[j] - summary.low[j])
    return weight


@jit
def csn_of_cuts(columns, rows, cuts, ones, node_weight, scale_by_child, codes, csn):
    """Fill `csn` with the CSN of cutting ``rows`` behind each of the ascending positions `cuts`.

    Parameters
    ----------
    columns : Columns
    rows : ndarray of shape (n,), int32
        Rows of the node in the order of the column that is cut.
    cuts : ndarray of shape (n_cuts,), int64
        A cut at position i leaves ``rows[: i + 1]`` on the left.
    ones : ndarray of shape (n_classes, n_pair), int32
        Rows of the node with the larger value of each pair column.
    node_weight : ndarray of shape (n_wide + n_pair,)
        Inverse squared ranges in the node, used if not `scale_by_child`.
    scale_by_child : bool
        Whether each child is scaled by its own ranges or by those of the node.
    codes : ndarray of shape (n_classes, n_dichotomies), int8
        The two sides, +1 and -1, of each dichotomy.
    csn : ndarray of shape (n_cuts,)
        Receives the values.
    """
    n, n_wide, n_pair = len(rows), len(columns.wide), len(columns.pair)
    runs = _summarise_runs(columns, rows, cuts, ones)
    child = _empty_summary(columns.n_classes, n_wide, n_pair)
    for i in range(len(cuts)):
        _merge(child, runs[i])
        weight = _child_weight(child, node_weight, scale_by_child)
        csn[i] = (cuts[i] + 1.0) / n * _compactness(child, weight, codes)
    child = _empty_summary(columns.n_classes, n_wide, n_pair)
    for i in range(len(cuts) - 1, -1, -1):
        _merge(child, runs[i + 1])
        weight = _child_weight(child, node_weight, scale_by_child)
        csn[i] += (n - cuts[i] - 1.0) / n * _compactness(child, weight, codes)


@jit
def rows_by_column(columns, start, end, column):
    """Return the rows of a node in the order of a column."""
    rows = np.empty(end - start, np.int32)
    n_wide = len(columns.wide)
    if column < n_wide:
        for i in range(len(rows)):
            rows[i] = columns.entries[column, start + i] & ROW_MASK
        return rows
    n_ones = 0
    for row in columns.rows[start:end]:
        n_ones += columns.bits[row, column - n_wide]
    zero, one = 0, len(rows) - n_ones
    for row in columns.rows[start:end]:
        if columns.bits[row, column - n_wide]:
            rows[one] = row
            one += 1
        else:
            rows[zero] = row
            zero += 1
    return rows
