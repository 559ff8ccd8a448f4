"""Laplace and m-estimates of leaf probabilities, and logarithms of probabilities."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from every_classifier import EVERY, TREES
from hypothesis import given
from hypothesis import strategies as st
from kinds import LEAF_ONLY, MIXED, random_trees
from sklearn.base import clone
from sklearn.datasets import load_iris

from retree import BaggingTreesClassifier, C45Classifier, CartClassifier, GlobalSVDTreeClassifier
from retree.trees.tree import Tree
from retree_lab.experiments.storing.outcomes import pack_tree, unpack_tree

X, Y = load_iris(return_X_y=True)


def smoothed(tree, smoothing):
    return replace(tree, smoothing=smoothing)


def by_hand(tree, smoothing):
    """Return the probabilities as fractions: those of the node above where no row is."""
    counts = [[Fraction(c) for c in row] for row in tree.counts]
    root = [c / sum(counts[0]) for c in counts[0]]
    found = []
    for node, own in enumerate(counts):
        k = len(own)
        extra = (
            [Fraction(1)] * k if smoothing == "laplace" else [Fraction(smoothing) * p for p in root]
        )
        if sum(own) == 0:
            found.append(found[tree.parents[node]])
        else:
            whole = sum(own) + sum(extra)
            found.append([(c + e) / whole for c, e in zip(own, extra, strict=True)])
    return np.array(found, float)


@pytest.mark.parametrize("smoothing", ["laplace", 0.0, 2, 7.5])
def test_every_node_by_hand(smoothing):
    np.testing.assert_allclose(smoothed(MIXED, smoothing).value, by_hand(MIXED, smoothing))


def test_a_leaf_of_three_rows():
    # 2 and 1 of 3 rows, none of the third class: (2 + 1) / (3 + 3), and so on.
    np.testing.assert_allclose(smoothed(LEAF_ONLY, "laplace").value, [[3 / 6, 2 / 6, 1 / 6]])
    np.testing.assert_allclose(smoothed(LEAF_ONLY, 4).value, [[2 / 3, 1 / 3, 0]])


@given(random_trees(), st.just("laplace") | st.floats(0, 100))
def test_they_are_probabilities(tree, smoothing):
    if tree.weight[0] == 0:
        return
    value = smoothed(tree, smoothing).value
    assert (value >= 0).all()
    np.testing.assert_allclose(value.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(value, by_hand(tree, smoothing), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("name", TREES)
def test_every_tree_takes_it(name):
    model = clone(TREES[name]).fit(X, Y)
    tree = model.tree_
    for smoothing in ("laplace", 3.5):
        other = clone(TREES[name]).set_params(smoothing=smoothing).fit(X, Y)
        np.testing.assert_array_equal(other.tree_.threshold, tree.threshold)
        np.testing.assert_array_equal(other.tree_.counts, tree.counts)
        np.testing.assert_allclose(other.tree_.value, by_hand(tree, smoothing), rtol=1e-12)
        np.testing.assert_array_equal(
            other.predict(X), other.classes_[other.predict_proba(X).argmax(axis=1)]
        )


@pytest.mark.parametrize("smoothing", ["Laplace", -1, np.nan, np.inf, True, [1]])
@pytest.mark.parametrize("name", TREES)
def test_bad_ones_are_refused(name, smoothing):
    with pytest.raises(ValueError, match="Valid ones are None, 'laplace', or the m"):
        clone(TREES[name]).set_params(smoothing=smoothing).fit(X, Y)


def test_a_row_without_a_value_gets_the_mean_of_smoothed_branches():
    X = np.array([[0.0], [0], [1], [1], [1], [np.nan]])
    y = ["a", "a", "b", "b", "b", "a"]
    model = C45Classifier(pruning=None, smoothing="laplace", mdl_correction=False).fit(X, y)
    left, right = model.tree_.counts[1], model.tree_.counts[2]
    np.testing.assert_allclose([left, right], [[2.4, 0], [0.6, 3]])
    shares = np.array([(left + 1) / (left.sum() + 2), (right + 1) / (right.sum() + 2)])
    expected = (left.sum() * shares[0] + right.sum() * shares[1]) / 6
    np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], expected)


def test_a_cut_or_stored_tree_keeps_it():
    tree = CartClassifier(smoothing=2.0).fit(X, Y).tree_
    assert tree.cut(np.array([0])).smoothing == 2.0
    stored = unpack_tree(pack_tree(tree))
    np.testing.assert_array_equal(stored.value, tree.value)
    assert unpack_tree(pack_tree(MIXED)).smoothing is None
    copied = Tree.__new__(Tree)
    copied.__setstate__(tree.__getstate__())
    np.testing.assert_array_equal(copied.value, tree.value)


def test_a_bag_of_smoothed_trees_means_their_probabilities():
    members = C45Classifier(smoothing="laplace")
    model = BaggingTreesClassifier(estimator=members, n_estimators=3, random_state=0).fit(X, Y)
    mean = np.mean([tree.value[tree.apply(X)] for tree in model.forest_.trees], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean)
    assert (mean > 0).all()


def test_a_base_learner_has_none_of_its_own():
    with pytest.raises(ValueError, match="Set smoothing on the latent tree itself"):
        GlobalSVDTreeClassifier(estimator=C45Classifier(smoothing="laplace")).fit(X, Y)


@pytest.mark.parametrize("name", EVERY)
def test_logarithms_of_probabilities(name):
    model = clone(EVERY[name]).fit(X, Y)
    shares = model.predict_proba(X)
    found = model.predict_log_proba(X)
    assert (np.isneginf(found) == (shares == 0)).all()
    some = shares > 0
    np.testing.assert_allclose(found[some], np.log(shares[some]), rtol=1e-15, atol=0)
