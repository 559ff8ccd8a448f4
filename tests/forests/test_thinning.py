"""Forest thinning against the equations, in exact arithmetic, and what must hold of it."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_thinning import PlainForest, argmax, contribution
from random_forests import examples, forests, random_rows
from sklearn.datasets import load_iris

from retree import C45Classifier
from retree.forests import (
    AccuracyThinner,
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    ForestThinner,
)
from retree.forests.thinning import node_contributions
from retree.trees.tree import majority_class

many_examples = settings(examples, max_examples=50)

FIELDS = ("children_ptr", "children", "feature", "threshold", "subset", "left_levels", "normals")


SHARES, POOLINGS = ("training", "own", "decisions"), ("mean", "weighted_mean", "log_odds")
options_of = st.sampled_from(SHARES), st.sampled_from(POOLINGS)


def assert_same_trees(trees, expected):
    for tree, other in zip(trees, expected, strict=True):
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)


def con_of(pv, p, label, n_trees):
    """Return Con(v, F, x) as the engine has it."""
    return node_contributions([pv], [p], [label], n_trees)[0]


shares_of_classes = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any)
)


@examples
@given(shares_of_classes, st.data(), st.integers(1, 40))
def test_contribution_is_that_of_equations_6_to_9(counts, data, n_trees):
    k = len(counts)
    forest_counts = data.draw(st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any))
    label = data.draw(st.integers(0, k - 1))
    pv = [Fraction(c, sum(counts)) for c in counts]
    p = [Fraction(c, sum(forest_counts)) for c in forest_counts]
    expected = contribution(pv, p, label, Fraction(n_trees))
    assert con_of(pv, p, label, n_trees) == pytest.approx(float(expected), abs=1e-12)
    assert -1 <= expected <= 1
    assert (expected >= 0) == (argmax(pv) == label) or expected == 0


# Example 1 of the paper, with the corrections of the replication notes: the rows reach v and then
# v1 (the first five) or v2; the forest has ten trees.
EXAMPLE_P = [0.65, 0.70, 0.70, 0.65, 0.80, 0.49, 0.30, 0.19, 0.20, 0.30]
EXAMPLE_Y = [0] * 6 + [1] * 4
AT_V = [0.05, 0.04, 0.04, 0.05, 0.0286, 0.1667, -0.04, -0.0278, -0.0286, -0.04]
AT_LEAVES = [0.25, 0.2, 0.2, 0.25, 0.1429, -0.5, 0.12, 0.0833, 0.0857, 0.12]


def test_example_1():
    rows = list(zip(EXAMPLE_P, EXAMPLE_Y, strict=True))
    at_v = [con_of([0.6, 0.4], [p, 1 - p], y, 10) for p, y in rows]
    leaf = [[1.0, 0.0]] * 5 + [[0.2, 0.8]] * 5
    at_leaves = [con_of(pv, [p, 1 - p], y, 10) for pv, (p, y) in zip(leaf, rows, strict=True)]
    np.testing.assert_allclose(at_v, AT_V, atol=5e-5)
    np.testing.assert_allclose(at_leaves, AT_LEAVES, atol=5e-5)
    assert sum(at_leaves) - sum(at_v) == pytest.approx(0.713, abs=5e-4)


@many_examples
@given(forests(), *options_of, st.sampled_from(["corrected", "printed", "right_sign"]),
       st.booleans(), st.sampled_from([0.0, 0.0, 0.05, -0.02]), st.integers(0, 3))  # fmt: skip
def test_thinning_is_that_of_section_3(drawn, shares, pooling, variant, inclusive, delta, passes):
    forest, X, y = drawn
    thinner = ForestThinner(
        delta=delta,
        passes=passes,
        shares=shares,
        variant=variant,
        pooling=pooling,
        inclusive=inclusive,
    )
    thinned = thinner.thinned(forest, X, y)
    reference = PlainForest(forest, X, y, shares, pooling)
    assert_same_trees(thinned.trees, reference.thin(passes, delta, variant, inclusive))
    if shares != "decisions" and pooling != "log_odds":
        p = thinned.shares(X, weighted=pooling == "weighted_mean")
        np.testing.assert_allclose(p, np.array(reference.shares(), float), atol=1e-9)


@examples
@given(forests(), *options_of, st.integers(0, 2))
def test_accuracy_thinning_is_that_of_its_definition(drawn, shares, pooling, passes):
    forest, X, y = drawn
    thinned = AccuracyThinner(passes=passes, shares=shares, pooling=pooling).thinned(forest, X, y)
    reference = PlainForest(forest, X, y, shares, pooling)
    assert_same_trees(thinned.trees, reference.thin_by_accuracy(passes))


def prunings(tree, v=0):
    """Return every set of nodes that can be the leaves of `tree` below `v`."""
    below = [prunings(tree, c) for c in tree.children(v)]
    grown = [frozenset().union(*parts) for parts in itertools.product(*below)] if below else []
    return [frozenset([v]), *grown]


@examples
@given(forests(depth=2), *options_of)
def test_pruned_tree_contributes_most_of_all_prunings(drawn, shares, pooling):
    """At a fixed F, which is that of the first tree, Con(T, F) is at its maximum.

    That is what the bottom-up rule does for delta = 0. Nothing like it holds of the accuracy: the
    contributions are weighted margins, and F moves from tree to tree.
    """
    forest, X, y = drawn
    thinned = ForestThinner(passes=1, shares=shares, pooling=pooling).thinned(forest, X, y)
    reference = PlainForest(forest, X, y, shares, pooling)
    first, p = reference.trees[0], reference.shares()
    own = reference.node_contributions(0, p)
    worth = {leaves: sum(own.get(v, 0) for v in leaves) for leaves in prunings(first)}
    best = max(worth.values())
    largest = max((leaves for leaves in worth if worth[leaves] == best), key=len)
    assert_same_trees(thinned.trees[:1], [first.tree.cut(np.array(sorted(largest)))])


@examples
@given(forests(), st.sampled_from(["training", "own"]))
def test_training_accuracy_falls_by_no_more_than_close_decisions_allow(drawn, shares):
    """A tree moves the forest's shares by 1/M at most, so only close decisions can change."""
    forest, X, y = drawn
    after = ForestThinner(shares=shares).thinned_after([0, 2], forest, X, y)
    p, thinned = after[0].shares(X), after[2].shares(X)
    moved = np.zeros(len(y))
    for tree, other in zip(after[0].trees, after[2].trees, strict=True):
        told, now = (t.predicted(X, divide_missing=forest.divide_missing) for t in (tree, other))
        moved += (np.abs(told - now) > 1e-9).any(axis=1)
    reach = moved / len(forest.trees)
    assert (np.abs(p - thinned).max(axis=1) <= reach + 1e-9).all()
    best = np.sort(p, axis=1)
    can_change = best[:, -1] - best[:, -2] <= 2 * reach + 1e-6
    fall = (majority_class(p) == y).sum() - (majority_class(thinned) == y).sum()
    assert fall <= can_change.sum()
    assert (majority_class(p) == majority_class(thinned))[~can_change].all()


@examples
@given(forests(), *options_of)
def test_extreme_deltas(drawn, shares, pooling):
    forest, X, y = drawn
    nothing = ForestThinner(
        delta=-np.inf, passes=2, shares=shares, variant="corrected", pooling=pooling
    ).thinned(forest, X, y)
    assert_same_trees(nothing.trees, forest.trees)
    inclusive = ForestThinner(
        delta=-np.inf, passes=2, shares=shares, variant="corrected", pooling=pooling, inclusive=True
    )
    assert_same_trees(inclusive.thinned(forest, X, y).trees, forest.trees)
    everything = ForestThinner(
        delta=np.inf, passes=1, shares=shares, variant="corrected", pooling=pooling
    ).thinned(forest, X, y)
    assert everything.node_count == len(forest.trees)


@examples
@given(forests(), *options_of, st.sampled_from([ForestThinner(), AccuracyThinner()]))
def test_passes_go_on_from_each_other_until_nothing_moves(drawn, shares, pooling, thinner):
    forest, X, y = drawn
    thinner = thinner.set_params(shares=shares, pooling=pooling)
    after = thinner.thinned_after(range(12), forest, X, y)
    sizes = [after[n].node_count for n in range(12)]
    assert sizes[0] == forest.node_count
    assert sizes == sorted(sizes, reverse=True)
    alone = thinner.set_params(passes=3).thinned(forest, X, y)
    assert_same_trees(after[3].trees, alone.trees)
    still = next(n for n in range(11) if sizes[n] == sizes[n + 1])
    assert sizes[still:] == [sizes[still]] * (12 - still)


@examples
@given(forests(), st.sampled_from(["training", "own"]), st.sampled_from(POOLINGS))
def test_accuracy_thinning_never_errs_on_more_rows(drawn, shares, pooling):
    forest, X, y = drawn
    after = AccuracyThinner(passes=3, shares=shares, pooling=pooling).thinned_after(
        range(4), forest, X, y
    )
    errors = []
    for n in range(4):
        told = np.round(after[n].shares(X, weighted=pooling != "mean"), 9)
        errors.append((told.argmax(axis=1) != y).sum())
    assert errors == sorted(errors, reverse=True)


@examples
@given(forests(), *options_of, st.integers(0, 2**32 - 1))
def test_shares_of_any_row_sum_to_one(drawn, shares, pooling, seed):
    """Of rows too that lack values where no row of the pruning set came."""
    forest, X, y = drawn
    rows = random_rows(np.random.default_rng(seed), 30, missing=0.5)
    for thinner in (ForestThinner(), AccuracyThinner()):
        thinner.set_params(shares=shares, pooling=pooling)
        for thinned in thinner.thinned_after([0, 2], forest, X, y).values():
            np.testing.assert_allclose(
                thinned.shares(rows, weighted=pooling != "mean").sum(axis=1), 1
            )


@examples
@given(forests(), *options_of, st.integers(0, 2**32 - 1))
def test_order_and_repetition_of_rows_do_not_matter(drawn, shares, pooling, seed):
    forest, X, y = drawn
    order = np.random.default_rng(seed).permutation(np.tile(np.arange(len(y)), 2))
    for thinner in (ForestThinner(), AccuracyThinner()):
        thinner.set_params(shares=shares, pooling=pooling)
        trees = thinner.thinned(forest, X, y).trees
        assert_same_trees(thinner.thinned(forest, X[order], y[order]).trees, trees)


@examples
@given(forests(), st.integers(2, 5))
def test_forest_of_one_tree_many_times(drawn, n):
    forest, X, y = drawn
    twins = replace(forest, trees=forest.trees[:1] * n, vote_weight=np.ones(n))
    thinned = ForestThinner().thinned(twins, X, y)
    reference = PlainForest(twins, X, y)
    assert_same_trees(thinned.trees, reference.thin())


@pytest.mark.parametrize("cls", [BaggingTreesClassifier, AdaBoostM1Classifier])
@pytest.mark.parametrize("options", [{}, {"max_depth": 1}, {"pruning": None}])
def test_grown_forests(cls, options):
    X, y = (part[::5] for part in load_iris(return_X_y=True))
    forest = cls(estimator=C45Classifier(**options), n_estimators=5, random_state=0).fit(X, y)
    codes, before = y.astype(int), forest.get_node_count()
    for shares, pooling in itertools.product(SHARES, POOLINGS):
        thinned = ForestThinner(shares=shares, pooling=pooling).thin(forest, X, y)
        reference = PlainForest(forest.forest_, X, codes, shares, pooling)
        assert_same_trees(thinned.forest_.trees, reference.thin())
        assert thinned.get_n_leaves() <= thinned.get_node_count() <= before
    assert forest.get_node_count() == before


def test_class_that_no_tree_predicts():
    """A class may be in the rows and not in the trees, or the other way round."""
    X = np.arange(10.0)[:, None]
    y = np.array(list("aaabbbbccc"))
    forest = BaggingTreesClassifier(n_estimators=5, random_state=0).fit(X, y)
    thinned = ForestThinner().thin(forest, X[:6], y[:6])
    np.testing.assert_array_equal(thinned.predict_proba(X)[:, 2], 0)
    assert list(thinned.classes_) == ["a", "b", "c"]


def test_one_class_is_left_as_it_is():
    forest = BaggingTreesClassifier(n_estimators=3).fit([[0.0], [1.0]], ["a", "a"])
    assert ForestThinner().thin(forest, [[0.0], [1.0]], ["a", "a"]).get_node_count() == 3


@pytest.mark.parametrize(
    ("thinner", "error", "message"),
    [
        (ForestThinner(passes=-1), ValueError, "passes"),
        (ForestThinner(passes=1.5), TypeError, "passes"),
        (ForestThinner(delta="0"), TypeError, "delta"),
        (ForestThinner(delta=np.nan), ValueError, "delta"),
        (ForestThinner(shares="bag"), ValueError, "Invalid shares 'bag'"),
        (ForestThinner(variant="fixed"), ValueError, "Invalid variant 'fixed'"),
        (ForestThinner(pooling="votes"), ValueError, "Invalid pooling 'votes'"),
        (AccuracyThinner(shares="bag"), ValueError, "Invalid shares 'bag'"),
    ],
)
def test_wrong_parameters_of_thinners(thinner, error, message):
    X, y = load_iris(return_X_y=True)
    forest = BaggingTreesClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(error, match=message):
        thinner.thin(forest, X, y)
