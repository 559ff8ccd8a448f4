"""Thinned forests of scikit-learn's, made such again."""

import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from retree.forests import AccuracyThinner, ForestThinner

X, CODES = load_wine(return_X_y=True)
Y = np.array(["oak", "elm", "ash"])[CODES]
FORESTS = {
    "random": RandomForestClassifier(12, random_state=0),
    "random_oob": RandomForestClassifier(40, oob_score=True, random_state=0),
    "best_first": RandomForestClassifier(8, max_leaf_nodes=9, random_state=0),
    "entropy": RandomForestClassifier(8, criterion="entropy", random_state=0),
    "extra": ExtraTreesClassifier(12, random_state=0),
    "extra_bootstrap": ExtraTreesClassifier(12, bootstrap=True, random_state=0),
    "bagging": BaggingClassifier(DecisionTreeClassifier(), 10, max_features=5, random_state=0),
    # Bags of six rows, which lack classes.
    "small_bags": BaggingClassifier(DecisionTreeClassifier(), 20, max_samples=6, random_state=0),
}
THINNERS = {
    "ftcg": ForestThinner(),
    "own": ForestThinner(shares="own"),
    "all": ForestThinner(delta=np.inf, passes=1),
    "none": ForestThinner(passes=0, shares="own"),
    "accuracy": AccuracyThinner(),
}


@cache
def fitted(name):
    return clone(FORESTS[name]).fit(X[::2], Y[::2])


@pytest.mark.parametrize("thinner", THINNERS)
@pytest.mark.parametrize("name", FORESTS)
def test_it_has_the_same_probabilities(name, thinner):
    forest = fitted(name)
    before = forest.predict_proba(X)
    ours = THINNERS[thinner].thin(forest, X[::2], Y[::2])
    theirs = ours.to_sklearn()
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))
    sizes = [member.tree_.node_count for member in theirs.estimators_]
    assert sizes == [tree.node_count for tree in ours.forest_.trees]
    assert max(member.get_depth() for member in theirs.estimators_) == ours.get_depth()
    np.testing.assert_array_equal(forest.predict_proba(X), before)  # left as it is
    if name != "entropy":  # theirs are by the Gini index
        np.testing.assert_allclose(
            theirs.feature_importances_, ours.feature_importances_, rtol=1e-9, atol=1e-12
        )


def test_without_thinning_it_is_the_forest():
    forest = FORESTS["extra"].fit(X, Y)
    same = THINNERS["none"].thin(forest, X, Y).to_sklearn()
    np.testing.assert_allclose(same.predict_proba(X), forest.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(same.apply(X).shape, forest.apply(X).shape)


def test_extra_trees_lose_something_by_other_rows_than_they_grew_on():
    forest = FORESTS["extra"].fit(X[::2], Y[::2])
    own, others = (
        ForestThinner().thin(forest, X[part::2], Y[part::2]).to_sklearn() for part in (0, 1)
    )
    sizes = [sum(m.tree_.node_count for m in f.estimators_) for f in (forest, own, others)]
    assert sizes[0] == sizes[1] > sizes[2]


def test_it_is_pickled_and_has_no_stale_estimates():
    forest = FORESTS["random_oob"].fit(X, Y)
    thinned = ForestThinner().thin(forest, X, Y).to_sklearn()
    assert hasattr(forest, "oob_score_")
    assert not hasattr(thinned, "oob_score_")
    again = pickle.loads(pickle.dumps(thinned))
    np.testing.assert_array_equal(again.predict_proba(X), thinned.predict_proba(X))
    assert thinned.estimators_[0].decision_path(X).shape[0] == len(X)
