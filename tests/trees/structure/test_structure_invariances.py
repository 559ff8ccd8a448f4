"""What must not change a tree: the order of rows, units, names of classes, copies of the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_structure_purity import Rule, acceptable, score_candidates
from problems import (
    CRITERIA,
    EXACT,
    assert_same_tree,
    code_matrices,
    examples,
    max_depths,
    parameters,
    problems,
)

from retree import StructurePurityClassifier

seeds = st.integers(0, 2**32 - 1)


def weighs_purity(params):
    """Tell whether omega1 > 0; else scores may be rounding errors of 0, whose ties fall anyhow."""
    return params["omega1"] > 0


def grow(X, y, params):
    return StructurePurityClassifier(**params).fit(X, y).tree_


@examples
@given(problem=problems(), params=parameters().filter(weighs_purity), seed=seeds)
def test_order_of_rows(problem, params, seed):
    X, y = problem
    order = np.random.default_rng(seed).permutation(len(y))
    assert_same_tree(grow(X, y, params), grow(X[order], y[order], params))


@examples
@given(problem=problems(EXACT), params=parameters(), data=st.data())
def test_units_of_features(problem, params, data):
    X, y = problem
    n_features = X.shape[1]
    vectors = [
        data.draw(st.lists(st.integers(-20, 20), min_size=n_features, max_size=n_features))
        for _ in range(2)
    ]
    scale, shift = 2.0 ** np.array(vectors[0]), np.array(vectors[1]) * 0.25
    tree, moved = grow(X, y, params), grow(X * scale + shift, y, params)
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(moved.feature, tree.feature)
    np.testing.assert_array_equal(moved.counts, tree.counts)
    expected = tree.threshold * scale[tree.feature] + shift[tree.feature]
    np.testing.assert_array_equal(moved.threshold[inner], expected[inner])


@examples
@given(problem=problems(), params=parameters())
def test_ordered_names_of_classes(problem, params):
    X, y = problem
    names = np.array(["ant", "bee", "cat", "dog"])
    assert_same_tree(grow(X, y, params), grow(X, names[y], params))


@examples
@given(
    problem=problems(),
    params=parameters().filter(weighs_purity),
    data=st.data(),
    custom=st.booleans(),
)
def test_reordered_names_of_classes(problem, params, data, custom):
    X, y = problem
    n_classes = len(np.unique(y))
    new_name = np.array(data.draw(st.permutations(range(n_classes))))
    renamed = dict(params)
    if custom:
        params["code_matrix"] = data.draw(code_matrices(n_classes))
        renamed["code_matrix"] = params["code_matrix"][np.argsort(new_name)]
    tree, other = grow(X, y, params), grow(X, new_name[y], renamed)
    np.testing.assert_array_equal(other.feature, tree.feature)
    np.testing.assert_array_equal(other.threshold, tree.threshold)
    np.testing.assert_array_equal(other.counts[:, new_name], tree.counts)


@examples
@given(
    problem=problems(),
    params=parameters().filter(weighs_purity),
    max_depth=max_depths,
    times=st.integers(2, 4),
)
def test_copies_of_all_rows(problem, params, max_depth, times):
    # G, centroids and penalties stay; the scatter in CSN is a sum, so all CSN grow alike.
    X, y = problem
    tree = grow(X, y, params | {"max_depth": max_depth})
    repeated = params | {"min_samples_leaf": times * params["min_samples_leaf"]}
    copies = grow(np.tile(X, (times, 1)), np.tile(y, times), repeated | {"max_depth": max_depth})
    np.testing.assert_array_equal(copies.feature, tree.feature)
    np.testing.assert_array_equal(copies.threshold, tree.threshold)
    np.testing.assert_array_equal(copies.counts, times * tree.counts)


def count_nodes_alike(X, y, tree, other, renumbered, params):
    """Assert that `other`, grown with columns ``renumbered[j]`` for j, splits as `tree` does.

    Where splits are tied the order of the columns decides, so the subtrees of such nodes are
    passed over. Returns the number of nodes that were compared.
    """
    rule = Rule(**params)
    pending = [(0, 0, np.arange(len(y)))]
    n_compared = 0
    while pending:
        node, twin, rows = pending.pop()
        if len(acceptable(score_candidates(X[rows], y[rows], rule), rule)) > 1:
            continue
        n_compared += 1
        assert tree.is_leaf[node] == other.is_leaf[twin]
        if tree.is_leaf[node]:
            continue
        assert renumbered[tree.feature[node]] == other.feature[twin]
        assert tree.threshold[node] == other.threshold[twin]
        left = X[rows, tree.feature[node]] <= tree.threshold[node]
        sides = (rows[left], rows[~left])
        pending += zip(tree.children_of(node), other.children_of(twin), sides, strict=True)
    return n_compared


@pytest.mark.parametrize("criterion", CRITERIA)
def test_order_of_columns_decides_ties_only(criterion):
    params = {"criterion": criterion, "k": 4, "omega2": 0.3, "min_samples_leaf": 3}
    params["small_child"] = "skip"
    n_compared = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
        order = rng.permutation(4)
        tree, other = grow(X, y, params), grow(X[:, order], y, params)
        n_compared += count_nodes_alike(X, y, tree, other, np.argsort(order), params)
    assert n_compared > 40
