"""The exported Python, executed, predicts what the model does, to the last bit."""

import math

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    CLASSES,
    LEVELS,
    NAMES,
    assert_same_bits,
    examples,
    forest_models,
    mixed_data,
    regression_model,
    rows,
    tree_models,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from retree import AdaBoostM1Classifier, C45Classifier, CodedCartClassifier, ForestThinner


def executed(model):
    """Return the names that the exported module defines."""
    module = {}
    exec(compile(model.export_python(), "exported.py", "exec"), module)
    return module


def records(X):
    return X.astype(object).to_numpy().tolist()


def check(model, X):
    module = executed(model)
    assert_same_bits([module["predict_proba"](row) for row in records(X)], model.predict_proba(X))
    assert [module["predict"](row) for row in records(X)] == model.predict(X).tolist()


@examples
@given(tree_models() | forest_models())
def test_random_models(model):
    check(model, rows())


@pytest.mark.parametrize("coding", ["one_hot", "ordinal"])
def test_coded_columns(coding):
    X, y = mixed_data()
    check(CodedCartClassifier(coding=coding, max_depth=6).fit(X, y), rows(seed=1))


def test_grown_trees_and_forests():
    X, y = mixed_data()
    for model in (C45Classifier(), C45Classifier(binary_splits=True), AdaBoostM1Classifier()):
        check(model.fit(X, y), rows(seed=1))


def test_a_regression():
    model, X = regression_model(), rows(seed=1)
    module = executed(model)
    assert_same_bits([module["predict"](row) for row in records(X)], model.predict(X))
    with pytest.raises(ValueError, match="regression"):
        module["predict_proba"](records(X)[0])


def test_a_thinned_forest_of_scikit_learn_that_compares_in_single_precision():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    model = ForestThinner().thin(forest, X, y)
    cuts = [t for tree in model.forest_.trees for t in tree.threshold[~tree.is_leaf].tolist()]
    near = np.float64(np.float32(cuts))[:, None] * (1 + np.linspace(-1, 1, 41) * 2.0**-23)
    check(model, pd.DataFrame(np.resize(near.ravel(), (500, 4))))


@given(st.floats(width=64, allow_nan=False), st.integers(-3, 3))
def test_the_threshold_for_doubles_is_the_last_one(threshold, step):
    from retree.trees.interchange.model import last_double_below

    found = last_double_below(threshold)
    value = found
    for _ in range(abs(step)):
        value = math.nextafter(value, math.copysign(math.inf, step))
    with np.errstate(over="ignore"):
        assert (float(np.float32(value)) <= threshold) == (value <= found)


def test_a_mapping_is_a_row_and_a_level_that_nobody_knows_is_missing():
    X, y = mixed_data()
    module = executed(C45Classifier().fit(X, y))
    row = [1.0, math.nan, LEVELS[1]]
    assert module["predict_proba"](dict(zip(NAMES, row, strict=True))) == module["predict_proba"](
        row
    )
    missing, unknown = ([2.0, None, level] for level in (None, "purple"))
    assert module["predict_proba"](missing) == module["predict_proba"](unknown)
    assert module["CLASSES"] == sorted(CLASSES)
    with pytest.raises(ValueError, match="must have 3 values, not 1"):
        module["predict"]([1.0])


def test_levels_that_have_no_literal_are_refused():
    X = pd.DataFrame({"when": pd.Categorical(pd.to_datetime(["2020-01-01", "2020-01-02"] * 9))})
    model = C45Classifier().fit(X, [0, 1] * 9)
    with pytest.raises(ValueError, match=r"level of when .* of type Timestamp: .* fit to strings"):
        model.export_python()
