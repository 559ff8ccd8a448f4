"""REPTree against its definition, and its ways with rows, weights and seeds."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle_reptree import check_grown, pruned, rows_in_nodes
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import REPTreeClassifier
from retree.weka_folds import weka_fold
from retree_lab.datasets import load
from retree_lab.experiments.storing.outcomes import tree_digest

# Copies of a row may be held out apart.
NOT_ROWS = {"check_sample_weight_equivalence_on_dense_data": "a weight of 2 is not two rows"}


@parametrize_with_checks([REPTreeClassifier()], expected_failed_checks=lambda _: NOT_ROWS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@st.composite
def problems(draw, *, missing=True, whole=False):
    """Return rows, classes, weights, and the number of levels of each column, -1 of numbers."""
    n, n_features = draw(st.integers(3, 24)), draw(st.integers(1, 4))
    n_levels = draw(st.lists(st.sampled_from([-1, -1, 1, 2, 3, 5]), min_size=n_features,
                             max_size=n_features))  # fmt: skip
    holes = draw(hnp.arrays(bool, (n, n_features))) if missing else np.zeros((n, n_features), bool)
    X = np.empty((n, n_features))
    for j, levels in enumerate(n_levels):
        values = st.integers(0, levels - 1) if levels >= 0 else st.integers(-3, 6)
        X[:, j] = draw(st.lists(values, min_size=n, max_size=n))
    X[holes & draw(hnp.arrays(bool, (n, n_features)))] = np.nan
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 2)))
    weights = st.integers(1, 3).map(float)
    if not whole:
        weights = st.one_of(weights, st.floats(1.0, 4.0))
    return X, y, draw(hnp.arrays(float, n, elements=weights)), np.array(n_levels)


def as_frame(X, n_levels):
    """Return rows with category types, whose levels need not occur."""
    columns = {}
    for j, (column, n) in enumerate(zip(X.T, n_levels, strict=True)):
        codes = np.where(np.isnan(column), -1, column).astype(int) if n >= 0 else None
        columns[j] = column if n < 0 else pd.Categorical.from_codes(codes, categories=range(n))
    return pd.DataFrame(columns)


def fitted(problem, rows=slice(None), **params):
    """Return the tree of some rows of a problem whose classes are all there."""
    X, y, weight, n_levels = problem
    return REPTreeClassifier(**params).fit(as_frame(X, n_levels).iloc[rows], y[rows], weight[rows])


def split_of(y, seed=1):
    return weka_fold(y, 3, 0, seed, stratified=True)


@given(problems(), st.sampled_from([1, 2, 4]), st.sampled_from([None, 1, 2]))
def test_every_test_gains_most(problem, min_cases, max_depth):
    X, y, weight, n_levels = problem
    y = np.unique(y, return_inverse=True)[1]
    model = fitted(problem, prune=False, min_cases=min_cases, max_depth=max_depth)
    limit = np.inf if max_depth is None else max_depth
    check_grown(model.tree_, X, y, weight, n_levels, min_cases, limit)


@given(problems(missing=False, whole=True))
def test_pruning_keeps_what_lowers_the_errors_on_rows_held_out(problem):
    X, y, weight, n_levels = problem
    classes = np.unique(y)
    grown, held = split_of(y)
    if len(np.unique(y[grown])) < len(classes):
        return
    y = np.unique(y, return_inverse=True)[1]
    whole = fitted(problem, grown, prune=False).tree_
    cut, counts = pruned(whole, X, y, held, weight, n_levels)
    found, expected = fitted(problem).tree_, whole.cut(cut)
    np.testing.assert_array_equal(found.feature, expected.feature)
    np.testing.assert_array_equal(found.threshold, expected.threshold)
    kept = [node for node in range(whole.node_count)
            if not any(cut[above] for above, _ in whole.path_to(node))]  # fmt: skip
    np.testing.assert_array_equal(found.counts, counts[kept])


@given(problems())
def test_what_pruning_leaves_has_the_best_tests_and_fewer_errors(problem):
    X, y, weight, n_levels = problem
    y = np.unique(y, return_inverse=True)[1]
    grown, held = split_of(y)
    tree = fitted(problem).tree_
    check_grown(tree, X, y, weight, n_levels, rows=grown)
    reached = rows_in_nodes(tree, X, held, weight, n_levels)
    before = rows_in_nodes(tree, X, grown, weight, n_levels)
    for node in range(tree.node_count):
        both = reached[node] + before[node]
        own = np.bincount([y[r] for r, _ in both], [w for _, w in both], tree.counts.shape[1])
        np.testing.assert_allclose(tree.counts[node], own, rtol=1e-9, atol=1e-9)


@given(problems(whole=True, missing=False), st.integers(-(2**31), 2**31 - 1))
def test_weights_are_rows_where_nothing_is_held_out(problem, seed):
    X, y, weight, n_levels = problem
    times = np.repeat(np.arange(len(y)), weight.astype(int))
    tree = fitted(problem, prune=False, random_state=seed).tree_
    repeated = fitted((X, y, np.ones(len(y)), n_levels), times, prune=False).tree_
    np.testing.assert_array_equal(tree.threshold, repeated.threshold)
    np.testing.assert_array_equal(tree.counts, repeated.counts)


@given(problems(), st.integers(0, 9))
def test_rows_without_a_value_get_the_shares_of_all_branches(problem, row):
    X, _, _, n_levels = problem
    model = fitted(problem)
    one = X[[row % len(X)]]
    leaves = [(n, w) for n, own in enumerate(rows_in_nodes(model.tree_, one, [0], [1.0], n_levels))
              for _, w in own if model.tree_.is_leaf[n]]  # fmt: skip
    shares = sum(w * model.tree_.value[n] for n, w in leaves)
    found = model.predict_proba(as_frame(one, n_levels))
    np.testing.assert_allclose(found[0], shares, rtol=1e-12, atol=1e-15)


def test_fewer_rows_than_folds_are_refused_with_what_to_do():
    with pytest.raises(ValueError, match="set prune=False"):
        REPTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    assert REPTreeClassifier(prune=False).fit([[0.0], [1.0]], [0, 1]).get_n_leaves() == 1


def test_folds_that_nothing_is_held_out_by_may_be_many():
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 0, 1]
    few, many = (REPTreeClassifier(prune=False, folds=n).fit(X, y) for n in (6, 2**40))
    assert many.tree_.threshold.tolist() == pytest.approx(few.tree_.threshold.tolist(), nan_ok=True)


def test_another_seed_holds_out_other_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    first, second = (REPTreeClassifier(random_state=s).fit(X, y + (X[:, 0] > 0)) for s in (1, 2))
    assert first.tree_.node_count != second.tree_.node_count or (
        first.tree_.threshold.tobytes() != second.tree_.threshold.tobytes()
    )


def test_what_subtraction_leaves_of_a_class_counts_in_the_weight_of_its_node():
    # Where rows without the tested value are divided. Committed cells have this tree.
    X, y = load("openml-2", sources=["bundled"])
    model = REPTreeClassifier().fit(X, y)
    assert tree_digest(model) == "85b9dff8e75758a185ef3265cbe0543a"
    assert (model.tree_.counts >= 0).all()
