"""REPTree, alone and in bags, against Weka's on ten folds as OpenML has them."""

import hashlib
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from real_sets import read_set

from retree import BaggingTreesClassifier, REPTreeClassifier
from retree.weka_folds import weka_fold

TABLE = Path(__file__).parents[2] / "reference" / "weka" / "reptree.csv"
OF_WEKA = pd.read_csv(TABLE)
SINGLE = {
    "reptree": {},
    "reptree_unpruned": {"prune": False},
    "reptree_L1": {"max_depth": 1},
    "reptree_L2": {"max_depth": 2},
}


@cache
def problem(name):
    """Return rows, class codes, and training and test rows of ten folds, both as dealt."""
    X, labels = read_set(name)
    y = pd.Categorical(labels).codes.astype(np.int64)
    tests = [weka_fold(y, 10, fold, seed=0, stratified=True)[1] for fold in range(10)]
    trains = [np.concatenate(tests[:fold] + tests[fold + 1 :]) for fold in range(10)]
    return X, y, list(zip(trains, tests, strict=True))


def model_of(row):
    if row.learner in SINGLE:
        return REPTreeClassifier(**SINGLE[row.learner])
    return BaggingTreesClassifier(
        estimator=REPTreeClassifier(),
        n_estimators=int(row.learner.removeprefix("bagging_")),
        bags=f"weka-{row.release[:3]}",
        random_state=1,
    )


@pytest.mark.parametrize(
    "row", list(OF_WEKA.itertuples(index=False)), ids=lambda row: "-".join(row[:3])
)
def test_predictions_on_all_folds_are_those_of_weka(row):
    X, y, folds = problem(row.dataset)
    right, predicted = [], []
    for train, test in folds:
        found = model_of(row).fit(X.iloc[train], y[train]).predict(X.iloc[test])
        right.append(int((found == y[test]).sum()))
        predicted += found.tolist()
    assert " ".join(map(str, right)) == row.right
    assert hashlib.sha256(bytes(predicted)).hexdigest()[:16] == row.digest


def test_the_sets_have_what_is_hard():
    sets = {name: read_set(name) for name in OF_WEKA.dataset.unique()}
    assert any(X.isna().to_numpy().mean() > 0.2 for X, _ in sets.values())
    assert any(y.value_counts().min() == 1 for _, y in sets.values())
    assert any((X.select_dtypes("category").nunique() > 20).any() for X, _ in sets.values())
