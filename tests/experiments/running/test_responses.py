"""Scorers give the same of an estimator, of its responses, and of its stored responses."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import get_scorer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree_lab.experiments.running.responses import (
    ask_estimator,
    recall_responses,
    score_responses,
)

BINARY = ("roc_auc", "neg_log_loss", "average_precision", "f1", "balanced_accuracy")
SEVERAL = ("roc_auc_ovr", "neg_log_loss", "f1_macro", "matthews_corrcoef")
CASES = [
    (load_breast_cancer, DecisionTreeClassifier(max_depth=2, random_state=0), BINARY),
    (load_breast_cancer, GradientBoostingClassifier(n_estimators=3, random_state=0), BINARY),
    (load_breast_cancer, LinearSVC(), ("roc_auc", "average_precision", "f1")),
    (load_wine, DecisionTreeClassifier(max_depth=2, random_state=0), SEVERAL),
    (load_diabetes, DecisionTreeRegressor(max_depth=2), ("r2", "neg_mean_absolute_error")),
]


def fitted(load, estimator):
    X, y = load(return_X_y=True)
    estimator.fit(X[::2], y[::2])
    return X[1::2], y[1::2], estimator.predict(X[1::2])


@pytest.mark.parametrize(("load", "estimator", "names"), CASES)
def test_scores_are_those_of_scikit_learn_now_and_later(load, estimator, names):
    X, y, predicted = fitted(load, estimator)
    responses = ask_estimator(estimator, X, predicted)
    scores = score_responses(responses, y, names, None)
    assert scores == {name: get_scorer(name)(estimator, X, y) for name in names}
    later = recall_responses(predicted, responses.packed)
    assert score_responses(later, y, names, None) == scores


def test_probabilities_are_kept_only_if_a_metric_needs_them():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    X, y, predicted = fitted(load_wine, tree)
    responses = ask_estimator(tree, X, predicted)
    score_responses(responses, y, ["f1_macro"], None)
    assert responses.packed is None
    with pytest.raises(AttributeError, match="predict_proba"):
        score_responses(recall_responses(predicted, None), y, ["neg_log_loss"], None)


def test_what_is_not_defined_is_nan():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    X, y, predicted = fitted(load_wine, tree)
    responses = ask_estimator(tree, X, predicted)
    lacks_a_class = score_responses(responses, np.minimum(y, 1), ["neg_log_loss"], None)
    assert math.isnan(lacks_a_class["neg_log_loss"])
