"""Predictions of least expected cost."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import BaggingTreesClassifier, C45Classifier, CartClassifier, MinimumCostClassifier

X, CODES = load_wine(return_X_y=True)
Y = np.array(["oak", "elm", "ash"])[CODES]


@parametrize_with_checks(
    [MinimumCostClassifier(), MinimumCostClassifier(estimator=CartClassifier(max_depth=3))]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_two_classes_by_hand():
    # Two leaves: 3 well and 1 ill, and 1 well. Predicting "well" costs 9 / 4, "ill" 3 / 4.
    x, y = [[0.0], [0], [0], [0], [1]], ["well", "well", "well", "ill", "well"]
    tree = CartClassifier()
    model = MinimumCostClassifier(estimator=tree, costs={"ill": {"well": 9}}).fit(x, y)
    np.testing.assert_array_equal(model.costs_, [[0, 9], [1, 0]])
    np.testing.assert_array_equal(model.expected_costs([[0], [1]]), [[3 / 4, 9 / 4], [1, 0]])
    assert model.predict([[0], [1]]).tolist() == ["ill", "well"]
    assert tree.fit(x, y).predict([[0]]).tolist() == ["well"]


def test_three_classes_by_hand():
    x, y = np.zeros((6, 1)), ["a", "a", "a", "b", "b", "c"]
    x[0] = 1.0
    costs = {"a": {"b": 1, "c": 4}, "b": {"a": 2}, "c": {"a": 8, "b": 1.5, "c": 0.5}}
    model = MinimumCostClassifier(estimator=CartClassifier(), costs=costs).fit(x, y)
    # Of five rows: a: (2 * 2 + 8) / 5; b: (2 * 1 + 1.5) / 5; c: (2 * 4 + 2 * 1 + 0.5) / 5.
    np.testing.assert_allclose(model.expected_costs([[0.0]]), [[12 / 5, 3.5 / 5, 10.5 / 5]])
    assert model.predict([[0.0]]).tolist() == ["b"]


@given(st.lists(st.integers(0, 9), min_size=9, max_size=9))
def test_it_is_the_first_of_the_least_sums(numbers):
    classes = ["ash", "elm", "oak"]
    table = np.reshape(numbers, (3, 3))
    costs = {r: dict(zip(classes, row, strict=True)) for r, row in zip(classes, table, strict=True)}
    model = MinimumCostClassifier(estimator=C45Classifier(max_depth=1), costs=costs).fit(X, Y)
    tree = model.estimator_.tree_
    leaves, found = model.estimator_.apply(X), model.predict(X)
    for leaf in np.unique(leaves):
        shares = [Fraction(c) / Fraction(tree.weight[leaf]) for c in tree.counts[leaf]]
        sums = [sum(p * int(c) for p, c in zip(shares, column, strict=True)) for column in table.T]
        assert set(found[leaves == leaf]) == {classes[sums.index(min(sums))]}


@pytest.mark.parametrize("inner", [GaussianNB(), BaggingTreesClassifier(n_estimators=3)])
def test_equal_costs_are_greatest_probabilities(inner):
    if "random_state" in inner.get_params():
        inner.set_params(random_state=0)
    model = MinimumCostClassifier(estimator=inner).fit(X, Y)
    shares = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
    assert model.n_features_in_ == 13


def test_labels_that_are_numbers_are_keys():
    x, y = load_iris(return_X_y=True)
    model = MinimumCostClassifier(costs={1: {2: 100}}).fit(x, y)
    assert (model.predict(x) == 1).sum() > (MinimumCostClassifier().fit(x, y).predict(x) == 1).sum()


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1], [1, 0]], "must be a dict of dicts"),
        ({"oak": 3}, "must be a dict of dicts"),
        ({"pine": {"oak": 1}}, r"classes that y does not have: \['pine'\]"),
        ({"oak": {"pine": 1}}, r"classes that y does not have: \['pine'\]"),
        ({"oak": {"elm": -1}}, r"costs\['oak'\]\['elm'\]"),
        ({"oak": {"elm": np.nan}}, r"costs\['oak'\]\['elm'\]"),
    ],
)
def test_bad_costs_are_refused(costs, message):
    with pytest.raises(ValueError, match=message):
        MinimumCostClassifier(costs=costs).fit(X, Y)


def test_it_needs_probabilities():
    with pytest.raises(TypeError, match="Perceptron has no predict_proba"):
        MinimumCostClassifier(estimator=Perceptron()).fit(X, Y)
