"""The methods of the sixth paper have the counts of Weka 3.6.14."""

from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from retree import paths
from retree.datasets import load_dataset
from retree.experiments.definition.config import _protocol, load_method
from retree.experiments.planning.splits import split_rows
from retree.experiments.running.batches import make_problem
from retree.study.archive_index import PREFIX
from retree.study.folders import study_folder
from retree.study.registry import import_estimator, make_estimator
from retree.yaml_files import read_mapping

FOLDER = study_folder("hundreds")
COUNTS = pd.read_csv(Path(__file__).parents[1] / "reference" / "weka" / "hundreds.csv")
METHODS = {"adaboostm1_j48": "adaboost_j48", "j48": "weka_j48"} | {
    name: name for name in ("decision_stump", "one_r", "rep_tree")
}
SETS = ["balloons", "breast-tissue", "fertility", "hayes-roth", "heart-switzerland", "lenses"]
SETS += ["monks-3", "pittsburg-bridges-TYPE", "planning", "spect", "teaching", "wine"]
PROTOCOLS = {"cv4": "weka4", "test": "test_file"}


def make(key):
    method = load_method(key, FOLDER)
    return make_estimator(method.registered.target, method.params, method.home)


def count(dataset, evaluation, estimator):
    """Return how many test rows of all folds are right."""
    data = load_dataset(f"{PREFIX}{dataset}", sources=["bundled"])
    problem = make_problem(data)
    content = read_mapping(paths.conf_dir() / "protocol" / f"{PROTOCOLS[evaluation]}.yaml")
    protocol = _protocol(content).on(problem)
    correct = 0
    for fold in range(protocol.folds):
        train, test = split_rows(protocol, problem.y, 0, fold)
        fitted = clone(estimator).fit(problem.X[train], problem.y[train])
        correct += int((fitted.predict(problem.X[test]) == problem.y[test]).sum())
    return correct


@pytest.mark.parametrize("dataset", SETS)
def test_counts_are_those_of_weka(dataset):
    rows = COUNTS[(COUNTS["dataset"] == dataset) & COUNTS["method"].isin(METHODS)]
    assert len(rows) == len(METHODS)
    for row in rows.to_dict("records"):
        found = count(dataset, row["evaluation"], make(METHODS[row["method"]]))
        assert (row["method"], found) == (row["method"], row["correct_3.6.14"])


def test_terms_of_the_entropy_are_the_nearest_numbers():
    terms = import_estimator(f"{FOLDER / 'estimators.py'}:n_log_n")(400)
    with localcontext() as context:
        context.prec = 50
        logs = [float(Decimal(n).ln()) for n in range(1, 401)]
    np.testing.assert_array_equal(terms[1:401], [n * log for n, log in enumerate(logs, start=1)])


@pytest.mark.parametrize("key", ["decision_stump", "one_r", "rep_tree"])
def test_constant_features_give_the_most_frequent_class(key):
    X, y = np.zeros((9, 2)), np.array(list("aabbbbbcc"))
    assert make(key).fit(X, y).predict(X).tolist() == ["b"] * 9


@pytest.mark.parametrize("key", ["decision_stump", "one_r", "rep_tree"])
def test_missing_values_are_refused(key):
    with pytest.raises(ValueError, match="NaN"):
        make(key).fit([[1.0], [np.nan]], [0, 1])


def test_stump_is_that_of_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = rng.integers(0, 6, (40, 3)).astype(float), rng.integers(0, 3, 40)
        stump = make("decision_stump").fit(X, y)
        found = entropy(y, X[:, stump.feature_] <= stump.cut_)
        every = (entropy(y, column <= value) for column in X.T for value in np.unique(column)[:-1])
        assert found == pytest.approx(min(every))


def entropy(y, left):
    """Return the entropy of classes within two sides, by its definition."""
    total = 0.0
    for side in (y[left], y[~left]):
        shares = np.unique(side, return_counts=True)[1] / len(side)
        total -= len(side) / len(y) * float(np.sum(shares * np.log2(shares)))
    return total
