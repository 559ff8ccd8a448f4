"""Cost-complexity pruning against enumeration, dynamic programming and scikit-learn."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_pruning import (
    cost_of,
    from_scikit_learn,
    least_by_dynamic_programming,
    leaves_of,
    random_tree,
    smallest_of_least,
)
from problems import examples
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree.trees.cart import CartRegressor
from retree.trees.pruning.cost_complexity import cost_complexity_path, prune_cost_complexity
from retree.trees.tree import Tree

RISKS = ("errors", "gini", "entropy")
seeds = st.integers(0, 2**32 - 1)
random_trees = seeds.map(lambda seed: random_tree(np.random.default_rng(seed)))


def between(path):
    """Return the path's alphas, their neighbours' means and one above all."""
    return np.sort([*path.alphas, *(path.alphas[1:] + path.alphas[:-1]) / 2, path.alphas[-1] + 1])


def check_against_enumeration(tree, risk):
    path, cost, total = cost_complexity_path(tree, risk), cost_of(tree, risk), tree.weight[0]
    for alpha in between(path):
        expected = smallest_of_least(tree, lambda leaf, a=alpha: float(cost(leaf)) + a * total)
        assert leaves_of(tree, prune_cost_complexity(tree, alpha, risk)) == expected


@examples
@given(random_trees, st.sampled_from(RISKS))
def test_smallest_minimiser_of_all_subtrees(tree, risk):
    check_against_enumeration(tree, risk)


@examples
@given(seeds)
def test_smallest_minimiser_of_all_subtrees_of_a_regression(seed):
    tree = random_tree(np.random.default_rng(seed), regression=True)
    check_against_enumeration(tree, "squared_error")


@examples
@given(random_trees, st.sampled_from(RISKS))
def test_path_is_that_of_nested_subtrees(tree, risk):
    path, cost = cost_complexity_path(tree, risk), cost_of(tree, risk)
    assert path.alphas[0] == 0
    assert (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    cuts = [prune_cost_complexity(tree, alpha, risk) for alpha in path.alphas]
    np.testing.assert_array_equal(path.n_leaves, [cut.n_leaves for cut in cuts])
    assert path.n_leaves[-1] == 1
    risks = [sum(float(cost(leaf)) for leaf in leaves_of(tree, cut)) for cut in cuts]
    np.testing.assert_allclose(path.risks, np.array(risks) / tree.weight[0], atol=1e-12)
    for larger, smaller in pairwise(cuts):
        leaves_of(larger, smaller)  # raises unless it is a subtree


def shape(tree):
    """Return features and thresholds of all nodes depth first, whatever their numbers."""
    found, pending = [], [0]
    while pending:
        node = pending.pop()
        found.append((tree.feature[node], tree.threshold[node]))
        pending += tree.children_of(node)[::-1].tolist()
    return np.array(found)


def assert_path_of_scikit_learn(model, X, y, weight, risk, scale=1.0):
    """Assert equal alphas, impurities and subtrees; scikit-learn repeats alphas that tie."""
    theirs = model.fit(X, y, weight).cost_complexity_pruning_path(X, y, weight)
    tree = from_scikit_learn(model)
    ours = cost_complexity_path(tree, risk)
    last = np.searchsorted(theirs.ccp_alphas, ours.alphas + 1e-12 * scale, "right") - 1
    np.testing.assert_allclose(ours.alphas, theirs.ccp_alphas[last], rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(ours.risks, theirs.impurities[last], rtol=0, atol=1e-12 * scale)
    tied = np.delete(theirs.ccp_alphas, last)
    nearest = np.abs(tied[:, None] - ours.alphas).min(axis=1, initial=np.inf)
    assert (nearest <= 1e-12 * scale).all()
    for alpha in ours.alphas[:: max(1, len(ours.alphas) // 8)]:
        model.set_params(ccp_alpha=alpha + 1e-11 * scale).fit(X, y, weight)
        pruned = prune_cost_complexity(tree, alpha, risk)
        np.testing.assert_array_equal(shape(pruned), shape(from_scikit_learn(model)))
    return ours, theirs


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("risk", ["gini", "entropy"])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
def test_path_of_scikit_learn(load, risk, weighted):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    model = DecisionTreeClassifier(criterion=risk, random_state=0)
    ours, theirs = assert_path_of_scikit_learn(model, X, y, weight, risk)
    if load is load_digits and not weighted:
        assert len(ours.alphas) < len(theirs.ccp_alphas)


def test_path_of_scikit_learn_in_a_regression():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(random_state=0)
    assert_path_of_scikit_learn(model, X, y, None, "squared_error", scale=y.var())


# Errors over 16 rows; a leaf's class is the larger count.
#             0: 8/8
#    1: 6/2          2: 2/6
#  3: 5/0  4: 1/2  5: 1/5  6: 1/1
BY_HAND = Tree(
    n_features=1,
    children_ptr=np.array([0, 2, 4, 4, 4, 6, 6, 6], np.int32),
    children=np.array([1, 4, 2, 3, 5, 6], np.int32),
    feature=np.array([0, 0, -1, -1, 0, -1, -1], np.int32),
    threshold=np.array([4.0, 2, np.nan, np.nan, 6, np.nan, np.nan]),
    counts=np.array([[8.0, 8], [6, 2], [5, 0], [1, 2], [2, 6], [1, 5], [1, 1]]),
)


def test_path_by_hand():
    # The right test mends no error, the left one mends one, the root's six.
    path = cost_complexity_path(BY_HAND)
    np.testing.assert_array_equal(path.alphas, [0, 1 / 16, 4 / 16])
    np.testing.assert_array_equal(path.risks, [3 / 16, 4 / 16, 8 / 16])
    np.testing.assert_array_equal(path.n_leaves, [3, 2, 1])
    np.testing.assert_array_equal(path.node_alphas * 16, [4, 1, 0, 0, 0, 0, 0])


def test_links_that_tie_are_cut_together():
    counts = BY_HAND.counts.copy()
    counts[4:] = counts[1:4, ::-1]
    tied = replace(BY_HAND, counts=counts)
    path = cost_complexity_path(tied)
    np.testing.assert_array_equal(path.alphas, [0, 1 / 16, 4 / 16])
    np.testing.assert_array_equal(path.n_leaves, [4, 2, 1])


def test_tree_of_one_leaf():
    leaf = BY_HAND.cut([0])
    for risk in RISKS:
        path = cost_complexity_path(leaf, risk)
        assert (path.alphas.tolist(), path.n_leaves.tolist()) == ([0.0], [1])
        assert prune_cost_complexity(leaf, 0.3, risk).node_count == 1


def chain(n_leaves, rng):
    """Return a tree whose every test cuts off one leaf."""
    inner = np.arange(0, 2 * n_leaves - 2, 2)
    n = 2 * n_leaves - 1
    feature, threshold, counts = np.full(n, -1, np.int32), np.full(n, np.nan), np.zeros((n, 2))
    feature[inner], threshold[inner] = 0, inner
    leaves = np.append(inner + 1, n - 1)
    counts[leaves, rng.integers(0, 2, n_leaves)] = rng.integers(1, 9, n_leaves)
    counts[inner] = counts[leaves][::-1].cumsum(axis=0)[:0:-1]
    pointer = np.concatenate(([0], np.cumsum(2 * (feature == 0)))).astype(np.int32)
    children = np.column_stack([inner + 1, inner + 2]).ravel().astype(np.int32)
    return Tree(1, pointer, children, feature, threshold, counts)


def noisy_tree(n):
    """Return a large tree of noise."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 5)), rng.integers(0, 3, n)
    return from_scikit_learn(DecisionTreeClassifier(random_state=0).fit(X, y))


@pytest.mark.parametrize("make", [lambda: chain(5000, np.random.default_rng(0)),
                                  lambda: noisy_tree(6000)])  # fmt: skip
@pytest.mark.parametrize("risk", ["errors", "gini"])
def test_large_and_deep_trees(make, risk):
    tree = make()
    path = cost_complexity_path(tree, risk)
    chosen = np.linspace(0, len(path.alphas) - 1, 6).astype(int)
    for k in chosen[:-1]:
        alpha = (path.alphas[k] + path.alphas[k + 1]) / 2
        assert path.n_leaves[k] == least_by_dynamic_programming(tree, risk, alpha)


@examples
@given(random_trees, st.sampled_from(RISKS), st.sampled_from([2.0, 0.1, 3.7]))
def test_scale_of_the_weights_does_not_matter(tree, risk, factor):
    path = cost_complexity_path(tree, risk)
    scaled = cost_complexity_path(replace(tree, counts=factor * tree.counts), risk)
    np.testing.assert_allclose(scaled.alphas, path.alphas, rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(scaled.n_leaves, path.n_leaves)


@examples
@given(random_trees, st.sampled_from(RISKS), st.permutations(range(3)))
def test_names_of_classes_do_not_matter(tree, risk, order):
    path = cost_complexity_path(tree, risk)
    renamed = cost_complexity_path(replace(tree, counts=tree.counts[:, order]), risk)
    np.testing.assert_allclose(renamed.node_alphas, path.node_alphas, rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(renamed.n_leaves, path.n_leaves)


def test_wrong_parameters_are_rejected():
    regression = random_tree(np.random.default_rng(0), regression=True)
    with pytest.raises(ValueError, match="Invalid risk of a regression tree 'errors'"):
        cost_complexity_path(regression, "errors")
    with pytest.raises(ValueError, match="Valid ones are 'errors', 'gini', 'entropy'"):
        cost_complexity_path(BY_HAND, "squared_error")
    for alpha in (-0.1, np.nan, np.inf):
        with pytest.raises(ValueError, match="alpha"):
            prune_cost_complexity(BY_HAND, alpha)


def test_variances_that_are_no_doubles_are_refused_with_a_sentence():
    X, y = np.arange(20.0)[:, None], np.array([-1.0, 1.0] * 10)
    for unit, exponent in [(1e200, 665), (1e-200, -664)]:
        tree = CartRegressor().fit(X, y * unit).tree_
        with pytest.raises(ValueError, match=rf"divide y by 2.0\*\*{exponent}\."):
            cost_complexity_path(tree)
    near = CartRegressor().cost_complexity_pruning_path(X, y).ccp_alphas
    far = CartRegressor().cost_complexity_pruning_path(X, np.ldexp(y, 400)).ccp_alphas
    np.testing.assert_array_equal(far, np.ldexp(near, 800))
