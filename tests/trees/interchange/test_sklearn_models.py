"""The estimators of scikit-learn predict what the models do, for rows of float32 numbers."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    LEVELS,
    NAMES,
    assert_same_bits,
    examples,
    fitted,
    mixed_data,
    regression_model,
    rows,
    tree_model,
)
from hypothesis import given
from hypothesis import strategies as st
from kinds import MIXED, random_trees
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.tree import DecisionTreeClassifier, export_text

from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CodedCartClassifier,
    ForestThinner,
    ID3Classifier,
    OC1Classifier,
)

X, Y = load_iris(return_X_y=True)


def float32_rows(missing=0.0, seed=0):
    """Return rows of float32 numbers, some on thresholds, and unknown levels if any is missing."""
    table = rows(80, missing=missing, seed=seed)
    for name in NAMES[:2]:
        table[name] = table[name].astype(np.float32).astype(np.float64)
    return table if missing else table[table[NAMES[2]] != "purple"]


@examples
@given(random_trees(9), st.booleans())
def test_random_trees_of_all_tests_that_can_be_thresholds(tree, divide):
    model, table = tree_model(tree, divide=divide), float32_rows()
    if tree.normals is not None or tree.centres is not None:
        # A test of a branch that no row can reach does not matter.
        with contextlib.suppress(ValueError):
            model.to_sklearn()
        return
    found = model.to_sklearn()
    assert_same_bits(found.predict_proba(table), model.predict_proba(table))
    if not divide:
        table = float32_rows(missing=0.3)
        assert_same_bits(found.predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize(
    "model",
    [C45Classifier(), ID3Classifier(), C45Classifier(binary_splits=True), CartClassifier(),
     CodedCartClassifier(coding="one_hot"), CodedCartClassifier(coding="ordinal")],
    ids=repr,
)  # fmt: skip
def test_grown_trees_with_categories(model):
    model.fit(*mixed_data(300, missing=0.05))
    found, table = model.to_sklearn(), float32_rows(seed=1)
    assert_same_bits(found.predict_proba(table), model.predict_proba(table))
    assert (found.predict(table) == model.predict(table)).all()
    assert found.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize(
    "model",
    [C45Classifier(), ID3Classifier(), CartClassifier(), CodedCartClassifier(coding="one_hot"),
     CodedCartClassifier(coding="ordinal")],
    ids=repr,
)  # fmt: skip
def test_a_categorical_column_without_a_value(model):
    X = pd.DataFrame({"a": ["0", "1"] * 4, "b": [None] * 8}, dtype="string")
    model.fit(X, [0, 1] * 4)
    table = pd.DataFrame({"a": ["0", "1"], "b": ["", "other"]}, dtype="string")
    assert_same_bits(model.to_sklearn().predict_proba(table), model.predict_proba(table))


def test_a_regression():
    model, table = regression_model(), float32_rows(missing=0.2)
    assert_same_bits(model.to_sklearn().predict(table), model.predict(table))


def test_a_tree_of_numbers_is_a_tree_of_scikit_learn():
    model = CartClassifier().fit(X, Y)
    found = model.to_sklearn()
    assert isinstance(found, DecisionTreeClassifier)
    table = X.astype(np.float32)
    assert_same_bits(found.predict_proba(table), model.predict_proba(table))
    assert (found.get_n_leaves(), found.get_depth()) == (model.get_n_leaves(), model.get_depth())
    assert export_text(found).count("class") == model.get_n_leaves()
    theirs = clone(found).set_params(random_state=0).fit(X, Y)
    np.testing.assert_allclose(found.tree_.impurity[0], theirs.tree_.impurity[0], rtol=1e-12)
    assert found.tree_.weighted_n_node_samples[0] == len(X)


@pytest.mark.parametrize("vote", ["shares", "votes", "weighted_shares"])
@pytest.mark.parametrize("forest", [BaggingTreesClassifier, AdaBoostM1Classifier])
def test_forests(forest, vote):
    model = forest(n_estimators=6, vote=vote, random_state=0).fit(*mixed_data(200, missing=0))
    found, table = model.to_sklearn(), float32_rows(seed=1)
    unlike = forest is AdaBoostM1Classifier and vote != "shares"
    kind = VotingClassifier if unlike else RandomForestClassifier
    assert isinstance(found[-1], kind)
    np.testing.assert_allclose(
        found.predict_proba(table), model.predict_proba(table), rtol=0, atol=1e-15
    )


def test_a_thinned_forest_of_scikit_learn_is_one_again_for_doubles_too():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, Y)
    model = ForestThinner().thin(forest, X, Y)
    found = model.to_sklearn()
    cuts = [t for tree in model.forest_.trees for t in tree.threshold[~tree.is_leaf].tolist()]
    table = np.resize(np.array(cuts)[:, None] * (1 + np.linspace(-1, 1, 41) * 2.0**-24), (500, 4))
    np.testing.assert_allclose(
        found.predict_proba(table), model.predict_proba(table), rtol=0, atol=1e-15
    )


@given(st.floats(allow_nan=False, width=64), st.floats(allow_nan=False, width=32))
def test_a_lowered_threshold_sends_float32_numbers_the_same_way(threshold, value):
    from retree.trees.interchange.sklearn_models import _float32_below

    assert (value <= _float32_below(threshold)) == (value <= threshold)


def test_levels_in_another_order_and_coefficients_are_refused():
    column = pd.DataFrame({"a": pd.Categorical([3, 1, 2] * 20, categories=[3, 1, 2])})
    model = C45Classifier().fit(column, [0, 1, 1] * 20)
    with pytest.raises(
        ValueError, match="Numeric levels must be in ascending order, and the levels of 'a'"
    ):
        model.to_sklearn()
    with pytest.raises(ValueError, match=r"weighted sums: .* export_sql or retree\.to_onnx"):
        OC1Classifier(random_state=0).fit(X, Y).to_sklearn()
    with pytest.raises(ValueError, match="weighted sums"):
        fitted(CartClassifier(), tree_=MIXED).to_sklearn()


def test_a_subset_of_every_other_level_gets_a_copy_for_each_run():
    table, y = rows(200, missing=0), None
    table = table[table[NAMES[2]] != "purple"]
    y = table[NAMES[2]].isin(LEVELS[::2])
    table[NAMES[2]] = pd.Categorical(table[NAMES[2]], categories=LEVELS)
    model = CartClassifier().fit(table, y)
    assert (model.get_n_leaves(), model.to_sklearn()[-1].get_n_leaves()) == (2, 4)


def test_a_tree_of_too_many_copies_is_refused(monkeypatch):
    monkeypatch.setattr("retree.trees.interchange.model._MOST_NODES", 5)
    model = CartClassifier().fit(*mixed_data())
    with pytest.raises(ValueError, match="would need more than 5 nodes, since each run"):
        model.to_sklearn()
