"""Against scikit-learn: its checks of estimators, and its trees where both grow the same."""

import numpy as np
import pytest
from oracle_structure_purity import purity
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import StructurePurityClassifier


# The latter is made of the two other criteria.
@parametrize_with_checks(
    [StructurePurityClassifier(criterion=name) for name in ("gini", "bnm+csn")]
)
def test_conventions(estimator, check):
    check(estimator)


def draw(seed, n_samples, n_features, n_classes):
    """Return data on the grid of 1/1024 without ties within a column: exact in float32."""
    rng = np.random.default_rng(seed)
    X = np.argsort(rng.random((n_samples, n_features)), axis=0) / 1024
    y = rng.integers(0, n_classes, n_samples)
    y[X[:, 0] + X[:, 1] > X[:, :2].sum(axis=1).mean()] //= 2
    return X, y


def fit_both(X, y, m):
    ours = StructurePurityClassifier(criterion="gini", small_child="skip", min_samples_leaf=m).fit(
        X, y
    )
    theirs = DecisionTreeClassifier(min_samples_leaf=m, min_samples_split=m + 1, random_state=0)
    return ours.tree_, theirs.fit(X, y).tree_


def compare(ours, theirs, X, y):
    """Compare two trees node by node; return the number of inner nodes, and of different splits.

    The splits of a node must be equally pure. If they part the rows differently, that is a tie,
    which scikit-learn resolves by the order in which it visits the features: the subtrees below
    are trees of other rows and are passed over.
    """
    pending = [(0, 0, np.arange(len(y)))]
    n_inner = n_ties = 0
    while pending:
        node, twin, rows = pending.pop()
        assert ours.is_leaf[node] == (theirs.children_left[twin] < 0)
        np.testing.assert_array_equal(
            np.bincount(y[rows], minlength=ours.counts.shape[1]), ours.counts[node]
        )
        if ours.is_leaf[node]:
            continue
        n_inner += 1
        left = X[rows, ours.feature[node]] <= ours.threshold[node]
        their_left = X[rows, theirs.feature[twin]] <= theirs.threshold[twin]
        assert purity(y[rows[left]], y[rows[~left]]) == pytest.approx(
            purity(y[rows[their_left]], y[rows[~their_left]]), abs=1e-12
        )
        if (left == their_left).all():
            children = ours.children_of(node)
            twins = theirs.children_left[twin], theirs.children_right[twin]
            pending += zip(children, twins, (rows[left], rows[~left]), strict=True)
        else:
            n_ties += 1
    return n_inner, n_ties


@pytest.mark.parametrize("m", [1, 2, 5, 20])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_splits_are_as_pure_as_those_of_scikit_learn(m, n_classes):
    n_inner = 0
    for seed in range(5):
        X, y = draw(seed, 400, 4, n_classes)
        n_inner += compare(*fit_both(X, y, m), X, y)[0]
    assert n_inner > 40


@pytest.mark.parametrize("m", [12, 30])
def test_trees_without_ties_are_those_of_scikit_learn(m):
    n_untied = 0
    for seed in range(30):
        X, y = draw(seed, 400, 3, 3)
        ours, theirs = fit_both(X, y, m)
        if compare(ours, theirs, X, y)[1]:
            continue
        n_untied += 1
        assert (ours.max_depth, ours.n_leaves) == (theirs.max_depth, theirs.n_leaves)
        leaves = ours.counts[ours.apply(X)]
        np.testing.assert_array_equal(
            leaves.argmax(axis=1), theirs.predict(X.astype(np.float32)).argmax(axis=-1).ravel()
        )
    assert n_untied >= 3
