"""Wrong parameters and data: the message says what is wrong and what would be right."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from retree import StructurePurityClassifier

X = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 5.0], [3.0, 0.0]])
y = np.array([0, 1, 1, 0])


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"criterion": "entropy"}, ValueError, r"criterion 'entropy'.*'gini', 'bnm', 'csn', 'bnm"),
        ({"penalty": "l2"}, ValueError, r"penalty 'l2'.*'none', 'within', 'across'"),
        ({"bnm_distance": "l1"}, ValueError, r"bnm_distance 'l1'.*'squared', 'euclidean'"),
        ({"csn_scaling": "node"}, ValueError, r"csn_scaling 'node'.*'child', 'parent'"),
        ({"csn_ties": "first"}, ValueError, r"csn_ties 'first'.*'rank', 'feature'"),
        ({"small_child": "merge"}, ValueError, r"small_child 'merge'.*'leaf', 'skip'"),
        ({"k": 0}, ValueError, "k == 0, must be >= 1"),
        ({"k": 2.0}, TypeError, "k must be an instance of int"),
        ({"omega1": -1.0}, ValueError, "omega1 == -1.0, must be >= 0"),
        ({"omega2": -0.1}, ValueError, "omega2 == -0.1, must be >= 0"),
        ({"omega2": "auto"}, TypeError, "omega2 must be an instance of float"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf == 0, must be >= 1"),
        ({"max_depth": 0}, ValueError, "max_depth == 0, must be >= 1"),
        ({"code_matrix": [1, -1]}, ValueError, r"code_matrix must have 2 rows.*shape \(2,\)"),
        ({"code_matrix": [[1], [0], [-1]]}, ValueError, r"must have 2 rows.*shape \(3, 1\)"),
        ({"code_matrix": [[1], [2]]}, ValueError, "of -1, 0 and"),
        ({"code_matrix": [["a"], ["b"]]}, ValueError, "of -1, 0 and"),
    ],
)
def test_parameters(params, error, message):
    with pytest.raises(error, match=message):
        StructurePurityClassifier(**params).fit(X, y)


@pytest.mark.parametrize("criterion", [["gini"], None, 1])
def test_criterion_of_another_type(criterion):
    with pytest.raises(ValueError, match="Valid ones are 'gini'"):
        StructurePurityClassifier(criterion=criterion).fit(X, y)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(value):
    wrong = X.copy()
    wrong[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        StructurePurityClassifier().fit(wrong, y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        StructurePurityClassifier().fit(X, y).predict(wrong)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X[:0], y[:0], "0 sample"),
        (X[:, :0], y, "0 feature"),
        (X[:, 0], y, "Expected 2D array"),
        (X, y[:3], "inconsistent numbers of samples"),
        (X, np.array([0.1, 0.2, 0.3, 0.4]), "Unknown label type: continuous"),
    ],
)
def test_training_data(rows, labels, message):
    with pytest.raises(ValueError, match=message):
        StructurePurityClassifier().fit(rows, labels)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.Series(["red", "green", "red", "blue"]), "are not numeric.*OneHotEncoder"),
        (
            pd.Series(["red", "green", "red", "red"], dtype="category"),
            "are not numeric.*OneHotEncoder",
        ),
        (pd.Series(pd.to_datetime(["2020-01-01"] * 4)), "hold dates or times: convert them"),
    ],
    ids=["string", "category", "time"],
)
def test_columns_that_are_no_numbers_are_named(values, message):
    frame = pd.DataFrame({"size": X[:, 0], "colour": values, "price": X[:, 1]})
    with pytest.raises(ValueError, match=rf"Columns \['colour'\] {message}"):
        StructurePurityClassifier().fit(frame, y)


def test_numbers_in_object_columns_are_welcome():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]}).astype(object)
    model = StructurePurityClassifier(min_samples_leaf=1).fit(frame, y)
    assert model.score(frame, y) == 1.0


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_rows_to_predict_for(method):
    model = StructurePurityClassifier()
    with pytest.raises(NotFittedError):
        getattr(model, method)(X)
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"1 features, but .* expecting 2 features"):
        getattr(model, method)(X[:, :1])


@pytest.mark.parametrize(
    "method",
    ["get_depth", "get_n_leaves", "export_text", "export_rules", "export_graphviz", "plot"],
)
def test_inspection_before_fit(method):
    with pytest.raises(NotFittedError):
        getattr(StructurePurityClassifier(), method)()


def test_names_of_columns_are_those_of_fit():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = StructurePurityClassifier().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a"]])


def test_grid_points():
    model = StructurePurityClassifier()
    with pytest.raises(ValueError, match=r"fit_grid can vary only .*not \['penalty'\]"):
        model.fit_grid(X, y, [{"k": 1}, {"penalty": "none"}])
    with pytest.raises(ValueError, match="k == 0, must be >= 1"):
        model.fit_grid(X, y, [{"k": 1}, {"k": 0}])
