"""Weka's DecisionStump and OneR, and AdaBoost.M1 of the stump, fold by fold as in Weka."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from real_sets import read_set

from retree import DecisionStumpClassifier, OneRClassifier
from retree.forests import AdaBoostM1Classifier

REFERENCE = Path(__file__).parents[2] / "reference" / "weka" / "small_classifiers.json"
OF_WEKA = json.loads(REFERENCE.read_text(encoding="utf-8"))


def make(name):
    """Return the classifier that the reference calls `name`."""
    if name == "oner":
        return OneRClassifier()
    _kind, _, rounds = name.partition("_")
    stump = DecisionStumpClassifier()
    return AdaBoostM1Classifier(estimator=stump, n_estimators=int(rounds)) if rounds else stump


@pytest.mark.parametrize("name", ["stump", "oner", "adaboost_10", "adaboost_80"])
@pytest.mark.parametrize("data", OF_WEKA)
def test_folds_are_those_of_weka(data, name):
    X, y = read_set(data)
    fold, predicted = np.arange(len(y)) % 10, np.empty(len(y), object)
    for k in range(10):
        test = fold == k
        predicted[test] = make(name).fit(X[~test], y[~test]).predict(X[test])
    right = [int((predicted == y)[fold == k].sum()) for k in range(10)]
    codes = np.searchsorted(np.unique(y), predicted.astype(str)).astype(np.uint8)
    expected = OF_WEKA[data][name]
    assert right == expected["right"]
    assert hashlib.sha256(codes.tobytes()).hexdigest()[:16] == expected["predictions"]


def test_the_largest_values_are_told_apart():
    # Weka's middle of the two is infinite.
    X, y = np.array([[1.6e308], [1.7e308]] * 7), ["u", "v"] * 7
    assert DecisionStumpClassifier().fit(X, y).score(X, y) == 1.0
    assert OneRClassifier().fit(X, y).score(X, y) == 1.0
