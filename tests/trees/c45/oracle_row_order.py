"""The sums of J48 over the rows of a node, in the order in which it has sorted them."""

from functools import reduce
from operator import add

import numpy as np

TOLERANCE = 1e-6


def added_up(values):
    """Return the sum from left to right, which Python's own does not give since 3.12."""
    return reduce(add, values, 0.0)


def sorted_as_weka(values):
    """Return the order of `values`, NaN last, by the quicksort of ``weka.core.Utils``."""
    keys = [np.finfo(float).max if np.isnan(v) else v for v in values]
    order = list(range(len(keys)))
    _sort(keys, order, 0, len(keys) - 1)
    return order


def _sort(keys, order, left, right):
    def settle(i, j):
        if keys[order[i]] > keys[order[j]]:
            order[i], order[j] = order[j], order[i]

    if right - left < 3:
        middle = left + 1 if right - left == 2 else right
        for pair in ((left, middle), (left, right), (middle, right)) if right > left else ():
            settle(*pair)
        return
    middle = (left + right) // 2
    for pair in ((left, middle), (left, right), (middle, right)):
        settle(*pair)
    order[middle], order[right - 1] = order[right - 1], order[middle]
    pivot, i, j = keys[order[right - 1]], left, right - 1
    while True:
        i, j = i + 1, j - 1
        while keys[order[i]] < pivot:
            i += 1
        while keys[order[j]] > pivot:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]
    order[i], order[right - 1] = order[right - 1], order[i]
    _sort(keys, order, left, i - 1)
    _sort(keys, order, i + 1, right)


def sums_of_nodes(tree, sample, numeric):
    """Return counts and row sums of the nodes of a tree that was grown on `sample`."""
    counts, sums = np.zeros_like(tree.counts), np.zeros((tree.node_count, 2))
    rows = list(zip(range(len(sample.y)), sample.weight.tolist(), strict=True))
    sent = added_up(weight for _, weight in rows)
    stack = [(0, rows, sent)]
    while stack:
        node, rows, sums[node, 1] = stack.pop()
        if tree.feature[node] < 0:
            _add(counts[node], rows, sample.y)
            sums[node, 0] = added_up(weight for _, weight in rows)
            if counts[node].sum() < TOLERANCE:
                counts[node], sums[node, 0] = 0, 0
            continue
        branches, sent = _divided(tree, node, rows, sample, numeric, counts, sums)
        stack += zip(tree.children_of(node), branches, sent, strict=True)
    return counts, sums


def _divided(tree, node, rows, sample, numeric, counts, sums):
    """Return the rows of each branch and what J48 says that it sends there."""
    feature, children = tree.feature[node], tree.children_of(node)
    is_numeric = feature in numeric
    rows = _sorted(rows, sample.X, [j for j in numeric if j < feature + is_numeric])
    branch = {}
    for row, _ in rows:
        value = sample.X[row, feature]
        if not np.isnan(value):
            branch[row] = int(value > tree.threshold[node] if is_numeric else value)
    known = [(row, weight) for row, weight in rows if row in branch]
    sent = [added_up(w for row, w in known if branch[row] == b) for b in range(len(children))]
    _add(counts[node], known, sample.y)
    total = added_up(sent) if is_numeric else added_up(weight for _, weight in known)
    part = [s / total for s in sent]
    rows = _sorted(rows, sample.X, [j for j in numeric if j >= feature + is_numeric])
    for row, weight in rows:
        if row not in branch:
            counts[node, sample.y[row]] += weight
            total += weight
            sent = [s + p * weight for s, p in zip(sent, part, strict=True)]
    sums[node, 0] = total
    share = [s / total if s / total > TOLERANCE else 0 for s in sent]
    return [_branch(rows, branch, b, share[b]) for b in range(len(children))], sent


def _branch(rows, branch, b, share):
    kept = [(row, weight, branch.get(row)) for row, weight in rows]
    parts = [(row, weight if own == b else weight * share) for row, weight, own in kept
             if own == b or (own is None and share > 0)]  # fmt: skip
    return parts


def _sorted(rows, X, features):
    for j in features:
        rows = [rows[i] for i in sorted_as_weka([X[row, j] for row, _ in rows])]
    return rows


def _add(counts, rows, y):
    for row, weight in rows:
        counts[y[row]] += weight
