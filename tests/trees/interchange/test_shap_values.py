"""SHAP values add up to what is predicted, and are those of scikit-learn's trees."""

import numpy as np
import pytest
from exported_models import NAMES, examples, mixed_data, regression_model, rows, tree_models
from hypothesis import given
from sklearn.datasets import load_iris

from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CodedCartClassifier,
    OC1Classifier,
    shap_values,
)
from retree.errors import MissingExtraError

shap = pytest.importorskip("shap", reason="shap is of the extra interop")
X, Y = load_iris(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("default")  # theirs


def check(model, table):
    made = shap_values(model, table)
    total = made.values.sum(axis=1) + made.base_values
    np.testing.assert_allclose(total, model.predict_proba(table), rtol=0, atol=1e-9)
    assert made.values.shape == (len(table), model.n_features_in_, len(model.classes_))
    assert made.output_names == model.classes_.tolist()
    return made


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(binary_splits=True),
        CartClassifier(),
        CodedCartClassifier(coding="one_hot"),
        CodedCartClassifier(coding="ordinal"),
        BaggingTreesClassifier(n_estimators=4, random_state=0),
        BaggingTreesClassifier(n_estimators=4, vote="votes", random_state=0),
        AdaBoostM1Classifier(n_estimators=4, random_state=0),
    ],
    ids=repr,
)
def test_they_add_up_with_categories(model):
    table = rows(missing=0, seed=1)
    made = check(model.fit(*mixed_data(missing=0)), table[table[NAMES[2]] != "purple"])
    assert made.feature_names == NAMES


@examples
@given(model=tree_models())
def test_they_add_up_where_branches_have_no_rows(model):
    if model.tree_.centres is None and model.tree_.normals is None:
        table = rows(20, missing=0)
        check(model, table[table[NAMES[2]] != "purple"])


def test_missing_values_take_the_heaviest_branch_or_are_refused():
    table = rows(missing=0.3, seed=1)
    check(CartClassifier().fit(*mixed_data()), table)
    with pytest.raises(ValueError, match=r"divided over branches, .* fill them in first"):
        shap_values(C45Classifier().fit(*mixed_data()), table)


def test_a_regression():
    model, table = regression_model(), rows(missing=0.2, seed=1)
    made = shap_values(model, table)
    total = made.values.sum(axis=1) + np.ravel(made.base_values)
    np.testing.assert_allclose(total.ravel(), model.predict(table), rtol=0, atol=1e-9)


def test_they_are_those_of_the_same_tree_of_scikit_learn():
    model = CartClassifier(max_depth=4).fit(X.astype(np.float32), Y)
    theirs = shap.TreeExplainer(model.to_sklearn())(X.astype(np.float32))
    made = check(model, X.astype(np.float32))
    np.testing.assert_allclose(made.values, theirs.values, rtol=0, atol=1e-6)
    np.testing.assert_allclose(made.base_values, theirs.base_values, rtol=0, atol=1e-6)


def test_a_test_of_several_features_is_refused():
    with pytest.raises(
        ValueError, match="need tests of single features, but this tree tests weighted"
    ):
        shap_values(OC1Classifier(random_state=0).fit(X, Y), X)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shap", None)
    with pytest.raises(MissingExtraError, match=r"shap, .* pip install 'retree\[interop\]'"):
        shap_values(C45Classifier().fit(X, Y), X)
