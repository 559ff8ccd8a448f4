"""Relief-F against its definition, and the rules for what the definition leaves open."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_cmdt import relief_f
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import C45Classifier
from retree.relief import ReliefF, measure_columns

PRINTED = np.array([0.09, 0.14, 0.34, 0.39])


@parametrize_with_checks([ReliefF(), ReliefF(n_samples=7, n_features_to_select=1)])
def test_conventions(estimator, check):
    check(estimator)


@st.composite
def tables(draw):
    """Draw rows on a coarse grid, so that distances tie, with missing values."""
    n = draw(st.integers(3, 24))
    n_levels = draw(st.lists(st.sampled_from([-1, -1, 2, 4]), min_size=1, max_size=4))
    missing = draw(st.booleans())
    value = st.integers(0, 3)
    columns = [
        draw(
            st.lists(
                st.one_of(value, st.just(np.nan)) if missing else value, min_size=n, max_size=n
            )
        )
        for _ in n_levels
    ]
    X = np.array(columns, float).T
    for j, k in enumerate(n_levels):
        X[:, j] = np.where(np.isnan(X[:, j]), np.nan, X[:, j] % k if k > 0 else X[:, j] * 1.7 - 3)
    classes = draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2))
    y = np.array([0, 1, *classes])
    return X, y, np.array(n_levels) > 0


@given(tables(), st.integers(1, 6))
def test_weights_are_those_of_the_definition(table, n_neighbors):
    X, y, nominal = table
    model = ReliefF(n_neighbors=n_neighbors, categorical_features=nominal).fit(X, y)
    offset, scale = measure_columns(X, nominal)
    expected = relief_f((X - offset) / scale, y, nominal, n_neighbors)
    np.testing.assert_allclose(model.feature_weights_, expected, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_order_scale_and_names_do_not_matter(table, random):
    X, y, nominal = table
    weights = ReliefF(n_neighbors=3, categorical_features=nominal).fit(X, y).feature_weights_
    order = random.sample(range(len(y)), len(y))
    permuted = ReliefF(n_neighbors=3, categorical_features=nominal).fit(X[order], y[order])
    np.testing.assert_array_equal(permuted.feature_weights_, weights)
    other = np.where(nominal, 3 - X, -1.3 * X + 40)
    renamed = ReliefF(n_neighbors=3, categorical_features=nominal).fit(
        other, np.array(["b", "c", "a"])[y]
    )
    np.testing.assert_allclose(renamed.feature_weights_, weights, atol=1e-12)


def iris():
    X, y = load_iris(return_X_y=True)
    return X, y


def test_iris_weights_are_the_printed_ones_up_to_sampling():
    X, y = iris()
    weights = ReliefF().fit(X, y).feature_weights_
    np.testing.assert_allclose(weights, PRINTED, atol=0.05)
    assert (np.argsort(weights)[2:] == [2, 3]).all()
    # The print says neither how many rows were drawn nor which; some draws of 20 come near.
    drawn = [ReliefF(n_samples=20, random_state=s).fit(X, y).feature_weights_ for s in range(300)]
    assert np.abs(np.array(drawn) - PRINTED).max(axis=1).min() < 0.02
    np.testing.assert_allclose(np.mean(drawn, axis=0), weights, atol=0.005)


def test_sampling_is_reproducible():
    X, y = iris()
    first, second = (ReliefF(n_samples=20, random_state=1).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.feature_weights_, second.feature_weights_)
    other = ReliefF(n_samples=20, random_state=2).fit(X, y).feature_weights_
    assert (other != first.feature_weights_).any()
    every = ReliefF(n_samples=10_000, random_state=2).fit(X, y).feature_weights_
    np.testing.assert_array_equal(every, ReliefF().fit(X, y).feature_weights_)


def test_columns_are_selected_by_threshold_or_number():
    X, y = iris()
    assert ReliefF(threshold=0.2).fit(X, y).get_support(indices=True).tolist() == [2, 3]
    assert ReliefF(n_features_to_select=3).fit_transform(X, y).shape == (150, 3)
    both = ReliefF(threshold=0.37, n_features_to_select=3).fit(X, y)
    assert both.get_support(indices=True).tolist() == [3]
    constant = np.column_stack([np.ones(150), X])
    assert ReliefF().fit(constant, y).get_support().tolist() == [False, True, True, True, True]
    twice = np.column_stack([X[:, 3], X[:, 3]])
    first = ReliefF(n_features_to_select=1).fit(twice, y)
    assert first.get_support().tolist() == [True, False]


def test_in_a_pipeline_with_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    steps = ReliefF(threshold=0.2), StandardScaler(), DecisionTreeClassifier(random_state=0)
    model = make_pipeline(*steps).fit(X, y)
    assert model.score(X, y) > 0.95
    names = model[0].get_feature_names_out().tolist()
    assert names == ["petal length (cm)", "petal width (cm)"]


def test_nominal_columns_differ_or_do_not():
    # Codes far apart are no more different than neighbours.
    level = pd.Categorical([1, 1, 1, 9, 9, 2, 2, 2] * 3)
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1] * 3)
    frame = pd.DataFrame({"level": level, "noise": [0.0, 1.0] * 12})
    weights = ReliefF(n_neighbors=1).fit(frame, y).feature_weights_
    assert weights[0] == pytest.approx(1)
    assert weights[1] < 0.2


def test_tied_neighbours_share_the_places():
    # The nearest other of row 0 is row 1; of class b, rows 2 and 3 tie: half of each.
    X = np.array([[0, 0], [0, 0.1], [1, 0], [0, 1]], float)
    y = np.array([0, 0, 1, 1])
    misses = np.array([[0.5, 0.5], [0, 0.9], [1, 0], [0, 0.9]])
    hits = np.array([[0, 0.1], [0, 0.1], [1, 1], [1, 1]])
    expected = (misses - hits).mean(axis=0)
    np.testing.assert_allclose(ReliefF(n_neighbors=1).fit(X, y).feature_weights_, expected)


def test_the_only_row_of_a_class_has_no_hits():
    X = np.array([[0.0], [0.5], [1.0]])
    # Rows 0 and 1: miss 1 - hit 0.5, miss 0.5 - hit 0.5; row 2: the mean miss of both others.
    expected = (0.5 + 0 + 0.75) / 3
    assert ReliefF().fit(X, [0, 0, 1]).feature_weights_ == pytest.approx([expected])


def test_missing_levels_differ_by_their_expectation():
    X = pd.DataFrame({"level": pd.Categorical(["a", "a", "b", None, "b", "b"])})
    y = np.array([0, 0, 0, 0, 1, 1])
    # Of class 0, a missing level is "a" with probability 2/3.
    to_a, to_b = 1 / 3, 2 / 3
    hits = np.array([(0 + 1 + to_a) / 3] * 2 + [(1 + 1 + to_b) / 3, (to_a + to_a + to_b) / 3, 0, 0])
    misses = np.array([1, 1, 0, to_b, (1 + 1 + to_b) / 4, (1 + 1 + to_b) / 4])
    expected = (misses - hits).mean()
    assert ReliefF().fit(X, y).feature_weights_ == pytest.approx([expected])


def test_a_column_without_values_weighs_nothing():
    X, y = iris()
    wider = np.column_stack([X, np.full(150, np.nan)])
    weights = ReliefF().fit(wider, y).feature_weights_
    assert weights[4] == 0
    np.testing.assert_array_equal(weights[:4], ReliefF().fit(X, y).feature_weights_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_samples": 0}, "n_samples"),
        ({"n_features_to_select": 0}, "n_features_to_select"),
    ],
)
def test_wrong_parameters_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        ReliefF(**options).fit(*iris())


def test_data_that_says_nothing_is_rejected():
    with pytest.raises(ValueError, match="only one class"):
        ReliefF().fit([[0.0], [1.0]], [0, 0])
    with pytest.raises(ValueError, match="range of column 1 overflows"):
        ReliefF().fit([[0, 1.7e308], [0, -1.7e308]], [0, 1])


def test_selected_columns_keep_their_missing_values():
    X, y = load_iris(return_X_y=True)
    X[::7, 3] = np.nan
    relief = ReliefF(n_features_to_select=2).fit(X, y)
    kept = relief.get_support()
    assert kept[3]
    np.testing.assert_array_equal(relief.transform(X), X[:, kept])


def test_missing_values_are_refused_where_fit_saw_none():
    X, y = load_iris(return_X_y=True)
    relief = ReliefF(n_features_to_select=2).fit(X, y)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN in the columns \['x\[2\]'\].*SimpleImputer"):
        relief.transform(X)
    table = pd.DataFrame(X, columns=list("abcd"))
    relief.fit(table.fillna(0.0), y)
    with pytest.raises(ValueError, match=r"NaN in the columns \['c'\]"):
        relief.transform(table)
    # A column that is dropped passes nothing on.
    table["c"] = table["c"].fillna(0.0)
    table.loc[5, "a"] = np.nan
    assert relief.transform(table).shape == (150, 2)


def test_missing_values_reach_the_tree_that_takes_them():
    X, y = load_iris(return_X_y=True)
    X[::7, 3] = np.nan
    model = make_pipeline(ReliefF(n_features_to_select=2), C45Classifier()).fit(X, y)
    kept = X[:, model[0].get_support()]
    np.testing.assert_array_equal(model.predict(X), C45Classifier().fit(kept, y).predict(kept))


@pytest.mark.parametrize("missing", [0.0, np.nan])
def test_infinite_numbers_are_refused(missing):
    X, y = load_iris(return_X_y=True)
    X[::7, 3] = missing
    relief = ReliefF().fit(X, y)
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        relief.transform(X)
