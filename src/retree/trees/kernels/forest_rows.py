"""Which rows reach which nodes of the trees of a forest, and what they are told there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.traverse import branch_at, branch_of

_LEAF = -1
TIE = 1e-6  # shares that differ by less are tied, as in prediction


class ForestRows(NamedTuple):
    """The nodes of all trees, one tree after the other, and the rows that reach them.

    An entry is a row in a leaf. One that lacks tested values has an entry in every leaf that it is
    divided over. Entries stand in the order of the leaves, nodes in depth-first order, so those of
    node ``v`` and of all below it are ``start[v]:start[stop[v]]``.
    """

    first: np.ndarray  # (n_trees + 1,) int64, root of each tree
    stop: np.ndarray  # (n_nodes,) int64, the node after the last one below
    start: np.ndarray  # (n_nodes + 1,) int64
    row: np.ndarray  # (n_entries,) int32
    part: np.ndarray  # (n_entries,) float64, how much of the row it is


@jit
def _split_at(rows, values, threshold, buffer):
    """Move the rows above the threshold before the others; return how many there are."""
    n_above = n_other = 0
    for i in range(len(rows)):
        row = rows[i]
        above = values[row] > threshold
        rows[n_above] = row
        buffer[n_other] = row
        n_above += above
        n_other += not above
    rows[n_above:] = buffer[:n_other]
    return n_above


@jit
def _find_branches(values, rows, threshold, subset, left_levels, branch):
    """Set the branch that each row takes at a test of one attribute, -1 where it is missing."""
    for i in range(len(rows)):
        branch[i] = branch_of(values[rows[i]], threshold, subset, left_levels)


@jit
def _find_branches_at(X, rows, node, tests, branch):
    """Set the branch that each row takes at any other test."""
    for i in range(len(rows)):
        branch[i] = branch_at(X[rows[i]], node, tests)


@jit
def _group(rows, branch, sizes, buffer):
    """Put rows in the order of their branches, the last branch first, as `sizes` then are too."""
    last = len(sizes) - 1
    sizes[:] = 0
    for i in range(len(rows)):
        buffer[i] = rows[i]
        sizes[last - branch[i]] += 1
    place = np.cumsum(sizes) - sizes
    for i in range(len(rows)):
        b = last - branch[i]
        rows[place[b]] = buffer[i]
        place[b] += 1


@jit
def _missing_shares(weight, node, branches, divide):
    """Return the part of a row without the tested value that each branch gets."""
    share = np.zeros(len(branches))
    if divide and weight[node] > 0.0:
        share[:] = weight[branches] / weight[node]
    else:
        share[np.argmax(weight[branches])] = 1.0
    return share


@jit
def _with_room(array, n):
    """Return `array`, or a longer copy of it if it has less than `n` places."""
    if n <= len(array):
        return array
    longer = np.empty(2 * n, array.dtype)
    longer[: len(array)] = array
    return longer


@jit
def _appended(array, n, values):
    """Return `array` with `values` behind its first `n` places."""
    array = _with_room(array, n + len(values))
    array[n : n + len(values)] = values
    return array


@jit
def _share_out(row, part, begin, branch, share, sizes):
    """Put the entries from `begin` on in the order of their branches, the last branch first.

    A row of branch -1 goes to every branch with a `share`. `sizes` becomes the number of entries of
    each branch, the last one first.
    """
    n, last = len(branch), len(sizes) - 1
    own_row, own_part = row[begin : begin + n].copy(), part[begin : begin + n].copy()
    sizes[:] = (branch < 0).sum() * (share[::-1] > 0.0)
    for b in branch:
        if b >= 0:
            sizes[last - b] += 1
    place = begin + np.cumsum(sizes)
    row, part = _with_room(row, place[last]), _with_room(part, place[last])
    place -= sizes
    for i in range(n):
        known = branch[i] >= 0
        for b in range(branch[i] if known else 0, branch[i] + 1 if known else len(sizes)):
            if known or share[b] > 0.0:
                at = place[last - b]
                row[at], part[at] = own_row[i], own_part[i] * (1.0 if known else share[b])
                place[last - b] += 1
    return row, part


@jit
def place_rows(X, columns, tests, weight, has_missing, divide):
    """Return where the rows end in a tree: `stop`, `start`, `row` and `part` of `ForestRows`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    columns : ndarray of shape (n_features, n_samples)
        The same, column by column.
    tests : Tests
    weight : ndarray of shape (node_count,)
        Training weight of each node.
    has_missing : bool
        Whether there are NaNs in `X`.
    divide : bool
        Whether a row without the tested value goes to all branches in proportion to their weight;
        else, and where no branch has a weight, to the first of the heaviest.
    """
    # Arrays by themselves: to hand over all of `tests` at every node takes longer than most tests.
    ptr, children, feature = tests.children_ptr, tests.children, tests.feature
    threshold, subset, left_levels = tests.threshold, tests.subset, tests.left_levels
    n_nodes, n = len(weight), X.shape[0]
    # Nodes come depth first, so the entries of those that wait for their turn are a stack.
    row, part, top = np.arange(n).astype(np.int32), np.ones(n), n
    size, n_waiting = np.empty(n_nodes, np.int64), 1
    size[0] = n
    placed_row, placed_part, start = row.copy(), part.copy(), np.zeros(n_nodes + 1, np.int64)
    buffer, branches = np.empty(n, np.int32), np.empty(n, np.int64)
    for v in range(n_nodes):
        n_waiting -= 1
        begin = top - size[n_waiting]
        own, branch, j = row[begin:top], branches[: top - begin], feature[v]
        start[v + 1] = start[v]
        if j == _LEAF:
            start[v + 1] += len(own)
            placed_row = _appended(placed_row, start[v], own)
            placed_part = _appended(placed_part, start[v], part[begin:top])
            top = begin
            continue
        sizes = size[n_waiting : n_waiting + ptr[v + 1] - ptr[v]]
        n_waiting += len(sizes)
        if j >= 0 and not has_missing and not np.isnan(threshold[v]):
            sizes[0] = _split_at(own, columns[j], threshold[v], buffer)
            sizes[1] = len(own) - sizes[0]
            continue
        if j >= 0:
            _find_branches(columns[j], own, threshold[v], subset[v], left_levels, branch)
        else:
            _find_branches_at(X, own, v, tests, branch)
        if has_missing:
            share = _missing_shares(weight, v, children[ptr[v] : ptr[v + 1]], divide)
            row, part = _share_out(row, part, begin, branch, share, sizes)
            top = begin + sizes.sum()
        else:
            _group(own, branch, sizes, buffer)
    n = start[n_nodes]
    return last_below(tests), start, placed_row[:n].copy(), placed_part[:n].copy()


@jit
def last_below(tests):
    """Return for each node the number after that of the last node below it."""
    ptr = tests.children_ptr
    stop = np.arange(1, len(ptr))
    for v in range(len(stop) - 1, -1, -1):
        if ptr[v] < ptr[v + 1]:
            stop[v] = stop[tests.children[ptr[v + 1] - 1]]
    return stop


@jit
def class_counts(rows, y, n_classes):
    """Return the rows of each class that reach each node, shape (n_nodes, n_classes)."""
    counts = np.zeros((len(rows.stop), n_classes))
    for v in range(len(counts) - 1, -1, -1):
        child, stop = v + 1, rows.stop[v]
        if child == stop:
            for e in range(rows.start[v], rows.start[stop]):
                counts[v, y[rows.row[e]]] += rows.part[e]
        while child < stop:
            counts[v] += counts[child]
            child = rows.stop[child]
    return counts


@jit
def first_greatest(values):
    """Return the place of the greatest value, the first of those that tie with it."""
    greatest = values.max()
    for k in range(len(values)):
        if values[k] > greatest - TIE:
            return k
    return 0


@jit
def mean_shares(rows, ends, value, tree_weight, n_samples):
    """Return the forest's class shares of each row, eq. (1), shape (n_samples, n_classes).

    If the weights do not sum to 1, neither do they.

    Parameters
    ----------
    rows : ForestRows
    ends : ndarray of shape (n_entries,)
        Node in which each entry ends.
    value : ndarray of shape (n_nodes, n_classes)
        Class shares of the nodes.
    tree_weight : ndarray of shape (n_trees,)
        What each tree counts for.
    n_samples : int
    """
    shares = np.zeros((n_samples, value.shape[1]))
    for i in range(len(tree_weight)):
        for e in range(rows.start[rows.first[i]], rows.start[rows.first[i + 1]]):
            weight, row, node = tree_weight[i] * rows.part[e], rows.row[e], ends[e]
            for k in range(value.shape[1]):
                shares[row, k] += weight * value[node, k]
    return shares


@jit
def ends_in_leaves(rows):
    """Return the leaf of each entry, shape (n_entries,)."""
    ends = np.empty(len(rows.row), np.int32)
    for v in range(len(rows.stop)):
        if rows.stop[v] == v + 1:
            ends[rows.start[v] : rows.start[v + 1]] = v
    return ends


@jit
def make_leaf(node, rows, ends, value, tree_weight, shares):
    """Let what is below a node end in it; the forest's `shares` of the rows follow."""
    for e in range(rows.start[node], rows.start[rows.stop[node]]):
        weight, row, before = tree_weight * rows.part[e], rows.row[e], ends[e]
        for k in range(value.shape[1]):
            shares[row, k] += weight * (value[node, k] - value[before, k])
        ends[e] = node


@jit
def nodes_in_use(i, rows, cut):
    """Return the nodes of tree `i` that are not below one that is cut."""
    last = rows.first[i + 1]
    nodes = np.empty(last - rows.first[i], np.int64)
    v, n = rows.first[i], 0
    while v < last:
        nodes[n] = v
        n += 1
        v = rows.stop[v] if cut[v] else v + 1
    return nodes[:n]
