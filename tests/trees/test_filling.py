"""Missing values filled in with the most common value or the mean."""

import numpy as np
import pandas as pd
import pytest
from every_classifier import TREES
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.utils import get_tags

import retree
from retree import C45Classifier, ID3Classifier, from_json
from retree.forests import BaggingTreesClassifier
from retree.trees.base import NumericTreeClassifier
from retree.trees.rows import fill_values

FILLED = {
    name: model
    for name, model in TREES.items()
    if isinstance(model, NumericTreeClassifier) and "fill_missing" in model.get_params()
}
BOTH = pytest.mark.parametrize("Classifier", [C45Classifier, ID3Classifier])


def gaps(seed=0, n=120):
    """Return rows of two numbers with ties, a fifth of them missing, and two classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 2)).astype(float)
    y = (X.sum(axis=1) + rng.integers(0, 3, n) > 6).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, y


def test_values_by_hand():
    X = np.array([[1.0, 0.0], [1.0, 1.0], [4.0, np.nan], [np.nan, 1.0], [9.0, 0.0]])
    weight, is_nominal = np.array([1.0, 1.0, 2.0, 1.0, 1.0]), np.array([False, True])
    # 1 and 4 weigh 2 each, as do levels 0 and 1: the lowest.
    assert fill_values(X, weight, is_nominal, "common").tolist() == [1.0, 0.0]
    assert fill_values(X, weight, is_nominal, "mean").tolist() == [(1 + 1 + 8 + 9) / 5, 0.0]
    weight[1] = 1.5
    assert fill_values(X, weight, is_nominal, "common").tolist() == [1.0, 1.0]
    X[:, 1] = np.nan
    assert np.isnan(fill_values(X, weight, is_nominal, "mean")[1])


def test_the_mean_of_large_numbers_is_finite():
    largest = np.finfo(float).max
    X = np.array([[largest, -largest, 1e307], [largest / 2, -largest, 3e307]])
    found = fill_values(X, np.array([3.0, 1.0]), np.zeros(3, bool), "mean")
    np.testing.assert_allclose(found, [largest * 0.875, -largest, 1.5e307])


@BOTH
def test_a_column_without_any_value_stays_missing(Classifier):
    X, y = gaps(2)
    X[:, 1] = np.nan
    model = Classifier(fill_missing="mean").fit(X, y)
    assert np.isnan(model.fill_values_).tolist() == [False, True]
    again = from_json(model.to_json())
    new = gaps(5)[0]
    np.testing.assert_array_equal(again.fill_values_, model.fill_values_)
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


@BOTH
@pytest.mark.parametrize(("how", "strategy"), [("common", "most_frequent"), ("mean", "mean")])
def test_it_is_that_of_rows_filled_in_before(Classifier, how, strategy):
    for seed in range(5):
        X, y = gaps(seed)
        imputer = SimpleImputer(strategy=strategy).fit(X)
        model = Classifier(fill_missing=how).fit(X, y)
        other = Classifier().fit(imputer.transform(X), y)
        np.testing.assert_allclose(model.fill_values_, imputer.statistics_, rtol=1e-15)
        np.testing.assert_array_equal(model.tree_.counts, other.tree_.counts)
        new = gaps(seed + 100)[0]
        np.testing.assert_array_equal(
            model.predict_proba(new), other.predict_proba(imputer.transform(new))
        )
        assert (model.predict_proba(new) != Classifier().fit(X, y).predict_proba(new)).any()


@BOTH
def test_weights_are_repetitions(Classifier):
    X, y = gaps(1)
    weight = np.arange(len(y)) % 3
    weighted = Classifier(fill_missing="common", pruning=None).fit(X, y, weight)
    repeated = Classifier(fill_missing="common", pruning=None).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    np.testing.assert_array_equal(weighted.fill_values_, repeated.fill_values_)


@BOTH
def test_missing_and_unknown_levels_are_the_common_one(Classifier):
    X = pd.DataFrame({"a": pd.Categorical(["u", "u", "u", "v", "v", None])})
    model = Classifier(fill_missing="mean", min_cases=1).fit(X, [0, 0, 0, 1, 1, 0])
    assert model.fill_values_.tolist() == [0.0]
    new = pd.DataFrame({"a": pd.Categorical(["u", "v", "w", None])})
    np.testing.assert_array_equal(model.predict(new), [0, 1, 0, 0])


@pytest.mark.parametrize("name", FILLED)
@pytest.mark.parametrize("how", ["common", "mean"])
def test_trees_of_numbers_fill_in_before_they_grow(name, how):
    X, y = gaps(3)
    weight = np.resize([0.5, 1.0, 3.0], len(y))
    weight[::7] = 0
    model = clone(FILLED[name]).set_params(fill_missing=how)
    assert get_tags(model).input_tags.allow_nan
    assert not get_tags(FILLED[name]).input_tags.allow_nan
    model.fit(X, y, sample_weight=weight)
    kept, numbers = weight > 0, np.zeros(X.shape[1], bool)
    values = fill_values(X[kept], weight[kept] / min(weight[kept].mean(), 1), numbers, how)
    np.testing.assert_array_equal(model.fill_values_, values)
    complete = np.where(np.isnan(X), values, X)
    other = clone(FILLED[name]).fit(complete, y, sample_weight=weight)
    np.testing.assert_array_equal(model.tree_.counts, other.tree_.counts)
    new = gaps(4)[0]
    found = model.predict_proba(new)
    np.testing.assert_array_equal(found, other.predict_proba(np.where(np.isnan(new), values, new)))
    if hasattr(retree, name):  # a document names a class of retree
        again = from_json(model.to_json())
        np.testing.assert_array_equal(again.predict_proba(new), found)
    assert "x[0]" in str(model.explain(new[np.isnan(new).any(axis=1)][0])) or model.get_depth() < 2
    with pytest.raises(
        ValueError, match="does not handle missing values unless fill_missing is set"
    ):
        other.predict(new)
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match=r"Columns \['x\[1\]'\] have no value to fill in"):
        model.fit(X, y)


def test_wrong_ways_are_refused():
    X, y = gaps()
    with pytest.raises(ValueError, match=r"Invalid fill_missing 'median'.*'common', 'mean'"):
        C45Classifier(fill_missing="median").fit(X, y)
    with pytest.raises(ValueError, match="do not set fill_missing on the estimator"):
        BaggingTreesClassifier(estimator=C45Classifier(fill_missing="mean")).fit(X, y)
