"""Limits of leaves and of the decrease: against scikit-learn, a slow reference, and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from every_classifier import TREES
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kinds import random_trees
from oracle_pruning import from_scikit_learn
from problems import assert_same_tree, examples
from real_sets import read_set
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree import (
    C45Classifier,
    CartClassifier,
    CartLCClassifier,
    CartRegressor,
    CMDTClassifier,
    CodedCartClassifier,
    ID3Classifier,
    LatentSpaceTreeClassifier,
    OC1Classifier,
    SegmentC45Classifier,
    SPCEClassifier,
    SPESClassifier,
    StructurePurityClassifier,
)
from retree.trees.decreases import impurity_decreases
from retree.trees.pruning.limits import limit_growth

PAIRS = {
    "gini": (CartClassifier, DecisionTreeClassifier),
    "entropy": (CartClassifier, DecisionTreeClassifier),
    "squared_error": (CartRegressor, DecisionTreeRegressor),
}


def problem(seed, criterion, n=80):
    """Return numbers exact in float32 without ties, and weights that set all decreases apart."""
    rng = np.random.default_rng(seed)
    X = rng.permuted(np.tile(np.arange(n, dtype=float), (3, 1)), axis=1).T
    signal = X[:, 0] / n + np.sin(X[:, 1] / 9)
    y = signal + rng.normal(0, 0.3, n)
    if criterion != "squared_error":
        y = np.digitize(y, [0.0, 1.0])
    return X, y, rng.uniform(0.5, 2, n)


def paths(tree):
    """Return the tests of a tree with the weight below, in an order of their own."""
    rows = zip(tree.feature, np.nan_to_num(tree.threshold), tree.weight.round(6), strict=True)
    return sorted(tuple(map(float, row)) for row in rows)


@pytest.mark.parametrize("criterion", PAIRS)
@settings(examples, max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    most=st.integers(2, 9),
    least=st.sampled_from([0.0, 0.002, 0.02]),
    smallest=st.sampled_from([5, 0.06]),
)
def test_best_first_trees_are_those_of_scikit_learn(criterion, seed, most, least, smallest):
    X, y, w = problem(seed, criterion)
    options = {"criterion": criterion, "min_samples_leaf": smallest, "min_samples_split": 0.15}

    def both(**limits):
        ours, theirs = (cls(**options, **limits) for cls in PAIRS[criterion])
        fitted = theirs.set_params(random_state=0).fit(X, y, w)
        return ours.fit(X, y, w).tree_, from_scikit_learn(fitted)

    whole = [paths(tree) for tree in both()]
    assume(whole[0] == whole[1])  # no two features part the rows of a node alike
    mine, other = both(max_leaf_nodes=most, min_impurity_decrease=least)
    assert paths(mine) == paths(other)
    assert mine.n_leaves <= most


def reference(tree, decrease, most, least):
    """Return the nodes that are split, by a search of all leaves before each split."""
    split, leaves = set(), [0]
    while True:
        room = most - len(leaves)
        fitting = [
            node
            for node in leaves
            if not tree.is_leaf[node]
            and decrease[node] >= least
            and len(tree.children_of(node)) - 1 <= room
        ]
        if not fitting:
            return split
        best = max(fitting, key=lambda node: (decrease[node], -node))
        split.add(best)
        leaves.remove(best)
        leaves += tree.children_of(best).tolist()


@examples
@given(tree=random_trees(), most=st.integers(2, 12), criterion=st.sampled_from(["gini", "entropy"]))
def test_any_tree_is_cut_as_a_search_of_all_leaves_would(tree, most, criterion):
    assume(tree.weight[0] > 0)
    decrease = impurity_decreases(tree, criterion)
    scale = decrease.max() or 1.0
    decrease = np.round(decrease / scale, 9)
    expected = reference(tree, decrease, most, 0.0)
    found = limit_growth(tree, criterion, most)
    assert_same_tree(found, tree.cut([i for i in range(tree.node_count) if i not in expected]))


@pytest.mark.parametrize("cls", [C45Classifier, ID3Classifier])
@pytest.mark.parametrize("name", ["iris", "vote", "breast_cancer"])
def test_c45_and_id3_keep_their_limits(cls, name):
    X, y = read_set(name)[:2]
    options = {"pruning": None} | ({"collapse": False} if cls is C45Classifier else {})
    whole = cls(**options).fit(X, y).tree_
    decrease = impurity_decreases(whole, "entropy")
    tree = cls(**options, max_leaf_nodes=9, min_impurity_decrease=0.004).fit(X, y).tree_
    kept = reference(whole, decrease, 9, 0.004)
    assert_same_tree(tree, whole.cut([i for i in range(whole.node_count) if i not in kept]))
    assert 2 < tree.n_leaves <= 9


@pytest.mark.parametrize(
    ("model", "criterion"),
    [
        (OC1Classifier(random_state=0), "twoing"),
        (OC1Classifier(criterion="max_minority", random_state=0), "gini"),
        (CartLCClassifier(criterion="entropy"), "entropy"),
        (CMDTClassifier(), "gini"),
    ],
)
def test_other_trees_keep_the_number_of_leaves(model, criterion):
    X, y = read_set("bupa")[:2]
    whole = model.set_params(pruning=None).fit(X, y).tree_
    tree = model.set_params(max_leaf_nodes=5).fit(X, y).tree_
    kept = reference(whole, impurity_decreases(whole, criterion), 5, 0.0)
    assert_same_tree(tree, whole.cut([i for i in range(whole.node_count) if i not in kept]))
    assert 2 < tree.n_leaves <= 5 < whole.n_leaves
    with pytest.raises(ValueError, match="max_leaf_nodes == 1, must be >= 2"):
        model.set_params(max_leaf_nodes=1).fit(X, y)


@pytest.mark.parametrize(
    ("model", "criterion"),
    [
        (StructurePurityClassifier(criterion="bnm+csn"), "gini"),
        (SegmentC45Classifier(), "entropy"),
        (SPESClassifier(), "entropy"),
        (SPCEClassifier(), "gini"),
        (TREES["AdaDTClassifier"], "entropy"),
        (TREES["SCAFFClassifier"], "gini"),
        (TREES["JaworskiClassifier"], "gini"),
    ],
)
@pytest.mark.parametrize("weight", [None, np.resize([0.5, 1.0, 2.0], 345)])
def test_trees_without_pruning_have_both_limits(model, criterion, weight):
    X, y = read_set("bupa")[:2]
    whole = clone(model).fit(X, y, sample_weight=weight).tree_
    for most, least in [(5, 0.0), (None, 0.01), (4, 0.004)]:
        limits = {"max_leaf_nodes": most, "min_impurity_decrease": least}
        tree = clone(model).set_params(**limits).fit(X, y, sample_weight=weight).tree_
        kept = reference(whole, impurity_decreases(whole, criterion), most or 999, least)
        assert_same_tree(tree, whole.cut([i for i in range(whole.node_count) if i not in kept]))
        assert tree.n_leaves < whole.n_leaves
    for wrong in ({"max_leaf_nodes": 1}, {"min_impurity_decrease": -1.0}):
        with pytest.raises(ValueError, match=r"max_leaf_nodes == 1|min_impurity_decrease == -1"):
            clone(model).set_params(**wrong).fit(X, y)


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        (StructurePurityClassifier(criterion="csn", small_child="skip"), "min_samples_leaf"),
        (SegmentC45Classifier(small_child="skip"), "min_samples_leaf"),
        (TREES["SCAFFClassifier"], "min_samples_leaf"),
        (TREES["DGMMLClassifier"], "min_samples_split"),
    ],
)
def test_a_fraction_is_one_of_the_whole_weight(model, limit):
    X, y = read_set("bupa")[:2]
    weight = np.resize([0.5, 1.0, 2.0], len(y))
    for weights, number in ((None, 35), (weight, 41)):  # of 345 and 402.5
        part, same = (
            clone(model).set_params(**{limit: value}).fit(X, y, sample_weight=weights).tree_
            for value in (0.1, number)
        )
        assert_same_tree(part, same)
        assert part.n_leaves > 2
    with pytest.raises(ValueError, match=f"{limit} == 1.5, must be a whole number"):
        clone(model).set_params(**{limit: 1.5}).fit(X, y)


def test_decreases_by_hand():
    # Twelve rows, 6 : 6, part into 5 : 1 and 1 : 5, the former into 5 : 0 and 0 : 1.
    X = np.repeat([[0.0, 0], [0, 1], [1, 0], [1, 0]], [5, 1, 1, 5], axis=0)
    y = np.repeat([0, 1, 0, 1], [5, 1, 1, 5])
    tree = CartClassifier().fit(X, y).tree_
    low = -(5 / 6 * np.log2(5 / 6) + 1 / 6 * np.log2(1 / 6))
    np.testing.assert_allclose(impurity_decreases(tree, "gini")[:2], [1 / 2 - 10 / 36, 10 / 72])
    np.testing.assert_allclose(impurity_decreases(tree, "entropy")[:2], [1 - low, low / 2])
    np.testing.assert_allclose(impurity_decreases(tree, "twoing")[:2], [1 / 16 * (4 / 3) ** 2,
                               1 / 2 * 5 / 36 / 4 * 4])  # fmt: skip
    assert limit_growth(tree, "gini", 2).n_leaves == 2
    assert limit_growth(tree, "gini", 3).n_leaves == 3
    assert limit_growth(tree, "gini", None, 10 / 72).n_leaves == 3
    assert limit_growth(tree, "gini", None, 0.14).n_leaves == 2


def test_a_test_with_too_many_branches_is_passed_over():
    level = np.repeat(np.arange(5), 8)
    side = np.tile([0.0, 1.0], 20)
    y = (level >= 3).astype(int)
    y[level == 2] = side[level == 2]
    X = pd.DataFrame({"level": pd.Categorical(level), "side": side})
    assert ID3Classifier().fit(X, y).get_n_leaves() == 6
    assert ID3Classifier(max_leaf_nodes=5).fit(X, y).get_n_leaves() == 5
    assert ID3Classifier(max_leaf_nodes=4).fit(X, y).get_n_leaves() == 1


@pytest.mark.parametrize("cls", [CartClassifier, CodedCartClassifier, C45Classifier, ID3Classifier])
def test_limits_come_before_pruning_and_in_its_folds(cls):
    X, y = read_set("breast_cancer")[:2]
    options = {"pruning": "cost_complexity", "random_state": 0}
    tree = cls(max_leaf_nodes=12, **options).fit(X, y).tree_
    assert 2 <= tree.n_leaves <= 12


@pytest.mark.parametrize("base", [C45Classifier, CartClassifier, ID3Classifier])
def test_trees_of_latent_features_take_the_limits_as_a_whole(base):
    X, y = read_set("seeds")[:2]
    limited = base(max_leaf_nodes=4, pruning=None)
    model = LatentSpaceTreeClassifier(estimator=limited, random_state=0).fit(X, y)
    assert 2 <= model.get_n_leaves() <= 4
    few = {"min_cases": 0.2} if base is not CartClassifier else {"min_samples_leaf": 0.2}
    tree = (
        LatentSpaceTreeClassifier(estimator=base(pruning=None, **few), random_state=0)
        .fit(X, y)
        .tree_
    )
    assert tree.weight[tree.is_leaf].min() >= 0.2 * len(y)


@pytest.mark.parametrize("cls", [CartClassifier, CartRegressor, CodedCartClassifier])
def test_fractions_are_numbers_of_rows(cls):
    X, y, w = problem(0, "gini")
    for fraction, number in ((0.101, 9), (0.1, 8), (1e-9, 1)):
        mine, other = (cls(min_samples_leaf=k).fit(X, y, w).tree_ for k in (fraction, number))
        assert_same_tree(mine, other)
    mine, other = (cls(min_samples_split=k).fit(X, y, w).tree_ for k in (0.3, 24))
    assert_same_tree(mine, other)


@pytest.mark.parametrize("cls", [C45Classifier, ID3Classifier])
def test_cases_may_be_a_part_of_the_weight(cls):
    X, y, w = problem(1, "gini")
    w = np.round(w * 4)
    mine = cls(min_cases=0.05).fit(X, y, w).tree_
    assert_same_tree(mine, cls(min_cases=int(np.ceil(0.05 * w.sum()))).fit(X, y, w).tree_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CartClassifier(max_leaf_nodes=1), "max_leaf_nodes == 1, must be >= 2"),
        (C45Classifier(max_leaf_nodes=0), "max_leaf_nodes == 0, must be >= 2"),
        (ID3Classifier(min_impurity_decrease=-1.0), "min_impurity_decrease == -1.0, must be >= 0"),
        (C45Classifier(min_cases=0), "min_cases == 0, must be >= 1"),
        (
            C45Classifier(min_cases=1.5),
            r"min_cases == 1.5, must be a whole number of at least 1, or a",
        ),
        (CartRegressor(min_samples_leaf=0.0), "min_samples_leaf == 0.0, must be a whole number"),
        (CartClassifier(min_samples_split=1.0), "whole number of at least 2, or a fraction"),
        (CartClassifier(min_samples_leaf=float("nan")), "or a fraction of the rows"),
    ],
)
def test_bad_limits_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], [0, 1])


def test_types_of_limits_are_checked():
    for model in (CartClassifier(max_leaf_nodes=2.5), CartClassifier(min_samples_leaf="2")):
        with pytest.raises(TypeError, match="must be an instance of"):
            model.fit([[0.0], [1.0]], [0, 1])
