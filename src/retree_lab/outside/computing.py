"""Every learner of the index by every protocol on a data set, and one computed anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from retree.forests import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    WekaRandomForestClassifier,
)
from retree.forests.grown import GrownForest
from retree.java_random import JavaRandom
from retree.trees.c45.c45_trees import C45Classifier
from retree.trees.weka.decision_stump import DecisionStumpClassifier
from retree.trees.weka.one_r import OneRClassifier
from retree.trees.weka.seeded_trees import REPTreeClassifier, WekaRandomTreeClassifier
from retree.weka_folds import openml_fold, weka_fold, weka_split
from retree_lab.datasets import Dataset, load_dataset
from retree_lab.experiments.running.batches import make_problem
from retree_lab.experiments.running.compute import Problem
from retree_lab.outside.index import Index
from retree_lab.outside.likelihood import is_written
from retree_lab.outside.matching import Explanation, full_share
from retree_lab.outside.reading import Number

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]
Counts = NDArray[np.float64]
# Accuracies and deviations by learner and protocol; what is to be computed is infinite.
Numbers = NDArray[np.float64]
Splits = Callable[[Problem], Iterator[Split]]
RUNS = 10
# Of data sets of more than LARGE values the Experimenter's hundred fits are left out, and random
# trees and forests; of more than MEDIUM the hundred fits of these, and the rarer protocols.
LARGE, MEDIUM = 20_000, 6_000


class Protocol(NamedTuple):
    """A way to count right rows."""

    splits: Splits
    code: str  # What gives the rows in Python, `y` being class codes
    folds: int  # How many pairs of training and test rows there are
    by_fold: bool = False  # Whether it is the mean over the folds, and not all rows together
    most: float = math.inf  # Of data sets of more values it is left out
    of_variants: bool = True  # Whether it is computed for the variants, too


def _weka(folds: int, runs: int = 1) -> Splits:
    """Return the folds of runs 1, 2, … of Weka."""
    return lambda problem: (
        weka_fold(problem.y, folds, fold, run, stratified=True)
        for run in range(1, runs + 1)
        for fold in range(folds)
    )


def _experimenter(splits: Splits, code: str, folds: int = 1, most: int = MEDIUM) -> Protocol:
    """Return the mean over the folds, or splits, of all runs."""
    code = f"{code}, runs 1 to {RUNS}"
    return Protocol(splits, code, folds * RUNS, by_fold=True, most=most, of_variants=False)


def _rows(problem: Problem) -> Rows:
    return np.arange(len(problem.y))


def _openml(problem: Problem) -> Iterator[Split]:
    return (openml_fold(problem.y, 10, 0, fold, seed=0, stratified=True) for fold in range(10))


def _blocks(problem: Problem) -> Iterator[Split]:
    """Return ten blocks of the rows as they lie."""
    rows = _rows(problem)
    return ((np.setdiff1d(rows, test), test) for test in np.array_split(rows, 10))


def _splits(problem: Problem) -> Iterator[Split]:
    n_classes = problem.n_classes or len(np.unique(problem.y))
    return (weka_split(problem.y, n_classes, run, 66) for run in range(1, RUNS + 1))


def _two_thirds(problem: Problem) -> Iterator[Split]:
    """Yield what Weka's percentage split makes of 66 %."""
    rows = _rows(problem).tolist()
    JavaRandom(1).shuffle(rows)
    n_train = (2 * 66 * len(rows) + 100) // 200  # As Math.round does, halves up
    yield np.array(rows[:n_train]), np.array(rows[n_train:])


def _fold(folds: int, run: str = "1") -> str:
    return f"weka_fold(y, {folds}, fold, seed={run}, stratified=True)"


_TEN_FOLDS, _FIVE_FOLDS = _weka(10), _weka(5)
PROTOCOLS = {
    "10 folds, Weka's Explorer": Protocol(_TEN_FOLDS, _fold(10), 10),
    "5 folds, Weka's Explorer": Protocol(_FIVE_FOLDS, _fold(5), 5),
    "3 folds, Weka's Explorer": Protocol(_weka(3), _fold(3), 3),
    "10 folds, mean over the folds": Protocol(_TEN_FOLDS, _fold(10), 10, by_fold=True),
    "5 folds, mean over the folds": Protocol(_FIVE_FOLDS, _fold(5), 5, by_fold=True, most=MEDIUM),
    "10 runs of 10 folds, Weka's Experimenter": _experimenter(
        _weka(10, RUNS), _fold(10, "run"), 10, LARGE
    ),
    "10 runs of 5 folds, Weka's Experimenter": _experimenter(_weka(5, RUNS), _fold(5, "run"), 5),
    "10 splits of 66 %, Weka's Experimenter": _experimenter(
        _splits, "weka_split(y, n_classes, run, 66)"
    ),
    "10 folds, OpenML": Protocol(
        _openml, "openml_fold(y, 10, 0, fold, seed=0, stratified=True)", 10
    ),
    "10 blocks of the rows as they lie": Protocol(_blocks, "KFold(10)", 10),
    "training rows": Protocol(lambda problem: iter([(_rows(problem),) * 2]), "all rows, twice", 1),
    "66 % training rows, Weka's Explorer": Protocol(
        _two_thirds, "Math.round(0.66 n) rows by JavaRandom(1)", 1
    ),
}


def _bagging(
    tree: Any, bags: Literal["weka-3.6", "weka-3.9"] = "weka-3.9", trees: int = 10
) -> BaggingTreesClassifier:
    return BaggingTreesClassifier(estimator=tree, n_estimators=trees, bags=bags, random_state=1)


def _boosting(tree: Any, trees: int = 10) -> AdaBoostM1Classifier:
    return AdaBoostM1Classifier(estimator=tree, n_estimators=trees)


# The learners that people use, and each with every switch turned and every number halved, one at a
# time. These variants say on which data sets an option changes anything.
_USUAL: dict[str, Any] = {
    "J48": C45Classifier(),
    "J48, Weka 3.6": C45Classifier(weka="3.6"),
    "J48 -U": C45Classifier(pruning=None),
    "OneR": OneRClassifier(),
    "DecisionStump": DecisionStumpClassifier(),
    "REPTree": REPTreeClassifier(),
    "Bagging of J48": _bagging(C45Classifier()),
    "Bagging of J48, Weka 3.6": _bagging(C45Classifier(weka="3.6"), "weka-3.6"),
    "Bagging of REPTree": _bagging(REPTreeClassifier()),
    "Bagging of REPTree, Weka 3.6": _bagging(REPTreeClassifier(), "weka-3.6"),
    "AdaBoostM1 of DecisionStump": _boosting(DecisionStumpClassifier()),
    "AdaBoostM1 of J48": _boosting(C45Classifier()),
    "RandomTree": WekaRandomTreeClassifier(),
    "RandomTree, Weka 3.6": WekaRandomTreeClassifier(weka="3.6"),
    "RandomForest": WekaRandomForestClassifier(),
    "RandomForest, 10 trees": WekaRandomForestClassifier(n_estimators=10),
    "RandomForest, Weka 3.6": WekaRandomForestClassifier(n_estimators=10, weka="3.6"),
}
VARIANTS: dict[str, Any] = {
    "J48 -B": C45Classifier(binary_splits=True),
    "J48 -S": C45Classifier(subtree_raising=False),
    "J48 -O": C45Classifier(collapse=False),
    "J48 -J": C45Classifier(mdl_correction=False),
    "J48 -C 0.125": C45Classifier(confidence=0.125),
    "J48 -M 1": C45Classifier(min_cases=1),
    "OneR -B 3": OneRClassifier(min_bucket_size=3),
    "REPTree -P": REPTreeClassifier(prune=False),
    "REPTree -M 1": REPTreeClassifier(min_cases=1),
    "Bagging of J48 -I 5": _bagging(C45Classifier(), trees=5),
    "Bagging of REPTree -I 5": _bagging(REPTreeClassifier(), trees=5),
    "AdaBoostM1 of DecisionStump -I 5": _boosting(DecisionStumpClassifier(), 5),
    "AdaBoostM1 of J48 -I 5": _boosting(C45Classifier(), 5),
    "RandomForest -I 50": WekaRandomForestClassifier(n_estimators=50),
}
LEARNERS = _USUAL | VARIANTS


def computed_index(
    name: str, dataset: Dataset, key: str = "", known: Numbers | None = None
) -> Index:
    """Return the index of one data set of classes, which is loaded by `key`.

    A learner that cannot be fitted, and a protocol that needs more rows, have no numbers. Neither
    have variants by the Experimenter, and what takes most of the time on large data sets.

    `known`: numbers that are not computed anew.
    """
    numbers = np.full((2, len(LEARNERS), len(PROTOCOLS)), np.inf) if known is None else known.copy()
    problem, size = make_problem(dataset), dataset.X.size
    by_splits: dict[Any, Counts] = {}  # Protocols of the same folds share the fits
    for j, protocol in enumerate(PROTOCOLS.values()):
        asked = {
            n: i
            for i, n in enumerate(LEARNERS)
            if np.isinf(numbers[0, i, j])
            and (protocol.of_variants or n in _USUAL)
            and (not n.startswith("Random") or size <= (MEDIUM if protocol.folds > 10 else LARGE))
        }
        if size > protocol.most or not asked:
            continue
        try:
            splits = list(protocol.splits(problem))
        except ValueError:
            continue
        missing = [n for n in asked if (n, protocol.splits) not in by_splits]
        counts = _right([clone(LEARNERS[n]) for n in missing], problem, splits)
        by_splits |= {(n, protocol.splits): each for n, each in zip(missing, counts, strict=True)}
        for n, i in asked.items():
            numbers[:, i, j] = _shares(protocol, by_splits[n, protocol.splits], splits)
    numbers[np.isinf(numbers)] = np.nan
    folds = np.array([protocol.folds for protocol in PROTOCOLS.values()])
    rows = np.array([len(problem.y)])
    return Index((name,), tuple(LEARNERS), tuple(PROTOCOLS), (key,), folds, rows, *numbers[:, None])


def recompute(
    explanation: Explanation,
    numbers: Mapping[str, Number],
    index: Index,
    own: Mapping[str, Dataset],
) -> Iterator[tuple[str, Number, float, float, bool]]:
    """Fit an explanation on the data sets of a column.

    Yields the name of each, its number, what the explanation gives, as a share or per cent as the
    column has it, the deviation over the folds (NaN where there is none), and whether the number is
    equal.

    `own`: data sets of the user's by name; those of the index are loaded.
    """
    full = full_share("The column", np.array([number.value for number in numbers.values()]))
    unit = min(number.unit for number in numbers.values())
    writing, protocol = explanation.writing, PROTOCOLS[explanation.protocol]
    for name, number in numbers.items():
        key = index.keys[place := index.place(name)]
        problem = make_problem(load_dataset(key) if key else own[index.datasets[place]])
        splits = list(protocol.splits(problem))
        (counts,) = _right([clone(LEARNERS[explanation.learner])], problem, splits)
        accuracy, std = _shares(protocol, counts, splits)
        value = full * (1 - accuracy if writing.error else accuracy)
        same = is_written(np.array([value]), np.array([number.value]), unit, writing.digits)
        yield name, number, value, full * std, bool(same[0])


def _shares(protocol: Protocol, counts: Counts, splits: Sequence[Split]) -> tuple[float, float]:
    sizes = np.array([len(test) for _, test in splits], np.float64)
    if not protocol.by_fold:
        return float(counts.sum() / sizes.sum()), math.nan
    shares = counts / sizes
    return float(shares.mean()), float(shares.std(ddof=1))


def _right(learners: Sequence[Any], problem: Problem, splits: Sequence[Split]) -> list[Counts]:
    """Return by learner how many rows of each fold are right, NaN if it cannot be fitted.

    Forests that differ in their number of trees are grown once.
    """
    X, labels = problem.X, problem.y
    taken = X.iloc if isinstance(X, pd.DataFrame) else X
    groups: dict[Any, list[int]] = {}
    for i, learner in enumerate(learners):
        if "class_names" in learner.get_params():
            learner.set_params(class_names=problem.class_names)
        growth = learner._growth() if isinstance(learner, GrownForest) else i
        groups.setdefault((type(learner), growth), []).append(i)
    counts = np.full((len(learners), len(splits)), np.nan)
    for group in groups.values():
        sizes = [{"n_estimators": learners[i].n_estimators} for i in group[1:] and group]
        for fold, (train, test) in enumerate(splits):
            try:
                given = taken[train], problem.labels(train)
                first = learners[group[0]]
                fitted = first.fit_grid(*given, sizes) if sizes else [first.fit(*given)]
            except ValueError:
                break
            for i, each in zip(group, fitted, strict=True):
                counts[i, fold] = (np.asarray(each.predict(taken[test])) == labels[test]).sum()
    return list(counts)
