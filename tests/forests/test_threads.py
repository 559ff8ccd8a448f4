"""No result depends on the number of threads."""

import numpy as np
import pandas as pd
import pytest
from random_forests import random_rows, random_tree

from retree import C45Classifier, CartClassifier, ID3Classifier
from retree.forests import (
    AccuracyThinner,
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    ForestThinner,
    ThinnedForestClassifier,
)
from retree.forests.forest import Forest
from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import changed
from retree.trees.decreases import ENTROPY
from retree.trees.tree import Tree


class Stump(BaseTreeClassifier):
    """A member that draws nothing: a C4.5 tree of one test."""

    categorical_features = "from_dtype"
    declares = changed(in_forests=True)
    impurity = ENTROPY

    def grow(self, sample, rng) -> Tree:
        tree = C45Classifier(max_depth=1, pruning=None)
        tree.adopt(self.classes_, self.categories_, self._n_declared)
        return tree.grow(sample, rng)


MEMBERS = {
    "draws nothing": Stump(),
    "C4.5 pruned": C45Classifier(),
    "C4.5 reduced error": C45Classifier(pruning="reduced_error"),
    "C4.5 unpruned": C45Classifier(pruning=None),
    "CART cost complexity": CartClassifier(pruning="cost_complexity"),
    "ID3": ID3Classifier(max_depth=4),
}


def table(n=150):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 2)).round(1), columns=["a", "b"])
    X["c"] = pd.Categorical(rng.choice(list("xyz"), n))
    y = (X["a"] + (X["c"] == "x") + rng.normal(size=n) > 0.3).astype(int) + (X["b"] > 1)
    return X.mask(rng.random(X.shape) < 0.05), y


@pytest.mark.parametrize("name", MEMBERS)
def test_bagging(name):
    X, y = table()
    one, two, four = (
        BaggingTreesClassifier(
            estimator=MEMBERS[name], n_estimators=6, random_state=0, n_jobs=n
        ).fit(X, y)
        for n in (1, 2, 4)
    )
    for other in (two, four):
        for tree, expected in zip(other.forest_.trees, one.forest_.trees, strict=True):
            for field in ("children_ptr", "children", "feature", "threshold", "counts"):
                np.testing.assert_array_equal(getattr(tree, field), getattr(expected, field))
        for vote in ("shares", "weighted_shares", "votes"):
            found, expected = (model.set_params(vote=vote) for model in (other, one))
            np.testing.assert_array_equal(found.predict(X), expected.predict(X))
            np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("n", [1, 3, 20_000])
def test_many_rows_and_few(n):
    rng = np.random.default_rng(0)
    forest = Forest(tuple(random_tree(rng, 3, 4) for _ in range(5)), np.array([1.0, 2, 3, 4, 0.5]))
    X = random_rows(rng, n, 0.1)
    shares, codes = forest.shares(X, weighted=True, n_jobs=1), forest.member_codes(X, n_jobs=1)
    for n_jobs in (2, 3, 4):
        np.testing.assert_array_equal(forest.shares(X, weighted=True, n_jobs=n_jobs), shares)
        np.testing.assert_array_equal(forest.member_codes(X, n_jobs=n_jobs), codes)


@pytest.mark.parametrize("cls", [AdaBoostM1Classifier, ThinnedForestClassifier])
def test_threads_of_other_forests(cls):
    X, y = table()
    one, two = (
        cls(n_estimators=4, random_state=0, n_jobs=n).fit(X.fillna({"a": 0, "b": 0}), y)
        for n in (1, 2)
    )
    assert one.get_node_count() == two.get_node_count()
    for vote in ("shares", "weighted_shares", "votes"):
        one.vote = two.vote = vote
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_threads_of_a_thinned_forest():
    X, y = table()
    forest = BaggingTreesClassifier(n_estimators=4, random_state=0).fit(X, y)
    one = ForestThinner().thin(forest, X, y)
    expected = one.predict_proba(X)
    np.testing.assert_array_equal(one.set_params(n_jobs=2).predict_proba(X), expected)


@pytest.mark.parametrize("cls", [ForestThinner, AccuracyThinner])
def test_threads_of_thinning(cls):
    X, y = table(600)
    forest = BaggingTreesClassifier(estimator=CartClassifier(), n_estimators=7, random_state=0).fit(
        X, y
    )
    one, three = (cls(n_jobs=n).thin(forest, X, y).forest_ for n in (None, 3))
    assert sum(t.n_leaves for t in three.trees) < sum(t.n_leaves for t in forest.forest_.trees)
    for tree, expected in zip(three.trees, one.trees, strict=True):
        for field in ("children_ptr", "children", "feature", "threshold", "counts"):
            np.testing.assert_array_equal(getattr(tree, field), getattr(expected, field))
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        cls(n_jobs=0).thin(forest, X, y)
