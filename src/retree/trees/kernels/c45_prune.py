"""Error-based pruning with subtree raising, and the collapsing of tests that mend no error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.centres import Centres
from retree.trees.kernels.gain import TOLERANCE
from retree.trees.kernels.jit import jit
from retree.trees.kernels.stacks import with_room
from retree.trees.kernels.traverse import branch_at, branch_of

_SLACK = 0.1  # errors that a smaller tree may be estimated to make more
_COLLAPSE_SLACK = 1e-3


class Draft(NamedTuple):
    """A tree whose nodes can be cut off and moved up."""

    first: np.ndarray  # (node_count,) int32 place of the first child in `children`
    n_children: np.ndarray  # (node_count,) int32, 0 at a leaf
    children: np.ndarray  # (n_edges,) int32
    feature: np.ndarray  # (node_count,) int32
    threshold: np.ndarray  # (node_count,) float64
    subset: np.ndarray  # (node_count,) int32
    left_levels: np.ndarray  # (n_subsets, n_levels) bool
    normals: np.ndarray  # (node_count, n_features) float64, or no rows
    centres: Centres  # or empty
    counts: np.ndarray  # (node_count, n_classes) float64


class Rows(NamedTuple):
    """Training rows by node: each node has a segment, children's segments lie in it or behind."""

    row: np.ndarray  # (capacity,) int32
    weight: np.ndarray  # (capacity,) float64


@jit
def added_errors(total, errors, confidence, z):
    """Return how far the upper confidence limit of the errors lies above `errors`.

    The limit is that of a binomial share, by the normal approximation with continuity correction;
    exact for no error, and linear between none and one.
    """
    if errors < 1:
        none = total * (1 - confidence ** (1 / total))
        if errors == 0:
            return none
        return none + errors * (_normal_bound(total, 1.0, z) - none)
    return _normal_bound(total, errors, z)


@jit
def _normal_bound(total, errors, z):
    """Return the excess of the upper limit for at least one error."""
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    f = (errors + 0.5) / total
    spread = np.sqrt(f / total - f * f / total + z * z / (4 * total * total))
    limit = (f + z * z / (2 * total) + z * spread) / (1 + z * z / total)
    return limit * total - errors


@jit
def estimated_errors(counts, confidence, z):
    """Return the pessimistic number of errors of a leaf with class weights `counts`."""
    total = counts.sum()
    if total < TOLERANCE:
        return 0.0
    errors = total - counts.max()
    return errors + added_errors(total, errors, confidence, z)


@jit
def collapsible(draft):
    """Return which nodes err as leaves no more in training than the leaves below them."""
    n = len(draft.first)
    errors = np.zeros(n)
    marked = np.zeros(n, np.bool_)
    for node in range(n - 1, -1, -1):
        leaf_errors = draft.counts[node].sum() - draft.counts[node].max()
        if draft.n_children[node] == 0:
            errors[node] = leaf_errors
            continue
        for edge in range(draft.first[node], draft.first[node] + draft.n_children[node]):
            errors[node] += errors[draft.children[edge]]
        marked[node] = errors[node] >= leaf_errors - _COLLAPSE_SLACK
    return marked


@jit
def _enlarged(rows, used, n):
    """Return `rows` with room for `n` more behind the first `used`."""
    if used + n <= len(rows.row):
        return rows
    capacity = 2 * len(rows.row) + n
    row, weight = np.empty(capacity, np.int32), np.empty(capacity)
    row[:used] = rows.row[:used]
    weight[:used] = rows.weight[:used]
    return Rows(row, weight)


@jit
def _branches(draft, node, X, rows):
    """Return the branch that each row takes at the test of `node`, -1 if a value is missing."""
    branch = np.empty(len(rows), np.int32)
    j, threshold, subset = draft.feature[node], draft.threshold[node], draft.subset[node]
    if j < 0:
        for i in range(len(rows)):
            branch[i] = branch_at(X[rows[i]], node, draft)
        return branch
    # The common case by itself: to hand over a whole row costs more than the test.
    for i in range(len(rows)):
        branch[i] = branch_of(X[rows[i], j], threshold, subset, draft.left_levels)
    return branch


@jit
def divide(draft, node, X, rows, start, end, used):
    """Divide the rows in ``start:end`` over the branches of `node`.

    Rows without a value go to every branch in proportion to its weight; then all children get
    copies behind `used`. Otherwise the segment is put in the order of the branches.

    Returns
    -------
    rows : Rows
    bounds : ndarray of shape (n_branches + 1,)
        ``bounds[b]:bounds[b + 1]`` is the segment of branch b.
    used : int
    """
    n, size = draft.n_children[node], end - start
    branch = _branches(draft, node, X, rows.row[start:end])
    sizes, totals = np.zeros(n, np.int64), np.zeros(n)
    n_missing = 0
    for i in range(size):
        b = branch[i]
        if b < 0:
            n_missing += 1
        else:
            sizes[b] += 1
            totals[b] += rows.weight[start + i]
    share = np.full(n, 1.0 / n)
    if totals.sum() >= TOLERANCE:
        share = totals / totals.sum()
    if n_missing > 0:
        sizes += n_missing * (share > TOLERANCE)
    bounds = np.empty(n + 1, np.int64)
    bounds[0] = start if n_missing == 0 else used
    for b in range(n):
        bounds[b + 1] = bounds[b] + sizes[b]
    row, weight = rows.row[start:end].copy(), rows.weight[start:end].copy()
    if n_missing > 0:
        rows = _enlarged(rows, used, bounds[n] - used)
        used = bounds[n]
    place = bounds[:n].copy()
    for i in range(size):
        b = branch[i]
        if b >= 0:
            rows.row[place[b]], rows.weight[place[b]] = row[i], weight[i]
            place[b] += 1
            continue
        for b in range(n):
            if share[b] > TOLERANCE:
                rows.row[place[b]], rows.weight[place[b]] = row[i], weight[i] * share[b]
                place[b] += 1
    return rows, bounds, used


@jit
def _class_weights(rows, start, end, y, counts):
    """Set `counts` to the class weights of the rows in ``start:end``."""
    counts[:] = 0.0
    for i in range(start, end):
        counts[y[rows.row[i]]] += rows.weight[i]


@jit
def redistribute(draft, top_node, X, y, rows, start, end, used, confidence, z, counts):
    """Send the rows in ``start:end`` down from `top_node`.

    Sets `counts`, shape (node_count, n_classes), of every node below and returns the estimated
    errors of the leaves, and `rows`.
    """
    stack = np.empty((64, 3), np.int64)
    stack[0] = (top_node, start, end)
    top, errors = 1, 0.0
    while top > 0:
        top -= 1
        node, start, end = stack[top]
        _class_weights(rows, start, end, y, counts[node])
        if draft.n_children[node] == 0:
            errors += estimated_errors(counts[node], confidence, z)
            continue
        rows, bounds, used = divide(draft, node, X, rows, start, end, used)
        stack = with_room(stack, top, draft.n_children[node])
        for b in range(draft.n_children[node]):
            child = np.int64(draft.children[draft.first[node] + b])
            stack[top] = (child, bounds[b], bounds[b + 1])
            top += 1
    return errors, rows


@jit
def _largest_child(draft, node):
    """Return the child of greatest weight, the last of those that are equal."""
    best, largest = 0.0, -1
    for b in range(draft.n_children[node]):
        child = draft.children[draft.first[node] + b]
        weight = draft.counts[child].sum()
        if weight > best - TOLERANCE:
            best, largest = weight, child
    return largest


@jit
def _raise(draft, node, child):
    """Put `child`, with everything below it, in the place of `node`."""
    draft.first[node], draft.n_children[node] = draft.first[child], draft.n_children[child]
    draft.feature[node], draft.threshold[node] = draft.feature[child], draft.threshold[child]
    draft.subset[node] = draft.subset[child]
    if len(draft.normals) > 0:
        draft.normals[node] = draft.normals[child]
    centres = draft.centres
    if len(centres.gamma) > 0:
        centres.weight[node], centres.gamma[node] = centres.weight[child], centres.gamma[child]
        centres.metric[node] = centres.metric[child]
        centres.first[node], centres.n_centres[node] = (
            centres.first[child],
            centres.n_centres[child],
        )


@jit
def _copy_counts(draft, top_node, counts):
    """Set the class weights of `top_node` and of all nodes below to `counts`."""
    stack = np.empty(len(draft.first), np.int32)
    stack[0], top = top_node, 1
    while top > 0:
        top -= 1
        node = stack[top]
        draft.counts[node] = counts[node]
        for b in range(draft.n_children[node]):
            stack[top] = draft.children[draft.first[node] + b]
            top += 1


@jit
def prune(draft, X, y, weight, confidence, z, subtree_raising):
    """Replace nodes, from the leaves up, by a leaf or by their largest branch.

    A node becomes a leaf, or else gives its place to its largest branch, if that is estimated to
    make no more errors than the node's subtree. A raised branch is pruned again.
    """
    n_samples = len(y)
    rows = Rows(np.arange(n_samples).astype(np.int32), weight.copy())
    trial = np.empty_like(draft.counts)
    errors = np.zeros(len(draft.first))
    # Item: node, its rows, the rows behind its children's, whether its children are pruned.
    stack = np.empty((64, 5), np.int64)
    stack[0] = (0, 0, n_samples, n_samples, 0)
    top = 1
    while top > 0:
        top -= 1
        node, start, end, used, done = stack[top]
        leaf_errors = estimated_errors(draft.counts[node], confidence, z)
        n = draft.n_children[node]
        if n == 0:
            errors[node] = leaf_errors
            continue
        if done == 0:
            rows, bounds, behind = divide(draft, node, X, rows, start, end, used)
            stack = with_room(stack, top, n + 1)
            stack[top] = (node, start, end, used, 1)
            for b in range(n):
                child = np.int64(draft.children[draft.first[node] + b])
                stack[top + 1 + b] = (child, bounds[b], bounds[b + 1], behind, 0)
            top += n + 1
            continue
        errors[node] = 0.0
        for b in range(n):
            errors[node] += errors[draft.children[draft.first[node] + b]]
        largest = _largest_child(draft, node)
        branch_errors = np.inf
        if subtree_raising:
            branch_errors, rows = redistribute(
                draft, largest, X, y, rows, start, end, used, confidence, z, trial
            )
        limit = errors[node] + _SLACK + TOLERANCE
        if leaf_errors < limit and leaf_errors < branch_errors + _SLACK + TOLERANCE:
            draft.n_children[node] = 0
            errors[node] = leaf_errors
        elif branch_errors < limit:
            _copy_counts(draft, largest, trial)
            _raise(draft, node, largest)
            stack[top] = (node, start, end, used, 0)
            top += 1
    return 0


@jit
def reachable(draft):
    """Return the nodes that hang together with the root, depth first."""
    found = np.empty(len(draft.first), np.int32)
    stack = np.zeros(len(draft.first), np.int32)
    n, top = 0, 1
    while top > 0:
        top -= 1
        node = stack[top]
        found[n] = node
        n += 1
        for b in range(draft.n_children[node] - 1, -1, -1):
            stack[top] = draft.children[draft.first[node] + b]
            top += 1
    return found[:n]
