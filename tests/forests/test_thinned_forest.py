"""The estimator of the experiments: grown, selected, thinned, one at a time or many at once."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree.forests import (
    AccuracyThinner,
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    EPICSelector,
    ForestThinner,
    ThinnedForestClassifier,
)
from retree.forests.grown import GrownForest
from retree.trees.c45.c45_trees import C45Classifier
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.running.compute import Batch, Problem, compute_batch
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import find_estimator


@parametrize_with_checks(
    [
        ThinnedForestClassifier(n_estimators=3, thinning="ftcg"),
        ThinnedForestClassifier(
            ensemble="adaboost", n_estimators=3, thinning="ft_acc", n_selected=2
        ),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def problem():
    """Return rows with a nominal column and missing values, and labels."""
    shape = {"n_samples": 250, "n_features": 5, "n_informative": 3, "n_redundant": 0}
    X, y = make_classification(
        **shape, n_classes=3, n_clusters_per_class=1, flip_y=0.2, random_state=0
    )
    frame = pd.DataFrame(X.round(2), columns=list("abcde"))
    frame = frame.mask(np.random.default_rng(0).random(X.shape) < 0.05)
    frame["e"] = pd.cut(frame["e"], 4, labels=list("pqrs"))
    return frame, np.array(["u", "v", "w"])[y]


def assert_equal(model, other, X):
    assert model.get_node_count() == other.get_node_count()
    assert model.get_n_leaves() == other.get_n_leaves()
    assert model.get_depth() == other.get_depth()
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("pruned", [True, False])
@pytest.mark.parametrize("ensemble", ["bagging", "adaboost"])
def test_it_is_made_of_the_parts(ensemble, pruned):
    X, y = problem()
    cls = {"bagging": BaggingTreesClassifier, "adaboost": AdaBoostM1Classifier}[ensemble]
    member = C45Classifier() if pruned else C45Classifier(pruning=None)
    grown = cls(estimator=member, n_estimators=8, random_state=0).fit(X, y)
    model = ThinnedForestClassifier(
        ensemble=ensemble, pruned=pruned, n_estimators=8, random_state=0
    )
    assert_equal(model.fit(X, y), grown, X)
    selected = EPICSelector(n_members=5).select(grown, X, y)
    assert_equal(model.set_params(n_selected=5).fit(X, y), selected, X)
    weighted = EPICSelector(n_members=5, weighted=True).select(grown, X, y)
    assert_equal(clone(model).set_params(weighted_selection=True).fit(X, y), weighted, X)
    model.set_params(thinning="ftcg", shares="own", pooling="weighted_mean", passes=1)
    expected = ForestThinner(passes=1, shares="own", pooling="weighted_mean").thin(selected, X, y)
    assert_equal(model.fit(X, y), expected, X)
    model.set_params(thinning="ft_acc", shares="training", pooling="mean")
    assert_equal(model.fit(X, y), AccuracyThinner(passes=1).thin(selected, X, y), X)
    model.set_params(vote="votes")
    votes, total = model.forest_.votes(model.checked_rows(X))
    np.testing.assert_array_equal(model.predict_proba(X), votes / total)


POINTS = [
    {},
    {"thinning": "ftcg"},
    {"thinning": "ftcg", "passes": 0},
    {"thinning": "ftcg", "n_estimators": 3},
    {"thinning": "ftcg", "variant": "printed"},
    {"thinning": "ftcg", "shares": "own", "pooling": "weighted_mean", "passes": 5},
    {"thinning": "ftcg", "shares": "decisions", "pooling": "log_odds"},
    {"thinning": "ftcg", "shares": "decisions", "pooling": "log_odds", "inclusive": True},
    {"thinning": "ft_acc", "n_selected": 3},
    {"n_selected": 3, "vote": "votes"},
    {"n_estimators": 9},
    {"pruned": False, "thinning": "ftcg"},
    {"random_state": 1},
    {"ensemble": "adaboost", "thinning": "ftcg"},
    {"ensemble": "adaboost", "n_selected": 3},
    {"ensemble": "adaboost", "n_selected": 3, "weighted_selection": True},
    {"ensemble": "adaboost", "thinning": "ftcg", "random_state": 5, "n_estimators": 2},
]


def test_grid_is_what_single_fits_are(monkeypatch):
    X, y = problem()
    model = ThinnedForestClassifier(n_estimators=6, random_state=0)
    expected = [
        ThinnedForestClassifier(**{"n_estimators": 6, "random_state": 0, **p}) for p in POINTS
    ]
    for estimator in expected:
        estimator.fit(X, y)
    grown = []
    fit = GrownForest.fit
    monkeypatch.setattr(
        GrownForest,
        "fit",
        lambda self, *data: (grown.append((self.vote, self.n_estimators)), fit(self, *data))[1],
    )
    fitted = model.fit_grid(X, y, POINTS)
    for estimator, other in zip(fitted, expected, strict=True):
        assert estimator.get_params() == other.get_params()
        assert_equal(estimator, other, X)
    assert grown == [("shares", 9), ("shares", 6), ("shares", 6), ("votes", 6)]
    assert not hasattr(model, "forest_")


def test_random_generators_are_not_shared():
    X, y = problem()
    fitted = ThinnedForestClassifier(n_estimators=2).fit_grid(X, y, [{}, {}])
    counts = [estimator.forest_.trees[0].counts[0] for estimator in fitted]
    assert not np.array_equal(*counts)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"ensemble": "stacking"}, "Invalid ensemble 'stacking'"),
        ({"thinning": "epic"}, "Invalid thinning 'epic'"),
        ({"thinning": ["epic"]}, r"Invalid thinning \['epic'\]"),
        ({"ensemble": ["bagging"]}, r"Invalid ensemble \['bagging'\]"),
        ({"vote": "most"}, "Invalid vote 'most'"),
        ({"n_selected": 0}, "n_selected"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"thinning": "ftcg", "passes": -1}, "passes"),
        ({"thinning": "ft_acc", "shares": "bag"}, "Invalid shares 'bag'"),
        ({"thinning": "ftcg", "variant": "other"}, "Invalid variant 'other'"),
    ],
)
def test_wrong_parameters_of_the_pipeline(params, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        ThinnedForestClassifier(**params).fit(X, y)


def test_experiments_count_the_nodes_of_all_trees():
    X, y = problem()
    target = find_estimator("thinned_forest").target
    assert import_estimator(target) is ThinnedForestClassifier
    points = [{"random_state": 0, "thinning": name} for name in (None, "ft_acc")]
    batch = Batch(
        data=("toy", ""),
        method="thinned",
        target=target,
        params={"n_estimators": 4},
        transductive=False,
        protocol=Protocol("cv3", 3, 1, True, True, 0, 0),
        repeat=0,
        fold=1,
        inner=-1,
        points=tuple(points),
        keys=("grown", "thinned"),
    )
    outcomes = compute_batch(Problem(X, np.unique(y, return_inverse=True)[1]), batch)
    assert [outcome.error for outcome in outcomes] == [None, None]
    grown, thinned = outcomes
    assert grown.nodes > thinned.nodes >= 4
    assert thinned.nodes > thinned.leaves > thinned.depth
