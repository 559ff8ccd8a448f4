"""CART on coded categories against the encoders and trees of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree.trees.cart import CartClassifier, CodedCartClassifier

ENCODERS = {
    "one_hot": OneHotEncoder(sparse_output=False),
    "ordinal": OrdinalEncoder(),
}


@parametrize_with_checks([CodedCartClassifier(), CodedCartClassifier(coding="ordinal")])
def test_conventions(estimator, check):
    check(estimator)


def mixed(n=300, seed=0):
    """Return rows of two numbers and two nominal columns, and three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"d": pd.Categorical(rng.choice(list("uvwxyz"), n))})
    X["a"] = rng.normal(size=n)
    X["e"] = pd.Categorical(rng.choice(["p", "q", "r"], n))
    X["b"] = rng.normal(size=n)
    y = (X["a"] + X["d"].isin(["v", "y"]) + rng.normal(size=n) / 2 > 0.5).astype(int)
    return X, (y + (X["b"] > 1)).to_numpy()


def encoded(X, coding):
    """Return what scikit-learn's encoder makes of `X`, column by column."""
    columns = [
        ENCODERS[coding].fit_transform(X[[c]]) if X[c].dtype == "category" else X[[c]].to_numpy()
        for c in X
    ]
    return np.hstack(columns)


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("options", [{}, {"max_depth": 3}, {"pruning": "pessimistic"}])
def test_trees_are_those_of_encoded_data(coding, options):
    X, y = mixed()
    coded = CodedCartClassifier(coding=coding, **options).fit(X, y)
    numbers = encoded(X, coding)
    plain = CartClassifier(**options).fit(numbers, y)
    np.testing.assert_array_equal(coded.tree_.counts, plain.tree_.counts)
    np.testing.assert_array_equal(coded.tree_.feature, plain.tree_.feature)
    np.testing.assert_array_equal(coded.apply(X), plain.apply(numbers))


@pytest.mark.parametrize("coding", ENCODERS)
def test_scikit_learn_predicts_the_same(coding):
    # Equal gains are rare with few levels and two numbers; so the random choice hardly matters.
    X, y = mixed(600)
    other, _ = mixed(400, seed=1)
    nominal = make_column_transformer((ENCODERS[coding], ["d", "e"]), remainder="passthrough")
    theirs = make_pipeline(nominal, DecisionTreeClassifier(max_depth=4, random_state=0)).fit(X, y)
    ours = CodedCartClassifier(coding=coding, max_depth=4).fit(X, y)
    assert ours.get_n_leaves() == theirs[-1].get_n_leaves()
    np.testing.assert_array_equal(ours.predict(other), theirs.predict(other))


def test_an_unknown_level_has_no_code():
    X, y = mixed()
    new = X.iloc[:9].assign(d=pd.Categorical(["new"] * 9))
    missing = X.iloc[:9].assign(d=pd.Categorical([None] * 9, X["d"].cat.categories))
    for coding in ENCODERS:
        model = CodedCartClassifier(coding=coding).fit(X, y)
        np.testing.assert_array_equal(model.apply(new), model.apply(missing))
    model = CodedCartClassifier(max_depth=1).fit(X[["d"]], X["d"] == "v")
    # Without a 1 in any column, the row is not of the level that is tested.
    assert not model.predict(missing[["d"]]).any()


def test_missing_ordinal_codes_go_with_the_heavier_child():
    X = pd.DataFrame({"d": pd.Categorical(list("aaabbbbb"))})
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    model = CodedCartClassifier(coding="ordinal").fit(X, y)
    row = pd.DataFrame({"d": pd.Categorical([None], X["d"].cat.categories)})
    assert model.predict(row).tolist() == [1]


def test_names_are_those_of_the_coded_columns():
    X, y = mixed()
    one_hot = CodedCartClassifier(max_depth=4).fit(X, y)
    assert one_hot.feature_names()[:2] == ["d = u", "d = v"]
    assert len(one_hot.feature_names()) == one_hot.tree_.n_features == 11
    assert "d = v" in one_hot.export_text()
    assert CodedCartClassifier(coding="ordinal").fit(X, y).feature_names() == list(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"coding": "binary"}, "Invalid coding 'binary'"), ({"criterion": "twoing"}, "criterion")],
)
def test_wrong_parameters_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        CodedCartClassifier(**options).fit(*mixed())
