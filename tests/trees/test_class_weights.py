"""Class weights: scikit-learn's, and the same as weights of the rows."""

import numpy as np
import pandas as pd
import pytest
from every_classifier import EVERY, WEIGHTED
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

from retree import BaggingTreesClassifier, C45Classifier, CartClassifier, GlobalSVDTreeClassifier
from retree.trees.row_weights import weigh_classes

RNG = np.random.default_rng(0)
X = RNG.integers(0, 8, (90, 3)).astype(float)
Y = np.array(["few", "many", "most"])[(X[:, 0] + RNG.integers(0, 4, 90) > 4).astype(int) * 2]
Y[:15] = "many"
WEIGHTS = ["balanced", {"few": 3, "most": 0.5}, {"many": 2.5}]
TAKERS = {name: m for name, m in WEIGHTED.items() if "class_weight" in m.get_params()}


def outputs(model):
    return model.predict_proba(X)


@pytest.mark.parametrize("given_weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("name", TAKERS)
def test_they_are_weights_of_rows(name, given_weights):
    plain = clone(TAKERS[name])
    weighted = clone(plain).set_params(class_weight=given_weights)
    rows = compute_sample_weight(given_weights, Y)
    np.testing.assert_array_equal(
        outputs(weighted.fit(X, Y)), outputs(plain.fit(X, Y, sample_weight=rows))
    )
    own = RNG.integers(1, 4, len(Y))
    np.testing.assert_array_equal(
        outputs(weighted.fit(X, Y, sample_weight=own)),
        outputs(plain.fit(X, Y, sample_weight=rows * own)),
    )


@pytest.mark.parametrize("name", TAKERS)
def test_equal_ones_change_nothing(name):
    plain = clone(TAKERS[name])
    weighted = clone(plain).set_params(class_weight=dict.fromkeys(np.unique(Y), 1))
    np.testing.assert_array_equal(outputs(weighted.fit(X, Y)), outputs(plain.fit(X, Y)))


@given(st.lists(st.integers(0, 3), min_size=4, max_size=30), st.data())
def test_they_are_those_of_scikit_learn(codes, data):
    classes, codes = np.unique(codes, return_inverse=True)
    labels = np.array(["a", "b", "c", "d"])[classes]
    some = st.dictionaries(st.sampled_from(labels.tolist()), st.floats(0.1, 10))
    asked = data.draw(st.just("balanced") | some)
    found = weigh_classes(np.ones(len(codes)), asked, labels, codes)
    expected = compute_class_weight(asked, classes=labels, y=labels[codes])
    np.testing.assert_array_equal(found, expected[codes])


@pytest.mark.parametrize("given_weights", WEIGHTS, ids=str)
def test_cart_is_scikit_learns_tree(given_weights):
    x = np.random.default_rng(1).normal(size=(90, 2)).astype(np.float32)
    options = {"class_weight": given_weights, "min_samples_leaf": 8}  # so large that no gains tie
    ours = CartClassifier(**options).fit(x, Y)
    theirs = DecisionTreeClassifier(**options, random_state=0).fit(x, Y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), rtol=1e-12)
    np.testing.assert_allclose(
        np.sort(ours.tree_.threshold[~ours.tree_.is_leaf]),
        np.sort(theirs.tree_.threshold[theirs.tree_.feature >= 0]),
    )


def test_a_class_of_weight_0_is_never_predicted():
    model = CartClassifier(class_weight={"many": 0}).fit(X, Y)
    assert list(model.classes_) == ["few", "many", "most"]
    assert (model.predict_proba(X)[:, 1] == 0).all()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("even", "Valid ones are 'balanced', None, or a dict"),
        ({"none": 1}, r"classes that y does not have: \['none'\]"),
        ({"few": -1}, "class_weight of 'few'"),
        ({"few": np.inf}, "class_weight of 'few' must be finite"),
        (dict.fromkeys(["few", "many", "most"], 0), "All sample weights are zero"),
    ],
)
def test_bad_ones_are_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        CartClassifier(class_weight=asked).fit(X, Y)


@pytest.mark.parametrize("whole", [BaggingTreesClassifier, GlobalSVDTreeClassifier])
def test_members_have_none_of_their_own(whole):
    with pytest.raises(ValueError, match="Set class_weight on the"):
        whole(estimator=C45Classifier(class_weight="balanced")).fit(X, Y)


def test_labels_of_a_categorical_type_are_keys():
    y = pd.Series(Y).astype("category")
    asked = {"few": 2.0}
    found, same = (CartClassifier(class_weight=asked).fit(X, labels) for labels in (y, Y))
    np.testing.assert_array_equal(outputs(found), outputs(same))


def test_only_what_takes_weights_has_the_parameter():
    for name, model in EVERY.items():
        assert "class_weight" not in model.get_params() or name in WEIGHTED
