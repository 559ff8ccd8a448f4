"""Bagging and AdaBoost.M1 over retree's trees."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle_thinning import ada_boost_m1
from random_forests import examples
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import (
    C45Classifier,
    C45RulesClassifier,
    CartClassifier,
    CartRegressor,
    DecisionStumpClassifier,
    ID3Classifier,
    StructurePurityClassifier,
)
from retree.forests import AdaBoostM1Classifier, BaggingTreesClassifier, ForestThinner
from retree.forests.forest import Forest
from retree.trees.cart import CodedCartClassifier

MEMBERS = {
    "C4.5": C45Classifier(),
    "C4.5 unpruned": C45Classifier(pruning=None),
    "C4.5 reduced error": C45Classifier(pruning="reduced_error"),
    "ID3": ID3Classifier(max_depth=4),
    "CART": CartClassifier(max_depth=4),
}
FIELDS = ("children_ptr", "children", "feature", "threshold", "subset", "left_levels")


def not_for_bagging(estimator):
    """Return the checks that fail for any bagging, and why."""
    if isinstance(estimator, AdaBoostM1Classifier):
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": "a weight is not a repetition"
        for kind in ("dense", "sparse")
    }


@parametrize_with_checks(
    [
        BaggingTreesClassifier(n_estimators=3),
        BaggingTreesClassifier(estimator=CartClassifier(), n_estimators=3, vote="votes"),
        AdaBoostM1Classifier(n_estimators=3),
    ],
    expected_failed_checks=not_for_bagging,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def mixed(n=200, seed=0, missing=0.05):
    """Return a table of two numeric and two nominal columns, one level without rows."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)).round(1), columns=["a", "b"])
    X["c"] = pd.Categorical(rng.choice(list("xyz"), n), categories=list("wxyz"))
    X["d"] = pd.Categorical(rng.choice(list("pq"), n))
    y = (X["a"] + (X["c"] == "x") + rng.normal(size=n) > 0.3).astype(int) + (X["b"] > 1)
    return X.mask(rng.random(X.shape) < missing), np.array(["no", "yes", "maybe"])[y]


def assert_same_trees(trees, expected):
    assert len(trees) == len(expected)
    for tree, other in zip(trees, expected, strict=True):
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)
        np.testing.assert_allclose(tree.counts, other.counts, atol=1e-9)


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("cls", [BaggingTreesClassifier, AdaBoostM1Classifier])
def test_forest_of_fewer_trees_is_the_beginning_of_that_of_more(cls, name):
    X, y = mixed()
    few, many = (
        cls(estimator=MEMBERS[name], n_estimators=n, random_state=0).fit(X, y) for n in (3, 9)
    )
    n = min(3, len(many.forest_.trees))
    assert_same_trees(few.forest_.trees, many.forest_.trees[:n])
    np.testing.assert_array_equal(few.forest_.vote_weight, many.forest_.vote_weight[:n])


@pytest.mark.parametrize("name", ["C4.5", "C4.5 unpruned", "ID3", "CART"])
def test_member_is_the_tree_of_its_bag(name):
    X, y = mixed()
    forest = BaggingTreesClassifier(estimator=MEMBERS[name], n_estimators=4, random_state=3).fit(
        X, y
    )
    rng = np.random.RandomState(3)
    trees = []
    for _ in range(4):
        drawn = rng.choice(len(y), len(y), p=np.full(len(y), 1 / len(y)))
        rng.randint(2**31 - 1)  # the seed of the member
        rows = np.sort(drawn)
        trees.append(MEMBERS[name].fit(X.iloc[rows], y[rows]).tree_)
    assert_same_trees(forest.forest_.trees, trees)
    total = [tree.weight[0] for tree in forest.forest_.trees]
    np.testing.assert_allclose(total, len(y))


@pytest.mark.parametrize("name", MEMBERS)
def test_bagging_is_the_mean_of_its_members(name):
    X, y = mixed()
    forest = BaggingTreesClassifier(estimator=MEMBERS[name], n_estimators=5, random_state=0).fit(
        X, y
    )
    shares = []
    for tree in forest.forest_.trees:
        member = MEMBERS[name].fit(X, y)
        member.tree_ = tree
        shares.append(member.predict_proba(X))
    np.testing.assert_allclose(forest.predict_proba(X), np.mean(shares, axis=0), atol=1e-12)


def test_rows_are_drawn_by_weight():
    X, y = mixed()
    weight = np.where(y == "maybe", 0.0, 1.0)
    forest = BaggingTreesClassifier(n_estimators=5, random_state=0).fit(X, y, weight)
    for tree in forest.forest_.trees:
        assert tree.counts[0, 0] == 0
        assert tree.weight[0] == pytest.approx((weight > 0).sum())
    np.testing.assert_array_equal(forest.classes_, ["maybe", "no", "yes"])


def test_bag_without_a_class():
    X = np.arange(12.0)[:, None]
    y = np.array(["a"] * 6 + ["b"] * 5 + ["rare"])
    forest = BaggingTreesClassifier(n_estimators=12, random_state=0).fit(X, y)
    with_rare = [tree.counts[0, 2] > 0 for tree in forest.forest_.trees]
    assert any(with_rare)
    assert not all(with_rare)
    assert forest.predict_proba(X).shape == (12, 3)
    thinned = ForestThinner(shares="own").thin(forest, X, y)
    np.testing.assert_allclose(thinned.predict_proba(X).sum(axis=1), 1)


@st.composite
def small_tables(draw):
    """Draw a small table with columns of both kinds, and its labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 40))
    X, y = mixed(n, seed=int(rng.integers(1000)), missing=draw(st.sampled_from([0.0, 0.2])))
    return X, np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.3])), "no", y)


@examples
@given(small_tables(), st.sampled_from(["C4.5", "ID3", "CART"]), st.integers(1, 8))
def test_boosting_is_that_of_weka(table, name, n_members):
    X, y = table
    members, votes = ada_boost_m1(lambda: type(MEMBERS[name])(), X, y, n_members)
    shares = [np.sort(member.predict_proba(X)[X.isna().any(axis=1)]) for member in members]
    # Shares of a divided row may tie in one order of adding them and differ by a bit in another.
    assume(all((own[:, -1] - own[:, -2] > 1e-12).all() for own in shares if own.shape[1] > 1))
    model = AdaBoostM1Classifier(estimator=MEMBERS[name].__class__(), n_estimators=n_members).fit(
        X, y
    )
    assert_same_trees(model.forest_.trees, [member.tree_ for member in members])
    np.testing.assert_allclose(model.forest_.vote_weight, votes, rtol=1e-9)
    sums = np.zeros((len(y), len(model.classes_)))
    for member, vote in zip(members, votes, strict=True):
        sums[np.arange(len(y)), np.searchsorted(model.classes_, member.predict(X))] += vote
    expected = sums / sum(votes) if len(members) > 1 else members[0].predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)


def test_boosting_ends_at_no_error_and_at_too_much():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    perfect = AdaBoostM1Classifier().fit(X, y)
    assert len(perfect.forest_.trees) == 1
    np.testing.assert_array_equal(perfect.forest_.vote_weight, [1.0])
    noise = AdaBoostM1Classifier().fit(np.zeros((9, 1)), np.arange(9) % 3)
    assert noise.forest_.node_count == 1
    np.testing.assert_allclose(noise.predict_proba([[0.0]]), [[1 / 3, 1 / 3, 1 / 3]])
    stopped = AdaBoostM1Classifier(estimator=C45Classifier(max_depth=1)).fit(*mixed(300))
    assert 1 < len(stopped.forest_.trees) < 30


def test_votes_tie_to_the_last_bit_as_in_weka():
    levels = pd.CategoricalDtype([f"l{i}" for i in range(4)])

    def table(numbers, first, second):
        columns = {"a": numbers, "b": pd.Series(first, dtype=levels)}
        return pd.DataFrame(columns | {"c": pd.Series(second, dtype=levels)})

    X = table([-5.0, 3, 4, 1, -2, -3, 3, -2], [f"l{i}" for i in (0, 1, 1, 1, 1, 1, 0, 0)],
              [f"l{i}" for i in (3, 2, 1, 1, 2, 2, 2, 1)])  # fmt: skip
    y = ["c1", "c6", "c6", "c4", "c3", "c1", "c6", "c3"]
    boosted = AdaBoostM1Classifier(estimator=DecisionStumpClassifier(), n_estimators=10).fit(X, y)
    rows = table([-3.0], ["l0"], ["l3"])
    shares = boosted.predict_proba(rows)[0]
    second, first = np.sort(shares)[-2:]
    assert 0 < first - second < 1e-6
    assert boosted.predict(rows) == boosted.classes_[shares.argmax()] == "c3"


def test_total_weight_stays_and_scales_nothing_but_min_cases():
    X, y = mixed(missing=0.0)
    model = AdaBoostM1Classifier(n_estimators=6).fit(X, y)
    for tree in model.forest_.trees:
        assert tree.weight[0] == pytest.approx(len(y))


def test_votes():
    X, y = mixed()
    model = AdaBoostM1Classifier(n_estimators=6).fit(X, y)
    forest = model.forest_
    for vote, weights in [("shares", np.ones(6)), ("weighted_shares", forest.vote_weight)]:
        model.set_params(vote=vote)
        parts = [
            w * Forest((tree,), np.ones(1)).shares(model.checked_rows(X))
            for w, tree in zip(weights, forest.trees, strict=True)
        ]
        np.testing.assert_allclose(model.predict_proba(X), sum(parts) / sum(weights))
    with pytest.raises(ValueError, match="Invalid vote 'most'"):
        model.set_params(vote="most").predict(X)


def test_cart_members_send_missing_values_to_the_heavier_child():
    X, y = mixed(missing=0.2)
    tree = CartClassifier(max_depth=3).fit(X, y)
    boosted = AdaBoostM1Classifier(estimator=CartClassifier(max_depth=3), n_estimators=1).fit(X, y)
    boosted.set_params(vote="shares")
    np.testing.assert_array_equal(boosted.predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_estimators": 0}, ValueError, "n_estimators"),
        ({"vote": "most"}, ValueError, "Invalid vote 'most'"),
        *(
            ({"estimator": wrong}, TypeError, f"CartClassifier.* not {type(wrong).__name__}")
            for wrong in (
                DecisionTreeClassifier(),
                CartRegressor(),
                C45RulesClassifier(),
                CodedCartClassifier(),
                StructurePurityClassifier(),
                BaggingTreesClassifier(),
            )
        ),
        ({"estimator": C45Classifier(min_cases=0)}, ValueError, "min_cases"),
        ({"estimator": C45Classifier}, TypeError, "instance"),
    ],
)
@pytest.mark.parametrize("cls", [BaggingTreesClassifier, AdaBoostM1Classifier])
def test_wrong_parameters(cls, params, error, message):
    X, y = mixed()
    with pytest.raises(error, match=message):
        cls(**params).fit(X, y)


@pytest.mark.parametrize("vote", ["votes", "weighted_shares"])
def test_no_probability_is_greater_than_one(vote):
    # log_loss refuses the last bit above 1 that weights of unanimous votes may sum to.
    X, y = load_iris(return_X_y=True)
    forest = AdaBoostM1Classifier(n_estimators=3, vote=vote, random_state=0).fit(X, y)
    trees = forest.forest_.trees * 10
    for weights in np.random.default_rng(0).random((50, len(trees))):
        forest.forest_ = replace(forest.forest_, trees=trees, vote_weight=weights)
        assert forest.predict_proba(X).max() <= 1.0
