"""What the index holds: every learner by every protocol on a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.datasets import Dataset
from retree.experiments.running.batches import make_problem
from retree.forests import AdaBoostM1Classifier, BaggingTreesClassifier
from retree.java_random import JavaRandom
from retree.outside.index import Index
from retree.trees.c45.classifier import C45Classifier
from retree.trees.weka.decision_stump import DecisionStumpClassifier
from retree.trees.weka.one_r import OneRClassifier
from retree.trees.weka.reptree import REPTreeClassifier
from retree.weka_folds import openml_fold, weka_fold

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]
RUNS = 10
EXPERIMENTER = "10 runs of 10 folds, Weka's Experimenter"
# Of data sets of more values the Experimenter's hundred fits are left out.
LARGE = 20_000


class Protocol(NamedTuple):
    """A way to count right rows."""

    splits: Callable[[NDArray[Any]], Iterator[Split]]
    code: str  # What gives the rows in Python, `y` being class codes
    by_fold: bool = False  # Whether it is the mean over the folds, and not all rows together


def _weka(folds: int, runs: int = 1) -> Callable[[NDArray[Any]], Iterator[Split]]:
    """Return the folds of runs 1, 2, … of Weka."""
    return lambda y: (
        weka_fold(y, folds, fold, run, stratified=True)
        for run in range(1, runs + 1)
        for fold in range(folds)
    )


def _openml(y: NDArray[Any]) -> Iterator[Split]:
    return (openml_fold(y, 10, 0, fold, seed=0, stratified=True) for fold in range(10))


def _blocks(y: NDArray[Any]) -> Iterator[Split]:
    """Yield ten blocks of the rows as they lie."""
    rows = np.arange(len(y))
    for test in np.array_split(rows, 10):
        yield np.setdiff1d(rows, test), test


def _training_rows(y: NDArray[Any]) -> Iterator[Split]:
    rows = np.arange(len(y))
    yield rows, rows


def _two_thirds(y: NDArray[Any]) -> Iterator[Split]:
    """Yield what Weka's percentage split makes of 66 %."""
    rows = list(range(len(y)))
    JavaRandom(1).shuffle(rows)
    n_train = round(len(rows) * 66 / 100)
    yield np.array(rows[:n_train]), np.array(rows[n_train:])


def _fold(folds: int, run: str = "1") -> str:
    return f"weka_fold(y, {folds}, fold, seed={run}, stratified=True)"


PROTOCOLS = {
    "10 folds, Weka's Explorer": Protocol(_weka(10), _fold(10)),
    "5 folds, Weka's Explorer": Protocol(_weka(5), _fold(5)),
    "3 folds, Weka's Explorer": Protocol(_weka(3), _fold(3)),
    "10 folds, mean over the folds": Protocol(_weka(10), _fold(10), by_fold=True),
    EXPERIMENTER: Protocol(_weka(10, RUNS), f"{_fold(10, 'run')}, runs 1 to 10", by_fold=True),
    "10 folds, OpenML": Protocol(_openml, "openml_fold(y, 10, 0, fold, seed=0, stratified=True)"),
    "10 blocks of the rows as they lie": Protocol(_blocks, "KFold(10)"),
    "training rows": Protocol(_training_rows, "all rows, twice"),
    "66 % training rows, Weka's Explorer": Protocol(_two_thirds, "rows by JavaRandom(1)"),
}


def _bagging(tree: Any, release: str) -> Any:
    return BaggingTreesClassifier(
        estimator=tree, n_estimators=10, bags=f"weka-{release}", random_state=1
    )


def _boosting(tree: Any) -> Any:
    return AdaBoostM1Classifier(estimator=tree, n_estimators=10)


LEARNERS: dict[str, Callable[[], Any]] = {
    "J48": lambda: C45Classifier(weka="3.9"),
    "J48, Weka 3.6": lambda: C45Classifier(weka="3.6"),
    "J48 unpruned (-U)": lambda: C45Classifier(pruning=None),
    "OneR": lambda: OneRClassifier(),
    "DecisionStump": lambda: DecisionStumpClassifier(),
    "REPTree": lambda: REPTreeClassifier(),
    "Bagging of J48": lambda: _bagging(C45Classifier(), "3.9"),
    "Bagging of J48, Weka 3.6": lambda: _bagging(C45Classifier(weka="3.6"), "3.6"),
    "Bagging of REPTree": lambda: _bagging(REPTreeClassifier(), "3.9"),
    "Bagging of REPTree, Weka 3.6": lambda: _bagging(REPTreeClassifier(), "3.6"),
    "AdaBoostM1 of DecisionStump": lambda: _boosting(DecisionStumpClassifier()),
    "AdaBoostM1 of J48": lambda: _boosting(C45Classifier()),
}


def computed_index(name: str, dataset: Dataset) -> Index:
    """Return the index of one data set of classes.

    A learner that cannot be fitted, and a protocol that needs more rows, have no numbers.
    """
    shape = (1, len(LEARNERS), len(PROTOCOLS))
    accuracy, std = np.full(shape, np.nan), np.full(shape, np.nan)
    problem = make_problem(dataset)
    for j, (called, protocol) in enumerate(PROTOCOLS.items()):
        if called == EXPERIMENTER and dataset.X.size > LARGE:
            continue
        try:
            splits = list(protocol.splits(problem.y))
        except ValueError:
            continue
        for i, learner in enumerate(LEARNERS.values()):
            right = [_right(learner(), problem, *split) for split in splits]
            if any(count is None for count in right):
                continue
            counts = np.array(right, np.float64)
            sizes = np.array([len(test) for _, test in splits])
            if protocol.by_fold:
                shares = counts / sizes
                accuracy[0, i, j], std[0, i, j] = shares.mean(), shares.std(ddof=1)
            else:
                accuracy[0, i, j] = counts.sum() / sizes.sum()
    rows = np.array([len(problem.y)])
    return Index((name,), tuple(LEARNERS), tuple(PROTOCOLS), rows, accuracy, std)


def _right(learner: Any, problem: Any, train: Rows, test: Rows) -> int | None:
    """Return how many test rows are predicted right, None if nothing can be fitted."""
    X = problem.X
    taken = X.iloc if isinstance(X, pd.DataFrame) else X
    try:
        learner.fit(taken[train], problem.labels(train))
    except ValueError:
        return None
    return int((np.asarray(learner.predict(taken[test])) == problem.y[test]).sum())
