"""The decision stump against its definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import DecisionStumpClassifier


@parametrize_with_checks([DecisionStumpClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@st.composite
def problems(draw):
    """Draw a table of numbers and levels with holes, classes and weights."""
    n = draw(st.integers(2, 14))
    some = st.one_of(st.none(), st.integers(0, 3))
    columns = [draw(st.lists(some, min_size=n, max_size=n)) for _ in range(4)]
    table = {f"n{j}": np.array([np.nan if v is None else v / 2 for v in c])
             for j, c in enumerate(columns[:2])}  # fmt: skip
    table |= {f"c{j}": pd.Categorical.from_codes([-1 if v is None else v for v in c], list("abcd"))
              for j, c in enumerate(columns[2:])}  # fmt: skip
    y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    weight = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.25]), min_size=n, max_size=n))
    return pd.DataFrame(table), np.array(y), np.array(weight) + 1


def entropy(parts, y, weight):
    """Return the entropy in bits that parts of the rows, given as masks, leave."""
    left = 0.0
    for part in parts:
        for label in np.unique(y[part]):
            own = weight[part & (y == label)].sum()
            left -= own * np.log2(own / weight[part].sum())
    return left / weight.sum()


def all_tests(X):
    """Yield the three parts of the rows by each test: one side, the other one, no value."""
    for column in X.columns:
        unknown = X[column].isna().to_numpy()
        if column.startswith("n"):
            values = np.unique(X[column][~unknown])
            sides = [X[column].to_numpy() <= cut for cut in (values[1:] + values[:-1]) / 2]
        else:
            sides = [(X[column] == level).to_numpy() for level in X[column].cat.categories]
        for side in sides:
            yield column, side, ~side & ~unknown, unknown


@given(problems())
def test_no_test_leaves_less_entropy(problem):
    X, y, weight = problem
    tree = DecisionStumpClassifier().fit(X, y, weight).tree_
    found = {}
    for column, *parts in all_tests(X):
        found.setdefault(column, []).append((entropy(parts, y, weight), parts))
    least = min(value for tests in found.values() for value, _ in tests)
    column = X.columns[tree.feature[0]]
    classes = np.unique(y)
    best = [part for value, parts in found[column] if value < least + 1e-9 for part in parts]
    counts = [[weight[part & (y == c)].sum() for c in classes] for part in best]
    own = tree.counts[1:] * (tree.counts[1:] > 1e-200)
    tests = np.array(counts).reshape(-1, 3, len(classes))[:, : len(own)]
    assert np.isclose(tests, own, atol=1e-9).all(axis=(1, 2)).any()
    has_holes = bool(X[column].isna().any())
    assert (len(own) == 3) == has_holes == (tree.missing_branch is not None)


def test_a_missing_value_goes_to_its_own_branch_or_to_all_rows():
    X, y = np.array([[0.0], [1], [2], [3], [np.nan]]), np.array([0, 0, 0, 1, 1])
    hole = [[np.nan]]
    assert DecisionStumpClassifier().fit(X, y).predict(hole) == [1]
    without = DecisionStumpClassifier().fit(X[:4], y[:4])
    np.testing.assert_allclose(without.predict_proba(hole), [[0.75, 0.25]])


def test_constant_features_make_a_leaf():
    model = DecisionStumpClassifier().fit(np.ones((3, 2)), [0, 1, 1])
    assert model.get_n_leaves() == 1
    assert model.predict([[5.0, np.nan]]) == [1]


def test_members_of_a_forest_are_grown_on_their_rows_alone():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (60, 3)).astype(float), rng.integers(0, 2, 60)
    X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.integers(0, 3, 60).astype(float)
    model = DecisionStumpClassifier().fit(X, y)
    sample = model.checked_sample(X, y)
    grown = model.tree_of(model.share(sample)._replace(weight=weight))
    alone = DecisionStumpClassifier().fit(X[weight > 0], y[weight > 0], weight[weight > 0]).tree_
    np.testing.assert_array_equal(grown.counts, alone.counts)
    np.testing.assert_array_equal(grown.threshold, alone.threshold)
