"""What must not change a CART tree: the order of rows, units, names of classes, copies of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from problems import assert_same_tree, examples
from test_cart import CRITERIA, as_frame, tables

from retree import CartClassifier, CartRegressor

seeds = st.integers(0, 2**32 - 1)
models = st.sampled_from([*(CartClassifier(criterion=c) for c in CRITERIA), CartRegressor()])
leaf_sizes = st.integers(1, 3)


def targets(model, y):
    """Return the class codes, or numbers of which sums have rounding errors."""
    return np.exp(y / 3) if isinstance(model, CartRegressor) else y


def assert_same_splits(tree, other):
    for name in ("children", "feature", "threshold", "subset", "left_levels"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)


@examples
@given(tables(n_targets=6), models, leaf_sizes, seeds)
def test_order_of_rows(table, model, least, seed):
    X, y, w, n_levels = table
    w = w * 0.3
    order = np.random.default_rng(seed).permutation(len(y))
    model.set_params(min_samples_leaf=least)
    y = targets(model, y)
    tree = model.fit(as_frame(X, n_levels), y, w).tree_
    other = model.fit(as_frame(X[order], n_levels), y[order], w[order]).tree_
    assert_same_tree(tree, other)
    assert_same_splits(tree, other)
    np.testing.assert_array_equal(tree.value, other.value)


@examples
@given(tables(kinds=[-1]), models, leaf_sizes, st.data())
def test_units_of_features(table, model, least, data):
    X, y, w, n_levels = table
    model.set_params(min_samples_leaf=least)
    powers = st.lists(st.integers(-20, 20), min_size=len(n_levels), max_size=len(n_levels))
    scale, shift = 2.0 ** np.array(data.draw(powers)), np.array(data.draw(powers)) * 0.25
    tree, moved = (model.fit(values, y, w).tree_ for values in (X, X * scale + shift))
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(moved.feature, tree.feature)
    np.testing.assert_array_equal(moved.counts, tree.counts)
    expected = tree.threshold * scale[tree.feature] + shift[tree.feature]
    np.testing.assert_array_equal(moved.threshold[inner], expected[inner])


@examples
@given(tables(n_targets=8), leaf_sizes, st.integers(-30, 30), st.integers(-4, 4))
def test_units_of_targets(table, least, power, shift):
    X, y, w, n_levels = table
    frame, model = as_frame(X, n_levels), CartRegressor(min_samples_leaf=least)
    tree, moved = (model.fit(frame, t, w).tree_ for t in (y, (y + shift) * 2.0**power))
    assert_same_splits(tree, moved)
    expected = (tree.moments + np.array([shift, 0])) * [2.0**power, 4.0**power]
    np.testing.assert_allclose(moved.moments, expected, rtol=1e-12, atol=1e-12 * 4.0**power)


@examples
@given(tables(kinds=[-1, 2, 5, 12]), st.sampled_from(CRITERIA), st.sampled_from([0, 10]), st.data())
def test_names_of_classes(table, criterion, most, data):
    X, y, w, n_levels = table
    classes, y = np.unique(y, return_inverse=True)
    new_name = np.array(data.draw(st.permutations(range(len(classes)))))
    model, frame = (
        CartClassifier(criterion=criterion, max_exact_levels=most),
        as_frame(X, n_levels),
    )
    tree, other = (model.fit(frame, names, w).tree_ for names in (y, new_name[y]))
    assert_same_splits(tree, other)
    np.testing.assert_allclose(other.counts[:, new_name], tree.counts)


@examples
@given(tables(n_targets=6), models)
def test_whole_weights_are_repeated_rows(table, model):
    X, y, w, n_levels = table
    times = np.ceil(w).astype(int)
    model.set_params(min_samples_leaf=1)
    y = targets(model, y)
    weighted = model.fit(as_frame(X, n_levels), y, times).tree_
    rows = np.repeat(np.arange(len(y)), times)
    repeated = model.fit(as_frame(X[rows], n_levels), y[rows]).tree_
    assert_same_splits(weighted, repeated)
    np.testing.assert_allclose(weighted.counts, repeated.counts)
    np.testing.assert_allclose(weighted.value, repeated.value)


@examples
@given(tables(n_targets=6), models, st.sampled_from([1 / 3, 0.1, 1e-9, 7e9]))
def test_unit_of_the_weights(table, model, factor):
    X, y, w, n_levels = table
    model.set_params(min_samples_leaf=1)
    frame = as_frame(X, n_levels)
    tree, other = (model.fit(frame, y, weight).tree_ for weight in (w, w * factor))
    assert_same_splits(tree, other)
    np.testing.assert_allclose(other.weight, tree.weight * factor)


@examples
@given(tables(n_targets=2, kinds=[-1, 2, 5, 12]))
def test_two_classes_split_alike_by_gini_and_twoing(table):
    # p_L p_R (p(1 | L) - p(1 | R))^2 is the twoing value and half the decrease of the Gini index.
    X, y, w, n_levels = table
    frame = as_frame(X, n_levels)
    gini, twoing = (CartClassifier(criterion=c).fit(frame, y, w).tree_ for c in ("gini", "twoing"))
    assert_same_splits(gini, twoing)


@examples
@given(tables(n_targets=2, kinds=[-1, 2, 5, 12]))
def test_two_classes_split_alike_by_gini_and_squared_error(table):
    # p (1 - p) is the variance of a label in {0, 1} and half the Gini index.
    X, y, w, n_levels = table
    frame = as_frame(X, n_levels)
    classes = CartClassifier().fit(frame, y, w)
    numbers = CartRegressor().fit(frame, y, w)
    assert_same_splits(classes.tree_, numbers.tree_)
