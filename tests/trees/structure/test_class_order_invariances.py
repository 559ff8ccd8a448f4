"""What must not change a tree of Segment+C4.5, SPES or SPCE."""

import numpy as np
from class_order_methods import grown, parameters
from hypothesis import given
from hypothesis import strategies as st
from problems import EXACT, assert_same_tree, examples, max_depths, problems


@examples
@given(problem=problems(), params=parameters, seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_does_not_matter(problem, params, seed):
    X, y = problem
    order = np.random.default_rng(seed).permutation(len(y))
    assert_same_tree(grown(X, y, params), grown(X[order], y[order], params))


@examples
@given(problem=problems(EXACT), params=parameters, power=st.sampled_from([1, 3]))
def test_only_the_order_of_values_matters(problem, params, power):
    X, y = problem
    tree, other = grown(X, y, params), grown(4 * X**power - 1, y, params)
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(other.feature, tree.feature)
    np.testing.assert_array_equal(other.counts, tree.counts)
    np.testing.assert_array_equal(other.threshold[inner], 4 * tree.threshold[inner] ** power - 1)


@examples
@given(problem=problems(), params=parameters, data=st.data())
def test_names_of_classes_do_not_matter(problem, params, data):
    X, y = problem
    new_name = np.array(data.draw(st.permutations(range(len(np.unique(y))))))
    tree, other = grown(X, y, params), grown(X, new_name[y], params)
    np.testing.assert_array_equal(other.feature, tree.feature)
    np.testing.assert_array_equal(other.threshold, tree.threshold)
    np.testing.assert_array_equal(other.counts[:, new_name], tree.counts)


@examples
@given(problem=problems(), params=parameters, max_depth=max_depths, times=st.integers(2, 4))
def test_copies_of_all_rows_do_not_matter(problem, params, max_depth, times):
    X, y = problem
    tree = grown(X, y, params, max_depth=max_depth)
    repeated = params | {"min_samples_leaf": times * params["min_samples_leaf"]}
    copies = grown(np.tile(X, (times, 1)), np.tile(y, times), repeated, max_depth=max_depth)
    np.testing.assert_array_equal(copies.feature, tree.feature)
    np.testing.assert_array_equal(copies.threshold, tree.threshold)
    np.testing.assert_array_equal(copies.counts, times * tree.counts)


@examples
@given(problem=problems(), params=parameters)
def test_constant_columns_do_not_matter(problem, params):
    X, y = problem
    wider = np.column_stack([X, np.full(len(y), 3.0)])
    tree, other = grown(X, y, params), grown(wider, y, params)
    np.testing.assert_array_equal(other.feature, tree.feature)
    np.testing.assert_array_equal(other.threshold, tree.threshold)
