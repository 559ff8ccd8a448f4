"""Pessimistic, reduced-error and error-based pruning against recursion and enumeration."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_pruning import (
    error_based,
    leaves_of,
    loss,
    passing,
    pessimistic,
    random_rows,
    random_tree,
    reduced_error,
    smallest_of_least,
)
from problems import assert_same_tree, examples

from retree import C45Classifier
from retree.trees.pruning.by_errors import (
    collapse,
    held_out_losses,
    prune_error_based,
    prune_pessimistic,
    prune_reduced_error,
)
from retree.trees.tree import Tree

seeds = st.integers(0, 2**32 - 1)


@st.composite
def trees_and_rows(draw):
    """Draw a tree, rows to prune it with and whether rows without a value are divided."""
    rng = np.random.default_rng(draw(seeds))
    regression = draw(st.booleans())
    n, missing = draw(st.integers(1, 25)), draw(st.sampled_from([0.0, 0.3]))
    tree = random_tree(rng, regression=regression)
    return tree, random_rows(rng, n, missing=missing, regression=regression), draw(st.booleans())


@examples
@given(seeds, st.sampled_from([0.0, 0.5, 1.0, 1.96]), st.sampled_from(["top_down", "bottom_up"]))
def test_pessimistic_pruning_is_that_of_the_recursion(seed, z, order):
    tree = random_tree(np.random.default_rng(seed))
    pruned = prune_pessimistic(tree, z, order)
    assert leaves_of(tree, pruned) == tuple(sorted(pessimistic(tree, z, order)))


# Counts of two classes, as (rows, minority):
#               0: 40, 11
#       1: 20, 9           4: 20, 2
#   2: 10, 0  3: 10, 1
BY_HAND = Tree(
    n_features=1,
    children_ptr=np.array([0, 2, 4, 4, 4, 4], np.int32),
    children=np.array([1, 4, 2, 3], np.int32),
    feature=np.array([0, 0, -1, -1, -1], np.int32),
    threshold=np.array([4.0, 2, np.nan, np.nan, np.nan]),
    counts=np.array([[29.0, 11], [11, 9], [10, 0], [1, 9], [18, 2]]),
)


def test_pessimistic_pruning_by_hand():
    # Node 1: 9.5 against 0.5 + 1.5 = 2 and a standard error of sqrt(2 * 18 / 20) = 1.342.
    # Root: 11.5 against 2 + 2.5 = 4.5 and a standard error of sqrt(4.5 * 35.5 / 40) = 1.998.
    def n_leaves(z, order):
        return prune_pessimistic(BY_HAND, z, order).n_leaves

    assert n_leaves(7 / 1.999, "top_down") == 3  # 7 errors are 3.503 standard errors
    assert n_leaves(7 / 1.997, "top_down") == 1
    assert n_leaves(7.5 / 1.343, "bottom_up") == 1
    # Node 1 is 7.5 errors, 5.590 standard errors, worse, but is not looked at below the root.
    assert n_leaves(3.6, "top_down") == 1


def test_orders_of_pessimistic_pruning_differ():
    rng = np.random.default_rng(1)
    sizes = []
    for _ in range(200):
        tree = random_tree(rng)
        sizes.append([prune_pessimistic(tree, 1.0, o).n_leaves for o in ("top_down", "bottom_up")])
    down, up = np.array(sizes).T
    assert (down < up).any()
    assert (down > up).any()


@examples
@given(trees_and_rows())
def test_held_out_losses_are_those_of_the_rows_that_pass(drawn):
    tree, sample, divide = drawn
    losses, rows = held_out_losses(tree, sample, divide), passing(tree, sample, divide)
    expected = [loss(tree, node, rows[node]) for node in range(tree.node_count)]
    np.testing.assert_allclose(losses[:, 0], expected, atol=1e-12)
    if tree.moments is None:
        np.testing.assert_array_equal(losses[:, 0], losses[:, 1])
    else:
        value = tree.value[:, 0]
        squares = [sum(w * (t - value[i]) ** 4 for t, w in rows[i]) for i in rows]
        np.testing.assert_allclose(losses[:, 1], squares, atol=1e-12)


@examples
@given(trees_and_rows())
def test_reduced_error_pruning_is_that_of_the_recursion(drawn):
    tree, sample, divide = drawn
    pruned = prune_reduced_error(tree, *sample[:3], divide_missing=divide)
    assert leaves_of(tree, pruned) == reduced_error(tree, sample, divide)


@examples
@given(trees_and_rows())
def test_reduced_error_pruning_leaves_the_smallest_of_the_best_subtrees(drawn):
    tree, sample, divide = drawn
    rows = passing(tree, sample, divide)
    expected = smallest_of_least(tree, lambda leaf: loss(tree, leaf, rows[leaf]))
    assert (
        leaves_of(tree, prune_reduced_error(tree, *sample[:3], divide_missing=divide)) == expected
    )


@examples
@given(trees_and_rows(), seeds)
def test_order_and_repetition_of_the_pruning_rows_do_not_matter(drawn, seed):
    tree, sample, divide = drawn
    order = np.random.default_rng(seed).permutation(len(sample.y)).repeat(3)
    expected = leaves_of(tree, prune_reduced_error(tree, *sample[:3], divide_missing=divide))
    again = prune_reduced_error(tree, *sample.take(order)[:3], divide_missing=divide)
    assert leaves_of(tree, again) == expected


@examples
@given(seeds, st.permutations(range(3)))
def test_names_of_classes_do_not_matter(seed, names):
    rng = np.random.default_rng(seed)
    tree, sample = random_tree(rng), random_rows(rng, 20)
    # Counts that differ everywhere, as ties fall to the first name.
    counts = tree.counts + np.array([0.01, 0.02, 0.03])
    tree = Tree(**fields(tree, counts))
    renamed = Tree(**fields(tree, counts[:, np.argsort(names)]))
    y = np.array(names, np.int32)[sample.y]
    for prune in (prune_pessimistic, prune_error_based, prune_reduced_error):
        options = () if prune is prune_pessimistic else sample[:3]
        again = () if prune is prune_pessimistic else (sample.X, y, sample.weight)
        pruned, other = prune(tree, *options), prune(renamed, *again)
        np.testing.assert_array_equal(pruned.feature, other.feature)
        np.testing.assert_array_equal(pruned.counts, other.counts[:, names])


def fields(tree, counts):
    """Return the fields of a tree, with other counts."""
    names = ("n_features", "children_ptr", "children", "feature", "threshold", "subset",
             "left_levels", "normals")  # fmt: skip
    return {name: getattr(tree, name) for name in names} | {"counts": counts}


@examples
@given(seeds, st.sampled_from([0.5, 0.25, 0.1, 0.01]))
def test_error_based_pruning_is_that_of_the_recursion(seed, confidence):
    rng = np.random.default_rng(seed)
    tree, sample = random_tree(rng), random_rows(rng, 5, missing=0.2)
    options = {"confidence": confidence, "subtree_raising": False}
    pruned = prune_error_based(tree, *sample[:3], **options)
    assert leaves_of(tree, pruned) == tuple(sorted(error_based(tree, confidence)[1]))


@pytest.mark.parametrize("raising", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_rows_in_the_order_of_leaves_prune_as_rows_sent_down_one_node_after_another(seed, raising):
    rng = np.random.default_rng(seed)
    n = 1500
    X = pd.DataFrame(rng.normal(size=(n, 3)).round(2), columns=list("xyz")).assign(
        level=pd.Categorical.from_codes(rng.integers(0, 4, n), list("abcd"))
    )
    y = (X["x"] + X["y"] ** 2 > 1).astype(int) + (X["level"].cat.codes + 2 * rng.random(n) > 2)
    grown = C45Classifier(pruning=None, collapse=False, binary_splits=seed > 1).fit(X, y)
    codes = np.column_stack([X[list("xyz")], X["level"].cat.codes])
    sample = codes, np.unique(y, return_inverse=True)[1].astype(np.int32), np.ones(n)
    # With sums of each node, rows are sent down as where values are missing.
    sums = np.column_stack([grown.tree_.weight, grown.tree_.weight])
    others = replace(grown.tree_, row_sums=sums)
    pruned = prune_error_based(grown.tree_, *sample, subtree_raising=raising)
    other = prune_error_based(others, *sample, subtree_raising=raising)
    assert 1 < pruned.node_count < grown.tree_.node_count
    for name in ("feature", "children", "threshold", "counts"):
        np.testing.assert_array_equal(getattr(pruned, name), getattr(other, name))


@examples
@given(seeds, st.booleans(), st.booleans())
def test_collapsing_within_pruning_is_collapsing_before(seed, raising, with_sums):
    rng = np.random.default_rng(seed)
    tree, sample = random_tree(rng), random_rows(rng, 200, missing=0.2 * with_sums)
    if with_sums:
        tree = replace(tree, row_sums=np.column_stack([tree.weight, tree.weight]))
    options = {"confidence": 0.4, "subtree_raising": raising}
    pruned = prune_error_based(tree, *sample[:3], **options, collapses=True)
    assert_same_tree(pruned, prune_error_based(collapse(tree), *sample[:3], **options))


def test_wrong_input_is_rejected():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="needs a classification tree"):
        prune_pessimistic(random_tree(rng, regression=True))
    with pytest.raises(ValueError, match="Valid ones are 'top_down', 'bottom_up'"):
        prune_pessimistic(BY_HAND, order="sideways")
    for z in (-1.0, np.nan):
        with pytest.raises(ValueError, match="z"):
            prune_pessimistic(BY_HAND, z)
    X, y = np.zeros((3, 1)), np.zeros(3, np.int32)
    with pytest.raises(ValueError, match="at least one row"):
        prune_reduced_error(BY_HAND, X[:0], y[:0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        prune_reduced_error(BY_HAND, X, y[:2])
    with pytest.raises(ValueError, match="Negative values in sample_weight"):
        prune_reduced_error(BY_HAND, X, y, -np.ones(3))
