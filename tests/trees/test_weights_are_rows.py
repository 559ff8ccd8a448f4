"""Whole weights are as good as repeated rows, and weights of 0 as rows left out."""

import numpy as np
import pytest
from every_classifier import TREES, WEIGHTED
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

NAMES = sorted(set(TREES) & set(WEIGHTED))
# C4.5 also asks for numbers of rows, whatever their weights, as J48 does.
BY_C45 = {name for name in NAMES if name == "C45Classifier" or "estimator" in vars(TREES[name])}

# REPTree holds out copies of a row apart; without pruning, its own test asks for this.
NOT_ROWS = BY_C45 | {"REPTreeClassifier"}


@st.composite
def weighted_rows(draw):
    """Draw rows of few values, two or three classes, and whole weights."""
    n = draw(st.integers(4, 14))
    value = st.integers(0, 5)
    X = np.array(draw(st.lists(st.tuples(value, value), min_size=n, max_size=n)), float)
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    # Of both ways some row of two classes is left, and no column is all the same.
    X[:2], y[:2] = [[0, 1], [1, 0]], [0, 1]
    weight[:2] += 1
    return X, y, weight


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_ROWS])
@settings(max_examples=15)
@given(weighted_rows())
def test_they_are_rows(name, given_rows):
    X, y, weight = given_rows
    weighted = clone(TREES[name]).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = clone(TREES[name]).fit(X[rows], y[rows])
    known = np.isin(weighted.classes_, repeated.classes_)
    np.testing.assert_allclose(
        weighted.predict_proba(X)[:, known], repeated.predict_proba(X), atol=1e-12
    )
    assert (weighted.predict_proba(X)[:, ~known] == 0).all()


COUNTING = [name for name in NAMES if "class_weight" not in TREES[name].get_params()]


@pytest.mark.parametrize("name", COUNTING)
def test_what_counts_rows_refuses_parts_of_them(name):
    X, y = np.array([[0.0, 1], [1, 0], [2, 2], [3, 1]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match=f"{name} counts rows, so sample weights must be whole"):
        clone(TREES[name]).fit(X, y, sample_weight=[1, 0.5, 1, 1])
    with pytest.raises(ValueError, match="more than 2\\^31"):
        clone(TREES[name]).fit(X, y, sample_weight=[1, 2e9, 1, 1e9])
