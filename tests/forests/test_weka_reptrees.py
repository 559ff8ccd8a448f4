"""Bagging of REPTrees, and forests of several sizes that are grown once."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from retree import C45Classifier, REPTreeClassifier
from retree.forests import AdaBoostM1Classifier, BaggingTreesClassifier
from retree.forests.members import weka_bags
from retree.java_random import JavaRandom

X, Y = load_iris(return_X_y=True)
STUMPS = REPTreeClassifier(max_depth=1)


@pytest.mark.parametrize("release", ["3.6", "3.9"])
def test_members_grow_on_the_rows_of_their_bags_with_their_seeds(release):
    forest = BaggingTreesClassifier(
        estimator=REPTreeClassifier(), n_estimators=5, bags=f"weka-{release}", random_state=3
    ).fit(X, Y)
    bags = weka_bags(np.ones(len(Y)), 3, release, seeds=True)
    for tree, (drawn, seed) in zip(forest.forest_.trees, bags, strict=False):
        single = REPTreeClassifier(random_state=seed).fit(X[drawn], Y[drawn])
        np.testing.assert_array_equal(tree.threshold, single.tree_.threshold)
        np.testing.assert_array_equal(tree.counts, single.tree_.counts)


def test_seeds_of_3_9_are_of_a_generator_of_their_own_and_of_3_6_of_the_bags():
    ours = [[next(b)[1] for _ in range(3)] for b in
            (weka_bags(np.ones(4), 1, r, seeds=True) for r in ("3.9", "3.6"))]  # fmt: skip
    random = JavaRandom(1)
    assert ours[0] == [random.integer() for _ in range(3)]
    random, interleaved = JavaRandom(1), []
    for _ in range(3):
        for _ in range(4):
            random.share()
        interleaved.append(random.integer())
    assert ours[1] == interleaved


FORESTS = [
    BaggingTreesClassifier(estimator=STUMPS, bags="weka-3.9", random_state=1),
    BaggingTreesClassifier(estimator=STUMPS, random_state=1),
    AdaBoostM1Classifier(estimator=C45Classifier(max_depth=1), random_state=1),
]


@pytest.mark.parametrize("forest", FORESTS, ids=["weka", "numpy", "boosted"])
def test_smaller_forests_are_the_start_of_larger_ones(forest, monkeypatch):
    points = [{"n_estimators": n} for n in (4, 9, 2)] + [{"n_estimators": 3, "vote": "votes"}]
    singles = [forest.set_params(**{"vote": "shares", **p}).fit(X, Y).predict_proba(X)
               for p in points]  # fmt: skip
    fits = []
    fit = type(forest).fit
    monkeypatch.setattr(type(forest), "fit", lambda *a: fits.append(a[0].n_estimators) or fit(*a))
    together = forest.set_params(vote="shares").fit_grid(X, Y, points)
    assert fits == [9]
    for single, one in zip(singles, together, strict=True):
        np.testing.assert_array_equal(single, one.predict_proba(X))


def test_forests_that_differ_in_more_are_grown_apart():
    forest = BaggingTreesClassifier(estimator=STUMPS, bags="weka-3.9", random_state=1)
    points = [{"n_estimators": 3}, {"n_estimators": 2, "random_state": 2},
              {"n_estimators": 2, "estimator__min_cases": 40}]  # fmt: skip
    for point, one in zip(points, forest.fit_grid(X, Y, points), strict=True):
        single = forest.set_params(**point).fit(X, Y)
        np.testing.assert_array_equal(single.predict_proba(X), one.predict_proba(X))
        forest.set_params(random_state=1, estimator__min_cases=2)


def test_a_generator_makes_other_trees_for_each_point():
    forest = BaggingTreesClassifier(estimator=STUMPS, random_state=None)
    first, second = forest.fit_grid(X, Y, [{"n_estimators": 2}] * 2)
    assert first.forest_.trees[0] is not second.forest_.trees[0]
