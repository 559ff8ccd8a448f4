"""Weka's forests: their shapes, prefixes and errors; its answers are in test_declared_classes."""

import numpy as np
import pytest
from problems import assert_same_tree
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import DecisionStumpClassifier, REPTreeClassifier, WekaRandomTreeClassifier, from_json
from retree.forests import (
    BaggingTreesClassifier,
    MultiBoostClassifier,
    RandomSubspaceClassifier,
    RealAdaBoostClassifier,
    WekaRandomForestClassifier,
)
from retree.forests.members import weka_bags
from retree.java_random import JavaRandom

RNG = np.random.RandomState(4)
X = np.round(RNG.normal(size=(80, 6)), 2)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * RNG.normal(size=80) > 0).astype(int)
GROWN = [
    WekaRandomForestClassifier(n_estimators=8),
    RandomSubspaceClassifier(n_estimators=8),
    RealAdaBoostClassifier(n_estimators=8),
]


# Bags and seeds depend on how many rows there are; Real AdaBoost's loss counts rows, whatever their
# weights, and weighs the classes anew.
OF_ROWS = {"check_sample_weight_equivalence_on_dense_data": "draws, or a loss, of rows"}
ANEW = {"check_class_weight_classifiers": "boosting weighs the classes anew"}


def failing(estimator):
    if isinstance(estimator, MultiBoostClassifier):
        return {}
    return OF_ROWS | (ANEW if isinstance(estimator, RealAdaBoostClassifier) else {})


@parametrize_with_checks(
    [
        WekaRandomForestClassifier(n_estimators=5),
        RandomSubspaceClassifier(subspace=0.9),
        MultiBoostClassifier(estimator=REPTreeClassifier(prune=False, max_depth=2)),
        RealAdaBoostClassifier(n_estimators=5),
    ],
    expected_failed_checks=failing,
)
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("release", ["3.6", "3.9"])
def test_trees_of_a_random_forest_grow_on_its_bags(release):
    """In 3.6 on the rows as they were drawn; since then a row weighs as often as it was drawn."""
    model = WekaRandomForestClassifier(n_estimators=20, weka=release, min_cases=0.02).fit(X, Y)
    bags = weka_bags(np.ones(len(Y)), 1, release, seeds=True)
    for tree, (drawn, seed) in zip(model.forest_.trees, bags, strict=False):
        alone = WekaRandomTreeClassifier(weka=release, min_cases=0.02, random_state=seed)
        times = np.bincount(drawn, minlength=len(Y))
        rows = (X[drawn], Y[drawn]) if release == "3.6" else (X, Y, times)
        assert_same_tree(tree, alone.fit(*rows).tree_)


@pytest.mark.parametrize("model", GROWN, ids=lambda m: type(m).__name__)
def test_fewer_trees_are_the_first_of_more(model):
    points = [{"n_estimators": n} for n in (3, 8, 5)]
    for fitted, point in zip(clone(model).fit_grid(X, Y, points), points, strict=True):
        alone = clone(model).set_params(**point).fit(X, Y)
        np.testing.assert_array_equal(fitted.predict_proba(X), alone.predict_proba(X))
        assert len(fitted.forest_.trees) == len(alone.forest_.trees) <= point["n_estimators"]


def test_sizes_of_multiboosting_do_not_share_trees():
    points = [{"n_estimators": n} for n in (4, 12)]
    for fitted, point in zip(MultiBoostClassifier().fit_grid(X, Y, points), points, strict=True):
        alone = MultiBoostClassifier(**point).fit(X, Y)
        np.testing.assert_array_equal(fitted.predict_proba(X), alone.predict_proba(X))


def test_multiboosting_draws_weights_after_each_subcommittee():
    model = MultiBoostClassifier(n_estimators=9, subcommittees=3).fit(X, Y)
    boosted = MultiBoostClassifier(n_estimators=9, subcommittees=1).fit(X, Y)
    first, plain = ([tree.threshold[0] for tree in m.forest_.trees] for m in (model, boosted))
    assert first[:3] == plain[:3]
    random = JavaRandom(1)
    weight = -np.log([random.share() * 9999 / 10000 for _ in Y])
    fourth = DecisionStumpClassifier().fit(X, Y, weight * len(Y) / weight.sum()).tree_
    assert first[3] == fourth.threshold[0]
    with pytest.raises(ValueError, match="n_estimators=2 is less than subcommittees=3"):
        MultiBoostClassifier(n_estimators=2).fit(X, Y)


def test_a_forest_is_bags_of_trees_with_counts_as_weights():
    forest = WekaRandomForestClassifier(n_estimators=4, max_features=2).fit(X, Y)
    bags = BaggingTreesClassifier(
        estimator=WekaRandomTreeClassifier(max_features=2),
        n_estimators=4,
        bags="weka-3.9",
        random_state=1,
    ).fit(X, Y)
    # The rows of the bags are the same, and those that make the seeds are others.
    for one, other in zip(forest.forest_.trees, bags.forest_.trees, strict=True):
        np.testing.assert_array_equal(one.counts[0], other.counts[0])
    old = WekaRandomForestClassifier(n_estimators=4, max_features=2, weka="3.6").fit(X, Y)
    of_36 = bags.set_params(bags="weka-3.6", estimator__weka="3.6").fit(X, Y)
    np.testing.assert_array_equal(old.predict_proba(X), of_36.predict_proba(X))


@pytest.mark.parametrize(("subspace", "size"), [(0.5, 3), (0.01, 1), (2, 2), (0.6, 4)])
def test_a_subspace_has_as_many_features_as_asked_for(subspace, size):
    grown = REPTreeClassifier(prune=False, min_cases=1)
    model = RandomSubspaceClassifier(estimator=grown, n_estimators=6, subspace=subspace).fit(X, Y)
    used = [set(tree.feature[tree.feature >= 0].tolist()) for tree in model.forest_.trees]
    assert all(len(features) <= size for features in used)
    assert max(map(len, used)) == size
    assert all(tree.n_features == 6 for tree in model.forest_.trees)


def test_a_subspace_of_more_features_than_there_are_has_all():
    shares = [RandomSubspaceClassifier(subspace=n).fit(X, Y).predict_proba(X) for n in (6, 9)]
    np.testing.assert_array_equal(*shares)


def test_real_boosting_starts_from_the_prior():
    y = np.array([0] * 7 + [1] * 3)
    constant = np.zeros((10, 1))
    shares = RealAdaBoostClassifier(n_estimators=1).fit(constant, y).predict_proba(constant)
    model = RealAdaBoostClassifier().fit(constant, y)
    assert model.prior_ == 8 / 12
    assert (shares[:, 0] > 0.5).all()
    with pytest.raises(ValueError, match="Only binary classification"):
        RealAdaBoostClassifier().fit(X, np.arange(80) % 3)


# As Weka 3.7.12 predicts the last 40 rows. Of a sum of weights that should be 0, Weka's stumps may
# keep a last bit, which changes the log odds.
@pytest.mark.parametrize(
    ("seed", "codes"),
    [
        (28, "1000011010000001000011110101100000011011"),
        (101, "0111101101001010100000101010001100100011"),
        (102, "1001101001100001110101000110100110100111"),
        (115, "0111000001010000101111111010011000110011"),
        (249, "1011011010011000111010111101110111100110"),
        (289, "0101111101111001110011010101010110111010"),
    ],
)
def test_real_boosting_of_many_rounds_is_equal_to_wekas(seed, codes):
    rng = np.random.RandomState(seed)
    rows = np.round(rng.normal(size=(90, 4)), 1)
    y = (rows[:, 0] + rows[:, 1] * rows[:, 2] + rng.normal(size=90) > 0).astype(int)
    model = RealAdaBoostClassifier(n_estimators=60).fit(rows[:50], y[:50])
    assert "".join(map(str, model.predict(rows[50:]))) == codes


def test_threads_do_not_matter():
    for model in GROWN[:2]:
        two = clone(model).set_params(n_jobs=2).fit(X, Y)
        one = clone(model).fit(X, Y)
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_no_ensemble_of_scikit_learn_stands_for_real_adaboost():
    model = RealAdaBoostClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="adds up log odds of trees as Real"):
        model.to_sklearn()
    again = from_json(model.to_json())
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
