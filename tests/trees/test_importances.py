"""Importances of features: scikit-learn's where trees are equal, by hand for tests of several."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from every_classifier import EVERY
from hypothesis import given
from kinds import LEAF_ONLY, MIXED, NEAREST, REGRESSION, make_tree, random_trees
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.utils import get_tags

from retree import (
    AdaBoostM1Classifier,
    C45Classifier,
    CartRegressor,
    CodedCartClassifier,
    EPICSelector,
)
from retree.trees.base import NumericTreeClassifier
from retree.trees.declaring import parameters
from retree.trees.decreases import ENTROPY, feature_importances
from retree.trees.parameters import WithLimits
from retree.trees.tree import LEAF, Tree


def entropy(counts):
    p = np.array([c for c in counts if c > 0]) / sum(counts)
    return -(p * np.log2(p)).sum()


def gini(counts):
    return 1 - ((np.array(counts) / sum(counts)) ** 2).sum()


def decrease(impurity, parent, *children):
    """Return by how much children lower the impurity of a node, in rows."""
    inside = sum(sum(c) * impurity(c) for c in children if sum(c) > 0)
    return sum(parent) * impurity(parent) - inside


@pytest.mark.parametrize(("name", "impurity"), [("gini", gini), ("entropy", entropy)])
def test_tests_of_every_kind_by_hand(name, impurity):
    root = decrease(impurity, [9.5, 8, 6], [7, 3, 1], [2.5, 5, 5])
    colours = decrease(impurity, [7, 3, 1], [4, 0, 0], [0, 3, 1], [3, 0, 0])
    subset = decrease(impurity, [2.5, 5, 5], [0, 5, 5], [2.5, 0, 0])
    oblique = decrease(impurity, [0, 5, 5], [0, 4, 1], [0, 1, 4])
    # -0.5 width + height: a third and two thirds.
    expected = np.array([root + oblique / 3, oblique * 2 / 3, colours + subset])
    found = feature_importances(MIXED, name)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-12)


def test_a_test_of_centres_goes_by_the_weights_of_the_columns():
    np.testing.assert_allclose(feature_importances(NEAREST, "gini"), [1 / 3] * 3)
    other = NEAREST.centres._replace(
        gamma=np.array([0.75, 0, 0, 0]), weight=NEAREST.centres.weight * [2.0, 0.0, 1.0]
    )
    found = feature_importances(replace(NEAREST, centres=other), "gini")
    np.testing.assert_allclose(found, np.array([1.5, 0, 0.25]) / 1.75)


def test_a_regression_tree_goes_by_the_variance():
    # 10 rows of variance 9: 6 of 1/16 and 4 of 4, which the second test leaves as they are.
    np.testing.assert_array_equal(feature_importances(REGRESSION, "gini"), [0, 1, 0])


def test_a_leaf_has_none():
    np.testing.assert_array_equal(feature_importances(LEAF_ONLY, "gini"), np.zeros(3))


def test_huge_coefficients_share_like_small_ones():
    tree = make_tree(
        [[1, 2], [], []], [[2, 2, 0], [2, 0, 0], [0, 2, 0]],
        normal={0: [1e308, -1e308, 0]}, threshold={0: 0.0},
    )  # fmt: skip
    np.testing.assert_array_equal(feature_importances(tree, "gini"), [0.5, 0.5, 0])


@given(random_trees())
def test_they_are_shares(tree):
    for criterion in ("gini", "entropy"):
        found = feature_importances(tree, criterion)
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(1) or not found.any()


@pytest.mark.parametrize("name", [name for name in EVERY if name != "C45RulesClassifier"])
def test_every_classifier_has_them(name):
    X, y = load_iris(return_X_y=True)
    noise = np.random.default_rng(0).random((len(y), 2))
    X = np.column_stack((X, noise))
    model = clone(EVERY[name])
    with pytest.raises(NotFittedError):
        _ = model.feature_importances_
    found = model.fit(X, y).feature_importances_
    assert found.shape == (6,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1)
    if get_tags(model).classifier_tags.poor_score:
        return
    # The petals tell the irises apart.
    assert found[2:4].sum() > found[4:].sum()
    assert SelectFromModel(model, threshold="mean").fit(X, y).get_support()[2:4].any()


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("forest", [RandomForestClassifier, ExtraTreesClassifier])
def test_those_of_scikit_learns_forests_are_theirs(forest, criterion):
    X, y = load_wine(return_X_y=True)
    theirs = forest(15, criterion=criterion, random_state=0).fit(X, y)
    ours = EPICSelector(n_members=15).select(theirs, X, y)
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12
    )


def test_boosted_trees_count_by_their_votes():
    X, y = load_wine(return_X_y=True)
    model = AdaBoostM1Classifier(estimator=C45Classifier(max_depth=1), n_estimators=5).fit(X, y)
    votes, trees = model.forest_.vote_weight, model.forest_.trees
    assert np.ptp(votes) > 0
    mean = sum(w * feature_importances(t, "entropy") for w, t in zip(votes, trees, strict=True))
    np.testing.assert_allclose(model.feature_importances_, mean / votes.sum(), rtol=1e-12)


def test_the_regressor_has_them():
    X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0]])
    np.testing.assert_array_equal(CartRegressor().fit(X, X[:, 0]).feature_importances_, [1, 0])


def test_codes_count_for_their_column():
    X = pd.DataFrame({"n": [1.0, 2, 1, 2, 1, 2], "c": pd.Categorical(list("ababcc"))})
    y = [0, 1, 0, 1, 2, 2]
    model = CodedCartClassifier().fit(X, y)
    assert model.tree_.n_features == 4
    assert model.feature_importances_.shape == (2,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    # `n` and `c` tell the first two classes apart equally well, and ties fall to `n`.
    assert model.feature_importances_[1] > 0


@parameters
class Halves(WithLimits, NumericTreeClassifier):
    """One test of a criterion of its own, in the middle of the first column."""

    criterion: str = "halves"

    def grow(self, sample, rng):
        left = sample.X[:, 0] <= np.median(sample.X[:, 0])
        sides = [np.ones(len(left), bool), left, ~left]
        return Tree.from_parents(
            np.array([-1, 0, 0]),
            n_features=sample.X.shape[1],
            feature=np.array([0, LEAF, LEAF], np.int32),
            threshold=np.array([np.median(sample.X[:, 0]), np.nan, np.nan]),
            counts=np.array([np.bincount(sample.y[s], sample.weight[s], 2) for s in sides]),
        )


def test_a_criterion_of_ones_own_is_not_ranked_by_gini_in_silence():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    with pytest.raises(NotImplementedError, match="Halves does not say which impurity"):
        Halves(max_leaf_nodes=2).fit(X, y)
    with pytest.raises(NotImplementedError, match="set impurity = GINI or"):
        _ = Halves().fit(X, y).feature_importances_

    class Said(Halves):
        impurity = ENTROPY

    assert Said(min_impurity_decrease=0.9).fit(X, y).get_n_leaves() == 2  # Gini decreases by 0.5
