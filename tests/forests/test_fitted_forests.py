"""scikit-learn's forests, taken over exactly."""

import copy

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from retree import C45Classifier, FittedForestClassifier
from retree.forests import (
    AccuracyThinner,
    BaggingTreesClassifier,
    EPICSelector,
    ForestThinner,
)

UNTOUCHED = ForestThinner(passes=0, shares="own")
FORESTS = {
    "bagging": BaggingClassifier(DecisionTreeClassifier(), random_state=0),
    "subspaces": BaggingClassifier(
        DecisionTreeClassifier(max_depth=4), max_features=0.5, max_samples=0.3, random_state=0
    ),
    "features drawn twice": BaggingClassifier(
        DecisionTreeClassifier(), bootstrap_features=True, random_state=0
    ),
    "small bags": BaggingClassifier(DecisionTreeClassifier(), max_samples=4, random_state=0),
    "random forest": RandomForestClassifier(n_estimators=12, random_state=0),
    "best first": RandomForestClassifier(n_estimators=5, max_leaf_nodes=12, random_state=0),
    "class weights": RandomForestClassifier(5, class_weight="balanced", random_state=0),
    "stumps": RandomForestClassifier(5, max_depth=1, random_state=0),
}


def rows(exact):
    """Return a problem of three classes, in numbers that single precision has or has not."""
    X, y = make_classification(
        n_samples=300, n_features=8, n_informative=5, n_classes=3, random_state=0
    )
    return (np.round(X * 8) / 8 if exact else X + 1e-9), np.array(["one", "two", "zero"])[y]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("name", FORESTS)
def test_class_shares_are_those_of_scikit_learn(name, exact):
    X, y = rows(exact)
    forest = FORESTS[name].fit(X[:200], y[:200])
    taken_over = UNTOUCHED.thin(forest, X[:200], y[:200])
    expected = forest.predict_proba(X)
    np.testing.assert_allclose(taken_over.predict_proba(X), expected, atol=1e-12)
    best = np.sort(expected, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-5  # theirs has no rule for ties
    np.testing.assert_array_equal(taken_over.predict(X[clear]), forest.predict(X[clear]))
    sizes = [member.tree_.node_count for member in forest.estimators_]
    assert taken_over.get_node_count() == sum(sizes)
    assert taken_over.get_depth() == max(member.get_depth() for member in forest.estimators_)


def test_bags_without_a_class():
    X, y = rows(exact=True)
    forest = FORESTS["small bags"].fit(X, y)
    assert min((member.tree_.value[0] > 0).sum() for member in forest.estimators_) < 3


@pytest.mark.parametrize("name", FORESTS)
def test_thinning_leaves_the_forest_as_it_is(name):
    X, y = rows(exact=False)
    forest = FORESTS[name].fit(X, y)
    before = forest.predict_proba(X)
    for thinner in (ForestThinner(), AccuracyThinner()):
        thinned = thinner.thin(forest, X, y)
        assert thinned.get_node_count() <= UNTOUCHED.thin(forest, X, y).get_node_count()
        assert set(thinned.predict(X)) <= set(y)
    np.testing.assert_array_equal(forest.predict_proba(X), before)


def test_own_forests_are_left_as_they_are():
    X, y = rows(exact=False)
    forest = BaggingTreesClassifier(n_estimators=5, random_state=0).fit(X, y)
    before = copy.deepcopy(forest.forest_)
    for thinner in (ForestThinner(), ForestThinner(shares="own"), AccuracyThinner()):
        assert thinner.thin(forest, X, y).get_node_count() < before.node_count
    for tree, old in zip(forest.forest_.trees, before.trees, strict=True):
        for name in ("children_ptr", "children", "feature", "threshold", "counts"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(old, name))


def test_thinned_and_selected_forests_can_be_thinned_and_selected_again():
    X, y = rows(exact=False)
    forest = RandomForestClassifier(12, random_state=0).fit(X, y)
    selected = EPICSelector(n_members=4).select(forest, X, y)
    assert len(selected.forest_.trees) == 4
    thinned = ForestThinner().thin(selected, X, y)
    again = EPICSelector(n_members=2).select(thinned, X, y)
    assert len(again.forest_.trees) == 2
    assert again.fit(X, y) is again


def test_columns_keep_their_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    thinned = ForestThinner().thin(RandomForestClassifier(3, random_state=0).fit(X, y), X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        thinned.predict(X.rename(columns={X.columns[0]: "other"}))


def test_what_cannot_be_taken_over():
    X, y = rows(exact=True)
    codes = np.unique(y, return_inverse=True)[1]
    for model, message in [
        (AdaBoostClassifier(n_estimators=2), "not AdaBoostClassifier"),
        (BaggingClassifier(KNeighborsClassifier()), "not KNeighborsClassifier"),
        (BaggingClassifier(C45Classifier()), "use retree.forests.BaggingTreesClassifier"),
        (C45Classifier(), "not C45Classifier"),
    ]:
        with pytest.raises(TypeError, match=message):
            ForestThinner().thin(model.fit(X, y), X, y)
    two = RandomForestClassifier(3).fit(X, np.column_stack((codes, codes)))
    with pytest.raises(ValueError, match="several outputs"):
        ForestThinner().thin(two, X, y)


def test_a_forest_of_nothing_says_where_forests_come_from():
    with pytest.raises(NotFittedError, match="the one that EPICSelector or ForestThinner returns"):
        FittedForestClassifier().fit(*rows(exact=True))


def test_rows_that_do_not_fit():
    X, y = rows(exact=True)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="SimpleImputer"):
        ForestThinner().thin(forest, np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match=r"does not know: \['four'\]"):
        ForestThinner().thin(forest, X, np.where(y == "two", "four", y))
    with pytest.raises(ValueError, match="300 labels"):
        ForestThinner().thin(forest, X, y[:-1])
    with pytest.raises(ValueError, match="expecting 8 features"):
        ForestThinner().thin(forest, X[:, 1:], y)
