"""Graphs of ONNX give, in onnxruntime, the bits that the models do."""

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    CLASSES,
    NAMES,
    assert_same_bits,
    examples,
    forest_models,
    mixed_data,
    regression_model,
    rows,
    tree_model,
    tree_models,
)
from hypothesis import given, settings
from kinds import make_tree
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import retree
from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CartLCClassifier,
    CMDTClassifier,
    CodedCartClassifier,
    ForestThinner,
    GlobalSVDTreeClassifier,
    OC1Classifier,
    RealAdaBoostClassifier,
    to_onnx,
)
from retree.errors import MissingExtraError

onnx = pytest.importorskip("onnx", reason="onnx is of the extra interop")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is of the extra interop")
X, Y = load_iris(return_X_y=True)


def outputs(model, table):
    """Return the outputs of onnxruntime by their names."""
    graph = to_onnx(model)
    onnx.checker.check_model(graph, full_check=True)
    session = runtime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    fed = {"X": np.asarray(table, np.float64)} if session.get_inputs()[0].name == "X" else {}
    for given_input in session.get_inputs() if not fed else ():
        column = table[given_input.name]
        if given_input.type == "tensor(string)":
            column = column.astype(object).where(column.notna(), "")
        fed[given_input.name] = column.to_numpy()[:, None]
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, fed), strict=True))


def check(model, table):
    made = outputs(model, table)
    assert_same_bits(made["probabilities"], model.predict_proba(table))
    assert made["label"].tolist() == model.predict(table).tolist()


@settings(examples, max_examples=30)
@given(model=tree_models())
def test_random_trees(model):
    if model.tree_.centres is None:
        table = rows(missing=0)
        check(model, table[table[NAMES[2]] != "purple"])


@settings(examples, max_examples=30)
@given(model=forest_models())
def test_random_forests(model):
    if not any(tree.centres is not None for tree in model.forest_.trees):
        divides = model.forest_.divide_missing
        table = rows(missing=0.0 if divides else 0.3)
        check(model, table[table[NAMES[2]] != "purple"] if divides else table)


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(binary_splits=True),
        CartClassifier(),
        CodedCartClassifier(coding="one_hot"),
        CodedCartClassifier(coding="ordinal"),
        BaggingTreesClassifier(n_estimators=8, vote="votes", random_state=0),
        AdaBoostM1Classifier(n_estimators=8, random_state=0),
    ],
    ids=repr,
)
def test_grown_models_with_categories(model):
    table = rows(missing=0, seed=1)
    check(model.fit(*mixed_data(missing=0.05)), table[table[NAMES[2]] != "purple"])


def test_missing_values_and_unknown_levels_take_the_heaviest_branch():
    check(CartClassifier().fit(*mixed_data()), rows(missing=0.4, seed=1))


@pytest.mark.parametrize(
    "model",
    [
        OC1Classifier(random_state=0),
        CartLCClassifier(),
        GlobalSVDTreeClassifier(),
        AdaBoostM1Classifier(n_estimators=8, random_state=0),
    ],
    ids=repr,
)
def test_numbers_alone_are_one_input(model):
    names = np.array(["c", "a", "b"])
    check(model.fit(X, names[Y]), X + np.random.default_rng(0).normal(size=X.shape))


def test_a_forest_of_scikit_learn_in_single_precision():
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, Y)
    model = ForestThinner().thin(forest, X, Y)
    cuts = np.concatenate([tree.threshold[~tree.is_leaf] for tree in model.forest_.trees])
    check(model, np.resize(cuts[:, None] * (1 + np.linspace(-1, 1, 41) * 2.0**-24), (500, 4)))


def test_a_regression():
    model, table = regression_model(), rows(missing=0.3, seed=1)
    assert_same_bits(outputs(model, table)["variable"][:, 0], model.predict(table))


def test_one_leaf():
    leaf = make_tree([[]], [[1, 2, 1]])
    check(tree_model(leaf, divide=False), rows(3))


@pytest.mark.parametrize("levels", [[3, 1, 2], [0.1, -2.5], [True, False]], ids=str)
def test_levels_and_classes_that_are_no_texts(levels):
    column = pd.Series(pd.Categorical(np.array(levels * 20, object), categories=levels))
    labels = np.array([levels.index(v) % 2 for v in levels * 20]) > 0
    model = C45Classifier().fit(pd.DataFrame({"a": column}), labels)
    check(model, pd.DataFrame({"a": np.array(levels)}))


@pytest.mark.parametrize(
    "model", [C45Classifier(), CodedCartClassifier(coding="one_hot")], ids=repr
)
def test_a_categorical_column_without_a_value(model):
    X = pd.DataFrame({"a": ["0", "1"] * 4, "b": [None] * 8}, dtype="string")
    check(model.fit(X, [0, 1] * 4), pd.DataFrame({"a": ["0", "1"], "b": ["", "other"]}))


def test_what_onnx_cannot_say_is_refused():
    table, y = mixed_data()
    with pytest.raises(ValueError, match="nearest of several centres"):
        to_onnx(CMDTClassifier().fit(table, y))
    with pytest.raises(ValueError, match="log odds of trees"):
        to_onnx(RealAdaBoostClassifier(n_estimators=2).fit(table, y == CLASSES[0]))
    with pytest.raises(ValueError, match="do not fill in"):
        to_onnx(C45Classifier(fill_missing="mean").fit(table, y))
    mixed = pd.DataFrame({"a": pd.Categorical(np.array(["b", 1] * 20, object))})
    with pytest.raises(ValueError, match="strings and numbers have no common type"):
        to_onnx(C45Classifier().fit(mixed, [0, 1] * 20))
    with pytest.raises(ValueError, match="have the same name, or one has the name of an output"):
        to_onnx(C45Classifier().fit(table.set_axis(["label", "b", "c"], axis=1), y))
    twice = C45Classifier().fit(table, y)
    twice.feature_names_in_ = np.array(["a", "a", "c"], object)
    with pytest.raises(ValueError, match="have the same name"):
        to_onnx(twice)


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"onnx, .* pip install 'retree\[interop\]'"):
        retree.to_onnx(C45Classifier().fit(X, Y))
