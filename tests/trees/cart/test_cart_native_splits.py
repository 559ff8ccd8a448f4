"""Categorical splits against scikit-learn's, with the levels put in Breiman's order at each node.

scikit-learn's own categorical splits, which are in no release yet, search this order too.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import examples
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree import CartClassifier, CartRegressor

OPTIONS = {"min_samples_split": 25, "max_depth": 3}
PAIRS = {
    "gini": (CartClassifier, DecisionTreeClassifier),
    "entropy": (CartClassifier, DecisionTreeClassifier),
    "squared_error": (CartRegressor, DecisionTreeRegressor),
}


def table(seed, criterion, n=90):
    """Return level codes and a number, a target, and weights that leave no ties."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [4, 12], (n, 2))
    number = rng.permutation(n).astype(float)
    effect = rng.normal(size=(2, 12))
    y = effect[0][codes[:, 0]] + effect[1][codes[:, 1]] + number / n + rng.normal(0, 0.5, n)
    if criterion != "squared_error":
        y = (y > np.median(y)).astype(int)
    return np.column_stack([codes, number]), y, rng.uniform(0.5, 2, n)


def ranks(X, y, w):
    """Return the rows with the rank of its level, by the mean target, in the place of each.

    No best split parts levels of one mean, so that their order does not matter.
    """
    coded = X.copy()
    for j in (0, 1):
        place = np.unique(X[:, j], return_inverse=True)[1]
        means = np.bincount(place, w * y) / np.bincount(place, w)
        coded[:, j] = np.argsort(np.argsort(means))[place]
    return coded


def stumps(cls, X, y, w, criterion, rows, depth=0):
    """Yield the rows of each leaf of a tree that is grown by scikit-learn's stumps."""
    stump = cls(criterion=criterion, max_depth=1, min_samples_split=25, random_state=0)
    coded = ranks(X[rows], y[rows], w[rows])
    tree = stump.fit(coded, y[rows], w[rows]).tree_
    if depth == OPTIONS["max_depth"] or tree.node_count == 1:
        yield tuple(rows)
        return
    left = coded[:, tree.feature[0]] <= tree.threshold[0]
    for side in (left, ~left):
        yield from stumps(cls, X, y, w, criterion, rows[side], depth + 1)


@pytest.mark.parametrize("criterion", PAIRS)
@settings(examples, max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_trees_are_those_of_breimans_order(criterion, seed):
    X, y, w = table(seed, criterion)
    ours, theirs = PAIRS[criterion]
    frame = pd.DataFrame(X, columns=list("abc")).astype({"a": "category", "b": "category"})
    leaves = ours(criterion=criterion, **OPTIONS).fit(frame, y, w).apply(frame)
    found = {tuple(np.flatnonzero(leaves == leaf)) for leaf in np.unique(leaves)}
    assert found == set(stumps(theirs, X, y, w, criterion, np.arange(len(y))))
