"""What the index holds: every learner by every protocol on a data set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

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
Counts = NDArray[np.float64]
RUNS = 10
EXPERIMENTER = "10 runs of 10 folds, Weka's Experimenter"
# Of data sets of more values the Experimenter's hundred fits are left out.
LARGE = 20_000


class Protocol(NamedTuple):
    """A way to count right rows."""

    splits: Callable[[NDArray[Any]], Iterator[Split]]
    code: str  # What gives the rows in Python, `y` being class codes
    folds: int  # How many pairs of training and test rows there are
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


_TEN_FOLDS = _weka(10)
PROTOCOLS = {
    "10 folds, Weka's Explorer": Protocol(_TEN_FOLDS, _fold(10), 10),
    "5 folds, Weka's Explorer": Protocol(_weka(5), _fold(5), 5),
    "3 folds, Weka's Explorer": Protocol(_weka(3), _fold(3), 3),
    "10 folds, mean over the folds": Protocol(_TEN_FOLDS, _fold(10), 10, by_fold=True),
    EXPERIMENTER: Protocol(
        _weka(10, RUNS), f"{_fold(10, 'run')}, runs 1 to 10", 10 * RUNS, by_fold=True
    ),
    "10 folds, OpenML": Protocol(
        _openml, "openml_fold(y, 10, 0, fold, seed=0, stratified=True)", 10
    ),
    "10 blocks of the rows as they lie": Protocol(_blocks, "KFold(10)", 10),
    "training rows": Protocol(_training_rows, "all rows, twice", 1),
    "66 % training rows, Weka's Explorer": Protocol(_two_thirds, "rows by JavaRandom(1)", 1),
}


def _j48(**options: Any) -> Callable[[], Any]:
    return lambda: C45Classifier(**options)


def _bagging(
    tree: Any, bags: Literal["weka-3.6", "weka-3.9"] = "weka-3.9", trees: int = 10
) -> Callable[[], Any]:
    return lambda: BaggingTreesClassifier(
        estimator=tree,
        n_estimators=trees,
        bags=bags,
        random_state=1,
    )


def _boosting(tree: Any, trees: int = 10) -> Callable[[], Any]:
    return lambda: AdaBoostM1Classifier(estimator=tree, n_estimators=trees)


# The learners that people use, and each with every switch turned and every number halved, one at a
# time. These variants say on which data sets an option changes anything.
_USUAL: dict[str, Callable[[], Any]] = {
    "J48": _j48(),
    "J48, Weka 3.6": _j48(weka="3.6"),
    "J48 -U": _j48(pruning=None),
    "OneR": OneRClassifier,
    "DecisionStump": DecisionStumpClassifier,
    "REPTree": REPTreeClassifier,
    "Bagging of J48": _bagging(C45Classifier()),
    "Bagging of J48, Weka 3.6": _bagging(C45Classifier(weka="3.6"), "weka-3.6"),
    "Bagging of REPTree": _bagging(REPTreeClassifier()),
    "Bagging of REPTree, Weka 3.6": _bagging(REPTreeClassifier(), "weka-3.6"),
    "AdaBoostM1 of DecisionStump": _boosting(DecisionStumpClassifier()),
    "AdaBoostM1 of J48": _boosting(C45Classifier()),
}
VARIANTS: dict[str, Callable[[], Any]] = {
    "J48 -B": _j48(binary_splits=True),
    "J48 -S": _j48(subtree_raising=False),
    "J48 -O": _j48(collapse=False),
    "J48 -J": _j48(mdl_correction=False),
    "J48 -C 0.125": _j48(confidence=0.125),
    "J48 -M 1": _j48(min_cases=1),
    "OneR -B 3": lambda: OneRClassifier(min_bucket_size=3),
    "REPTree -P": lambda: REPTreeClassifier(prune=False),
    "REPTree -M 1": lambda: REPTreeClassifier(min_cases=1),
    "Bagging of J48 -I 5": _bagging(C45Classifier(), trees=5),
    "Bagging of REPTree -I 5": _bagging(REPTreeClassifier(), trees=5),
    "AdaBoostM1 of DecisionStump -I 5": _boosting(DecisionStumpClassifier(), 5),
    "AdaBoostM1 of J48 -I 5": _boosting(C45Classifier(), 5),
}
LEARNERS = _USUAL | VARIANTS


def computed_index(name: str, dataset: Dataset, key: str = "") -> Index:
    """Return the index of one data set of classes, which is loaded by `key`.

    A learner that cannot be fitted, and a protocol that needs more rows, have no numbers. Neither
    have variants by the Experimenter, which would take most of the time.
    """
    shape = (1, len(LEARNERS), len(PROTOCOLS))
    accuracy, std = np.full(shape, np.nan), np.full(shape, np.nan)
    problem = make_problem(dataset)
    protocols = list(PROTOCOLS.values())
    for i, j, counts, sizes in _counted(problem, dataset.X.size > LARGE):
        accuracy[0, i, j], std[0, i, j] = _shares(protocols[j], counts, sizes)
    folds = np.array([protocol.folds for protocol in PROTOCOLS.values()])
    rows = np.array([len(problem.y)])
    return Index((name,), tuple(LEARNERS), tuple(PROTOCOLS), (key,), folds, rows, accuracy, std)


def recomputed(dataset: Dataset, learner: str, protocol: str) -> tuple[float, float]:
    """Return the accuracy of a learner by a protocol, and its deviation over the folds.

    Both are NaN where it cannot be fitted, and the deviation where rows are counted together.
    """
    problem, counted = make_problem(dataset), PROTOCOLS[protocol]
    splits = list(counted.splits(problem.y))
    return _shares(counted, *_right(LEARNERS[learner], problem, splits))


def _shares(protocol: Protocol, counts: Counts, sizes: Counts) -> tuple[float, float]:
    if not protocol.by_fold:
        return float(counts.sum() / sizes.sum()), math.nan
    shares = counts / sizes
    return float(shares.mean()), float(shares.std(ddof=1))


def _counted(problem: Any, is_large: bool) -> Iterator[tuple[int, int, Counts, Counts]]:
    """Yield by learner and protocol how many rows of each fold are right, and how many there are.

    Protocols of the same folds share the fits.
    """
    by_splits: dict[Any, tuple[Counts, Counts]] = {}
    for j, (called, protocol) in enumerate(PROTOCOLS.items()):
        if called == EXPERIMENTER and is_large:
            continue
        try:
            splits = list(protocol.splits(problem.y))
        except ValueError:
            continue
        for i, (name, learner) in enumerate(LEARNERS.items()):
            if called == EXPERIMENTER and name in VARIANTS:
                continue
            if (key := (name, protocol.splits)) not in by_splits:
                by_splits[key] = _right(learner, problem, splits)
            yield i, j, *by_splits[key]


def _right(
    learner: Callable[[], Any], problem: Any, splits: Sequence[Split]
) -> tuple[Counts, Counts]:
    """Return how many rows of each fold are right, NaN if nothing can be fitted, and all rows."""
    X, labels = problem.X, problem.y
    taken = X.iloc if isinstance(X, pd.DataFrame) else X
    counts = np.full(len(splits), np.nan)
    for fold, (train, test) in enumerate(splits):
        try:
            fitted = learner().fit(taken[train], problem.labels(train))
        except ValueError:
            break
        counts[fold] = (np.asarray(fitted.predict(taken[test])) == labels[test]).sum()
    return counts, np.array([len(test) for _, test in splits], np.float64)
