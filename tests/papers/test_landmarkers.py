"""Published landmarkers beside the learners of their names and the default ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from paper_code import PAPERS, paper_module
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from retree.datasets import load
from retree.experiments.definition.method import load_method
from retree.study.making import make_estimator
from retree.weka_folds import weka_fold

TESTS = Path(__file__).parents[1]
FOLDER = PAPERS / "landmarkers"
kinds = paper_module("landmarkers/kinds.py")


def error_rate(key, name):
    """Return wrong rows over all rows in Weka's 2-fold cross-validation of seed 1."""
    method = load_method(key, FOLDER)
    X, y = load(name, sources=["bundled"])
    codes = y.cat.codes.to_numpy()
    wrong = 0
    for fold in range(2):
        train, test = weka_fold(codes, 2, fold, seed=1, stratified=True)
        model = make_estimator(method.registered.target, method.params, method.home)
        model.fit(X.iloc[train], codes[train])
        wrong += int((model.predict(X.iloc[test]) != codes[test]).sum())
    return wrong / len(y)


@pytest.mark.parametrize("name", ["openml-11", "openml-21", "openml-49"])
def test_published_values_are_those_of_the_default_learners(name):
    table = pd.read_csv(FOLDER / "published.csv")
    number = name.removeprefix("openml-") + " "
    published = table[table["dataset"].str.startswith(number)].set_index("method")["value"]
    rates = {key: error_rate(key, name) for key in ("landmarker_j48", "landmarker_rep_tree")}
    for learner, named, default in (
        ("J48.00001", "landmarker_j48_00001", "landmarker_j48"),
        ("REPTreeDepth1", "landmarker_rep_tree_1", "landmarker_rep_tree"),
    ):
        found = kinds.whose(published[learner], error_rate(named, name), rates[default])
        assert found == kinds.DEFAULT
    stump = error_rate("landmarker_stump", name)
    assert published["DecisionStump"] == pytest.approx(stump, rel=1e-14)


def pooled(key, name):
    """Return Weka's kappa and weighted AUC of the predictions of both folds together."""
    method = load_method(key, FOLDER)
    X, y = load(name, sources=["bundled"])
    codes = y.cat.codes.to_numpy()
    predicted, shares = np.zeros_like(codes), np.zeros((len(y), codes.max() + 1))
    for fold in range(2):
        train, test = weka_fold(codes, 2, fold, seed=1, stratified=True)
        model = make_estimator(method.registered.target, method.params, method.home)
        model.fit(X.iloc[train], codes[train])
        predicted[test] = model.predict(X.iloc[test])
        shares[np.ix_(test, model.classes_)] = model.predict_proba(X.iloc[test])
    areas = [roc_auc_score(codes == c, own) for c, own in enumerate(shares.T)]
    return {
        "kappa": cohen_kappa_score(codes, predicted),
        "auc": np.average(areas, weights=np.bincount(codes)),
    }


@pytest.mark.parametrize("number", [11, 21, 37, 49])
def test_kappa_and_area_are_those_of_the_default_learners_too(number):
    reference = TESTS / "reference" / "landmarkers" / "kappa_auc.csv"
    table = pd.read_csv(reference).query("dataset == @number")
    published = table.set_index(["method", "metric"])["value"]
    for learner, named, default in (
        ("DecisionStump", None, "landmarker_stump"),
        ("J48.00001", "landmarker_j48_00001", "landmarker_j48"),
        ("REPTreeDepth1", "landmarker_rep_tree_1", "landmarker_rep_tree"),
    ):
        found = pooled(default, f"openml-{number}")
        for metric, value in found.items():
            assert published[learner, metric] == pytest.approx(value, rel=1e-12, abs=1e-15)
        if named is not None:
            assert pooled(named, f"openml-{number}") != found


def test_whose_tells_all_four_cases():
    assert kinds.whose(0.1, 0.1, 0.1) == kinds.BOTH
    assert kinds.whose(0.1, 0.1, 0.2) == kinds.NAMED
    assert kinds.whose(0.1, 0.2, 0.1) == kinds.DEFAULT
    assert kinds.whose(0.1, 0.2, 0.3) == kinds.NEITHER
