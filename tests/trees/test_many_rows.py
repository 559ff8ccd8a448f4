"""Many rows at a time, a block of which goes down a tree together, come where each comes alone."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import MIXED, random_trees

from retree import CartClassifier

MOST = np.finfo(float).max  # any two of which are too large for a sum
NUMBERS = [np.nan, -MOST, -1.0, 0.0, 1.0, 1.5, 2.0, 3.0, MOST]
CODES = [np.nan, 0.0, 1.0, 2.0, 3.0]


def each_alone(predict, X):
    """Return what `predict` says of each row when it sees no other."""
    return np.concatenate([predict(X[i : i + 1]) for i in range(len(X))])


@given(
    random_trees(), st.integers(0, 2**32 - 1), st.sampled_from([63, 64, 130]), *2 * [st.booleans()]
)
def test_tests_of_all_kinds(tree, seed, n_rows, divide, is_known):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.choice(NUMBERS, (n_rows, 2)), rng.choice(CODES, n_rows)])
    if is_known:  # in the first block
        X[:64] = np.nan_to_num(X[:64]).clip(-4.0, 4.0)
    np.testing.assert_array_equal(tree.apply(X), each_alone(tree.apply, X))
    for predict in tree.predicted, tree.predicted_codes:
        alone = each_alone(lambda row: predict(row, divide_missing=divide), X)  # noqa: B023
        np.testing.assert_array_equal(predict(X, divide_missing=divide), alone)


def test_large_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3))
    tree = CartClassifier().fit(X, rng.integers(0, 3, 700)).tree_
    rows = rng.normal(size=(2 * tree.node_count + 1, 3))
    rows[100::7, 1] = np.nan  # in all blocks but the first
    np.testing.assert_array_equal(tree.apply(rows), each_alone(tree.apply, rows))


def test_unknown_levels_are_refused_among_many_rows():
    X = np.zeros((100, 3))
    X[77, 2] = 4.0
    with pytest.raises(ValueError, match="not the code of one of its levels"):
        MIXED.apply(X)


@pytest.mark.parametrize("n_columns", [2, 65])  # of wider rows the engine does not look at all
@pytest.mark.parametrize("n_rows", [1, 100])
def test_infinite_values_are_refused(n_rows, n_columns):
    X = np.random.default_rng(0).normal(size=(30, n_columns))
    model = CartClassifier().fit(X, X[:, 0] > 0)
    rows = np.zeros((n_rows, n_columns))
    rows[-1, 1] = -np.inf
    for method in model.predict, model.predict_proba, model.apply:
        with pytest.raises(ValueError, match="Input X contains infinity or a value too large"):
            method(rows)
    rows[-1, 1] = MOST
    assert not model.predict(rows).any()


@pytest.mark.parametrize("table", [np.asarray, pd.DataFrame])
def test_infinite_values_are_refused_beside_missing_ones(table):
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[3, 1] = np.nan
    CartClassifier().fit(table(X), X[:, 0] > 0)
    X[7, 2] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity or a value too large"):
        CartClassifier().fit(table(X), X[:, 0] > 0)
