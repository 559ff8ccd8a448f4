"""AdaBoost.M1 against Weka's, tree by tree, on the folds of Weka's Experimenter."""

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from retree.forests import AdaBoostM1Classifier, BaggingTreesClassifier, ThinnedForestClassifier
from retree.forests.members import weka_bags
from retree.trees.c45.c45_trees import C45Classifier
from retree.weka_folds import weka_fold
from retree_lab.datasets import load_dataset

QUICK = ("iris",)  # the others take minutes
# Nodes that Guo and Fan (2014) print of EPIC, 30 of 200 pruned trees. hayes-roth, backache, vote,
# lymphography, cars and ecoli come out so, too, of Weka's forests.
EPIC_OF_IRIS = ["197.80", "141.31"]
EPIC = {"n_estimators": 200, "n_selected": 30, "weighted_selection": True}
REFERENCE = Path(__file__).parents[1] / "reference" / "weka"
FORESTS = pd.read_csv(REFERENCE / "boosted_forests.csv")
BAGGED = pd.read_csv(REFERENCE / "bagged_forests.csv", dtype=str)
PRUNED = pd.read_csv(REFERENCE / "boosted_pruned.csv")
EXPERIMENTER = pd.read_csv(REFERENCE / "experimenter.csv")
RUNS = [runs for runs in EXPERIMENTER.itertuples(index=False) if runs.dataset in QUICK]
PRINTED = 1e-6  # betas are printed with six digits


@cache
def rows_of(name):
    """Return rows, labels, which may declare classes without rows, and class codes of a set."""
    dataset = load_dataset(name)
    codes = np.unique(np.asarray(dataset.y), return_inverse=True)[1]
    return pd.DataFrame(dataset.X), dataset.y, codes


@pytest.mark.parametrize(
    "forest", list(FORESTS.itertuples(index=False)), ids=lambda forest: f"{forest[0]}-{forest[1]}"
)
def test_forest_is_that_of_weka(forest):
    check_forest(forest, C45Classifier(pruning=None), run=1)


@pytest.mark.parametrize("forest", list(PRUNED.itertuples(index=False)))
def test_ties_break_and_declared_classes_count_as_in_weka(forest):
    check_forest(forest, C45Classifier(weka="3.6"), forest.run)


@pytest.mark.parametrize("forest", list(BAGGED.itertuples(index=False)))
def test_bags_are_those_of_weka(forest):
    X, _, y = rows_of(forest.dataset)
    train, test = weka_fold(y, 10, int(forest.fold), seed=1, stratified=True)
    model = BaggingTreesClassifier(
        estimator=C45Classifier(weka=forest.release),
        n_estimators=10,
        bags=f"weka-{forest.release}",
        random_state=1,
    ).fit(X.iloc[train], y[train])
    assert [tree.node_count for tree in model.forest_.trees] == [*map(int, forest.nodes.split())]
    assert "".join(map(str, model.predict(X.iloc[test]))) == forest.predicted


def counts_of(weight, seed, n_bags):
    """Return how often each row is in any of some bags."""
    bags = itertools.islice(weka_bags(weight, seed, "3.6"), n_bags)
    return sum(np.bincount(drawn, minlength=len(weight)) for drawn, _ in bags)


@pytest.mark.parametrize("n", [49, 98, 100])
def test_rows_of_equal_weight_are_drawn_alike(n):
    # 49 times a 49th is below 1, and so then is every part of the table.
    counts = counts_of(np.ones(n), 1, 2000)
    assert counts.sum() == 2000 * n
    assert abs(counts / 2000 - 1).max() < 0.12  # five standard deviations


def test_rows_are_drawn_in_proportion_to_their_weights():
    weight = np.array([1.0, 2.0, 4.0, 0.5, 2.5])
    counts = counts_of(weight, 7, 4000)
    np.testing.assert_allclose(counts / 20000, weight / 10, atol=0.02)


def test_bags_of_weka_need_its_seed():
    with pytest.raises(ValueError, match="set random_state to an int"):
        BaggingTreesClassifier(bags="weka-3.6").fit([[0.0], [1.0]], [0, 1])


def check_forest(forest, member, run):
    X, y, codes = rows_of(forest.dataset)
    train, test = weka_fold(codes, 10, forest.fold, seed=run, stratified=True)
    model = AdaBoostM1Classifier(estimator=member).fit(X.iloc[train], y.iloc[train])
    nodes, betas = zip(*(tree.split(":") for tree in forest.trees.split()), strict=True)
    assert [tree.node_count for tree in model.forest_.trees] == [int(n) for n in nodes]
    np.testing.assert_allclose(model.forest_.vote_weight, [float(b) for b in betas], atol=PRINTED)
    assert model.score(X.iloc[test], y.iloc[test]) == pytest.approx(forest.accuracy, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("runs", RUNS, ids=lambda runs: f"{runs.dataset}-{runs.pruned}")
def test_runs_of_the_experimenter_are_those_of_weka(runs):
    found = over_the_runs(runs.dataset, runs.pruned)[0]
    assert [f"{value:.4f}" for value in found] == [f"{value:.4f}" for value in runs[2:]]


@pytest.mark.slow
def test_weighted_epic_selects_what_is_published():
    found = over_the_runs("iris", True)[1]
    assert [f"{value:.2f}" for value in found[2:]] == EPIC_OF_IRIS


@cache
def over_the_runs(name, pruned):
    """Return mean and deviation of accuracy in per cent and of nodes: of boosting, and of EPIC."""
    X, _, y = rows_of(name)
    model = ThinnedForestClassifier(ensemble="adaboost", pruned=pruned, weka="3.6")
    points = [{}, EPIC] if pruned else [{}]  # of the same trees
    found = []
    for run, fold in itertools.product(range(1, 11), range(10)):
        train, test = weka_fold(y, 10, fold, seed=run, stratified=True)
        grid = model.fit_grid(X.iloc[train], y[train], points)
        found.append([(100 * m.score(X.iloc[test], y[test]), m.get_node_count()) for m in grid])
    means, deviations = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
    return np.stack([means, deviations], axis=-1).reshape(len(points), 4)
