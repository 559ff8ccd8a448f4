"""CART from its definitions, by brute force: every threshold and every subset of levels."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial

import numpy as np

CLOSE = 1e-10  # gains of small problems differ by more, or are equal


@dataclass(frozen=True)
class Rule:
    """The parameters of the estimators."""

    criterion: str
    max_depth: float = np.inf
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_impurity_decrease: float = 0.0
    max_class_share: float = 1.0


@dataclass(frozen=True)
class Split:
    """A candidate: its gain per unit of the node's weight, and where the node's rows go."""

    gain: float
    feature: int
    threshold: float
    levels: tuple[int, ...]  # of a nominal split, those that go left
    goes_left: np.ndarray


def shares(y, w):
    return np.array([w[y == c].sum() for c in np.unique(y)]) / w.sum()


def gini(y, w):
    return 1 - (shares(y, w) ** 2).sum()


def entropy(y, w):
    return -(shares(y, w) * np.log2(shares(y, w))).sum()


def squared_error(y, w):
    return np.average((y - np.average(y, weights=w)) ** 2, weights=w)


def decrease(impurity, y, w, left):
    after = sum(w[s].sum() / w.sum() * impurity(y[s], w[s]) for s in (left, ~left))
    return impurity(y, w) - after


def twoing(y, w, left):
    difference = 0.0
    for c in np.unique(y):
        parts = [w[side & (y == c)].sum() / w[side].sum() for side in (left, ~left)]
        difference += abs(parts[0] - parts[1])
    return w[left].sum() * w[~left].sum() / w.sum() ** 2 / 4 * difference**2


# The gain of each criterion by its definition, of rows of which some go left.
GAINS = {
    "twoing": twoing,
    **{each.__name__: partial(decrease, each) for each in (gini, entropy, squared_error)},
}


def gain(y, w, left, criterion):
    return GAINS[criterion](y, w, left)


def is_heavier(left, right):
    """Whether the left child is the heavier one; sums that differ by rounding are equal."""
    return left.sum() >= right.sum() * (1 - CLOSE)


def sides(column, n_levels):
    """Yield (threshold, levels, mask of the rows that go left), first candidates first."""
    values = np.unique(column[~np.isnan(column)])
    if n_levels < 0:
        for low, high in itertools.pairwise(values):
            yield low / 2 + high / 2, (), column <= low
        return
    others = values[1:]
    for number in range(2 ** len(others) - 1):
        chosen = [v for i, v in enumerate(others) if number >> i & 1]
        levels = [values[0], *chosen]
        yield np.nan, tuple(int(v) for v in levels), np.isin(column, levels)


def candidates(X, y, w, n_levels, rule):
    """Return all splits that leave enough rows on both sides, in the order that decides ties."""
    found = []
    for j, k in enumerate(n_levels):
        known = ~np.isnan(X[:, j])
        if not known.any():
            continue
        for threshold, levels, left in sides(X[:, j], k):
            goes_left = left | (~known & is_heavier(w[left], w[known & ~left]))
            if min(goes_left.sum(), (~goes_left).sum()) >= rule.min_samples_leaf:
                known_gain = gain(y[known], w[known], left[known], rule.criterion)
                share = w[known].sum() / w.sum()
                found.append(Split(known_gain * share, j, threshold, levels, goes_left))
    return found


def best_split(X, y, w, n_levels, rule, total):
    """Return the split of a node, None of a leaf, whatever its depth."""
    is_class = rule.criterion != "squared_error"
    if len(y) < max(rule.min_samples_split, 2 * rule.min_samples_leaf) or len(np.unique(y)) == 1:
        return None
    if is_class and shares(y, w).max() >= rule.max_class_share:
        return None
    found = candidates(X, y, w, n_levels, rule)
    if not found:
        return None
    close = CLOSE * (1.0 if is_class else squared_error(y, w))
    greatest = max(split.gain for split in found)
    best = next(split for split in found if split.gain >= greatest - close)
    if w.sum() / total * best.gain < rule.min_impurity_decrease - CLOSE:
        return None
    return best


def check_tree(tree, X, y, w, n_levels, rule):
    """Assert that `tree` is the one that the definitions give; return its number of splits."""
    n_splits = 0
    pending = [(0, np.arange(len(y)), 0)]
    while pending:
        node, rows, depth = pending.pop()
        check_counts(tree, node, y[rows], w[rows])
        split = None
        if depth < rule.max_depth:
            split = best_split(X[rows], y[rows], w[rows], n_levels, rule, w.sum())
        if split is None:
            assert tree.is_leaf[node]
            continue
        n_splits += 1
        assert tree.feature[node] == split.feature
        np.testing.assert_equal(tree.threshold[node], split.threshold)
        left, right = split.goes_left, ~split.goes_left
        if n_levels[split.feature] >= 0:
            check_levels(tree, node, X[rows, split.feature], w[rows], split, n_levels)
        children = tree.children_of(node)
        pending += [(children[0], rows[left], depth + 1), (children[1], rows[right], depth + 1)]
    return n_splits


def check_counts(tree, node, y, w):
    if tree.moments is None:
        expected = [w[y == c].sum() for c in range(tree.counts.shape[1])]
        np.testing.assert_allclose(tree.counts[node], expected, rtol=1e-12)
        return
    mean = np.average(y, weights=w)
    np.testing.assert_allclose(tree.counts[node], [w.sum()], rtol=1e-12)
    expected = [mean, np.average((y - mean) ** 2, weights=w)]
    np.testing.assert_allclose(tree.moments[node], expected, rtol=1e-12, atol=1e-12)


def check_levels(tree, node, column, w, split, n_levels):
    """Assert that the levels of the subset go left, and absent ones with the heavier child."""
    known = ~np.isnan(column)
    left = np.isin(column, split.levels)
    absent_left = is_heavier(w[left], w[known & ~left])
    codes = range(n_levels[split.feature])
    expected = [c in split.levels or (absent_left and c not in column) for c in codes]
    actual = tree.left_levels.mask[tree.subset[node]]
    np.testing.assert_array_equal(actual[: len(codes)], expected)
    assert not actual[len(codes) :].any()
