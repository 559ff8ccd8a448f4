"""The methods of the sixth paper have the counts of Weka."""

from itertools import accumulate
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from retree.java_random import JavaRandom
from retree_lab import paths
from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.method import load_method
from retree_lab.experiments.definition.protocol_config import read_protocol
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.experiments.running.batches import make_problem
from retree_lab.papers.hundreds import accuracies
from retree_lab.papers.hundreds.datasets import PREFIX
from retree_lab.study.folders import study_folder
from retree_lab.study.registry import make_estimator
from retree_lab.yaml_files import read_mapping

FOLDER = study_folder("hundreds")
COUNTS = pd.read_csv(Path(__file__).parents[1] / "reference" / "weka" / "hundreds.csv")
LATER = {"adaboostm1_j48": "adaboost_j48", "j48": "weka_j48"} | {
    name: name for name in ("decision_stump", "rep_tree")
}
METHODS = {
    load_method(key, FOLDER).name.removesuffix(" of Weka 3.6"): key
    for key in (*LATER.values(), "one_r", "bagging_j48")
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
    protocol = read_protocol(content).on(problem)
    correct = 0
    for fold in range(protocol.folds):
        train, test = split_rows(protocol, problem.y, 0, fold)
        fitted = clone(estimator).fit(problem.X[train], problem.y[train])
        correct += int((fitted.predict(problem.X[test]) == problem.y[test]).sum())
    return correct


@pytest.mark.parametrize("dataset", SETS)
def test_counts_are_those_of_weka(dataset):
    evaluation = COUNTS.loc[COUNTS["dataset"] == dataset, "evaluation"].iloc[0]
    counts = accuracies.weka_counts(FOLDER)
    theirs = {name: counts[dataset, name].correct for name in METHODS}
    assert theirs == {name: count(dataset, evaluation, make(key)) for name, key in METHODS.items()}


def test_weka_counts_the_same_in_releases_3_6_8_and_3_6_14_but_for_two_methods():
    older = accuracies.weka_counts(FOLDER)
    names = {key: name for name, key in METHODS.items()}
    later = COUNTS[COUNTS["method"].isin(LATER)].assign(method=lambda d: d["method"].map(LATER))
    assert len(later) == 244
    for row in later.to_dict("records"):
        place = row["dataset"], names[row["method"]]
        assert (place, older[place].correct) == (place, row["correct_3.6.14"])


@given(st.integers(1, 60), st.integers(0, 2**40))
def test_bag_has_the_row_above_which_each_sum_of_gaps_lies(n, seed):
    from retree_lab.papers.hundreds.bagging import bag

    drawn, random = bag(n, JavaRandom(seed)), JavaRandom(seed)
    gaps = [random.share() for _ in range(n)]
    sums, rows = list(accumulate(gaps)), []
    for i, total in enumerate(sums):
        scaled = n if i == n - 1 else total / (sums[-1] / n)
        rows.append(next(row for row in range(n) if scaled <= row + 1))
    assert drawn.tolist() == [rows.count(row) for row in range(n)]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=80))
def test_order_of_weka_is_sorted_and_has_every_row_once(values):
    from retree_lab.papers.hundreds.estimators import weka_order as order

    rows = order(np.array(values, float)).tolist()
    assert sorted(rows) == list(range(len(values)))
    assert [values[row] for row in rows] == sorted(values)


def test_one_r_joins_rows_of_the_last_value_and_equal_neighbours():
    X = np.array([0, 1, 2, 2, 3, 4, 5, 6], float)[:, None]
    y = np.array(list("aababbbb"))
    rule = make("one_r").set_params(min_bucket_size=3).fit(X, y)
    assert rule.cuts_.tolist() == [2.5]
    assert rule.intervals_.tolist() == [0, 1]


@pytest.mark.parametrize("key", ["bagging_j48", "decision_stump", "one_r", "rep_tree"])
def test_constant_features_give_the_most_frequent_class(key):
    X, y = np.zeros((9, 2)), np.array(list("aabbbbbcc"))
    assert make(key).fit(X, y).predict(X).tolist() == ["b"] * 9


@pytest.mark.parametrize("key", ["bagging_j48", "one_r"])
def test_missing_values_are_refused(key):
    with pytest.raises(ValueError, match="NaN"):
        make(key).fit([[1.0], [np.nan]], [0, 1])
