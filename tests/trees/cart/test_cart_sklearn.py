"""CART against scikit-learn, node by node, on numbers that are exact in float32."""

from __future__ import annotations

from functools import cache
from math import isclose

import numpy as np
import pytest
from oracle_cart import gain
from real_sets import read_set
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_friedman1,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree import CartClassifier, CartRegressor

BUNDLED = [load_iris, load_wine, load_breast_cancer, load_digits]
REAL = [
    "appendicitis",
    "banknote",
    "bupa",
    "diabetes",
    "ecoli",
    "prnn_fglass",
    "ionosphere",
    "raisin",
    "seeds",
    "sonar",
    "vehicle",
    "vowel",
    "yeast",
]
LIMITS = [
    {},
    {"max_depth": 4},
    {"min_samples_leaf": 5},
    {"min_samples_split": 20},
    {"min_impurity_decrease": 0.0041},
    {"min_weight_fraction_leaf": 0.0371},
]
OURS = {"gini": CartClassifier, "entropy": CartClassifier, "squared_error": CartRegressor}
THEIRS = {
    "gini": DecisionTreeClassifier,
    "entropy": DecisionTreeClassifier,
    "squared_error": DecisionTreeRegressor,
}


def exact(X):
    """Return X in float32, scaled by powers of two so that no values are within 1e-6."""
    X = np.asarray(X, dtype=np.float32).astype(np.float64)
    for j in range(X.shape[1]):
        gap = np.diff(np.unique(X[:, j])).min(initial=1.0)
        X[:, j] *= 2.0 ** max(0.0, np.ceil(np.log2(1e-6 / gap)))
    return X


def dyadic(y):
    """Return targets in [0, 1] as multiples of 1/1024, of which sums and squares are exact."""
    return np.round((y - y.min()) / np.ptp(y) * 1024) / 1024


@cache
def read(name):
    X, y = read_set(name)
    return exact(X.to_numpy(dtype=float)), np.unique(y, return_inverse=True)[1]


def weights(n, kind):
    if kind == "ones":
        return np.ones(n)
    return np.random.default_rng(0).integers(0, 8, n) / 4


def fit_both(criterion, X, y, w, options):
    ours = OURS[criterion](criterion=criterion, **options).fit(X, y, w)
    theirs = THEIRS[criterion](criterion=criterion, random_state=0, **options).fit(X, y, w)
    return ours, theirs


def compare(ours, theirs, X, y, w, criterion):
    """Compare two trees node by node; return the leaves whose path is the same, and the ties.

    If the splits of a node part the rows differently, they must gain equally: that is a tie, which
    scikit-learn resolves by the order in which it visits the features. The subtrees below are trees
    of other rows and are passed over.
    """
    same_leaves, n_ties = [], 0
    pending = [(0, 0, np.flatnonzero(w > 0), True)]
    while pending:
        node, twin, rows, same = pending.pop()
        assert ours.is_leaf[node] == (theirs.children_left[twin] < 0)
        assert isclose(ours.weight[node], theirs.weighted_n_node_samples[twin], rel_tol=1e-7)
        if ours.is_leaf[node]:
            same_leaves += [node] if same else []
            continue
        left = X[rows, ours.feature[node]] <= ours.threshold[node]
        their_left = X[rows, theirs.feature[twin]] <= theirs.threshold[twin]
        if (left != their_left).any():
            gains = [gain(y[rows], w[rows], side, criterion) for side in (left, their_left)]
            assert gains[0] == pytest.approx(gains[1], rel=1e-9, abs=1e-13)
            n_ties += 1
            continue
        same &= ours.feature[node] == theirs.feature[twin]
        same &= ours.threshold[node] == theirs.threshold[twin]
        a, b = ours.children_of(node)
        pending += [(a, theirs.children_left[twin], rows[left], same)]
        pending += [(b, theirs.children_right[twin], rows[~left], same)]
    return same_leaves, n_ties


def check(criterion, X, y, w, options):
    """Compare trees of two thirds of the rows; return the share of the others that was compared."""
    held_out = np.random.default_rng(1).random(len(y)) < 1 / 3
    train = ~held_out
    ours, theirs = fit_both(criterion, X[train], y[train], w[train], options)
    tree = ours.tree_
    leaves, n_ties = compare(tree, theirs.tree_, X[train], y[train], w[train], criterion)
    compared = np.isin(ours.apply(X[held_out]), leaves)
    np.testing.assert_allclose(
        ours.predict(X[held_out])[compared], theirs.predict(X[held_out])[compared], rtol=1e-12
    )
    if n_ties == 0:
        assert tree.n_leaves == theirs.get_n_leaves()
        assert tree.max_depth == theirs.get_depth()
        check_path(criterion, X[train], y[train], w[train], options)
    if len(leaves) == tree.n_leaves:
        # scikit-learn's own numbers: equal splits, so equal importances.
        np.testing.assert_allclose(
            ours.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12
        )
    return compared.mean(), n_ties == 0


def check_every_other(problems, criterion, kind):
    """Check under every other limit; the other kind of weights has the others.

    So each problem meets each limit and both kinds of weights.
    """
    results = []
    for number, (X, y) in enumerate(problems):
        w = weights(len(y), kind)
        for options in LIMITS[(number + (kind == "ones")) % 2 :: 2]:
            results.append(check(criterion, X, y, w, options))
    return np.transpose(results)


def check_path(criterion, X, y, w, options):
    """Compare the pruning paths; scikit-learn's has equal alphas several times, the last counts."""
    ours, theirs = (
        model(criterion=criterion, random_state=0, **options).cost_complexity_pruning_path(X, y, w)
        for model in (OURS[criterion], THEIRS[criterion])
    )
    last = np.append(np.diff(theirs.ccp_alphas) > 1e-11, True)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas[last], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities[last], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["ones", "quarters"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_classifiers_on_bundled_sets(criterion, kind):
    tables = (load(return_X_y=True) for load in BUNDLED)
    shares, without_ties = check_every_other(((exact(X), y) for X, y in tables), criterion, kind)
    assert shares.mean() > 0.35
    assert without_ties.sum() > 3


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("kind", ["ones", "quarters"])
def test_classifiers_on_real_sets(criterion, kind):
    shares, without_ties = check_every_other(map(read, REAL), criterion, kind)
    assert shares.mean() > 0.6
    assert without_ties.sum() > 5


@pytest.mark.parametrize("kind", ["ones", "quarters"])
@pytest.mark.parametrize("load", [load_diabetes, lambda **_: make_friedman1(400, random_state=0)])
def test_regressors_on_bundled_sets(load, kind):
    X, y = load(return_X_y=True)
    X, w = exact(X), weights(len(y), kind)
    results = [check("squared_error", X, dyadic(y), w, options) for options in LIMITS]
    shares, without_ties = np.transpose(results)
    assert shares.mean() > 0.3
    assert without_ties.any()


@pytest.mark.parametrize("kind", ["ones", "quarters"])
def test_regressors_on_real_sets(kind):
    # The last feature is predicted from the others.
    tables = (read(name)[0] for name in REAL)
    problems = ((X[:, :-1], dyadic(X[:, -1])) for X in tables)
    shares, without_ties = check_every_other(problems, "squared_error", kind)
    assert shares.mean() > 0.6
    assert without_ties.sum() > 5
