"""The folds of Weka's and OpenML's cross-validation, row by row."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.java_random import JavaRandom

Rows = NDArray[np.intp]


def weka_fold(
    y: NDArray[Any], folds: int, fold: int, seed: int, stratified: bool
) -> tuple[Rows, Rows]:
    """Return the training rows and the test rows of one fold, in Weka's order.

    Weka shuffles the rows with ``new Random(seed)``, sorts them by class, deals them to the folds,
    and shuffles the training rows of each fold with the same generator. In the Explorer and on the
    command line the user sets the seed, 1 by default. In the Experimenter it is the number of the
    run, counted from 1.

    Shapes: `y` (n_samples,).
    `y`: class codes; or numeric targets, which are not stratified.

    References
    ----------
    Weka's ``Evaluation.crossValidateModel`` and ``CrossValidationResultProducer.doRun``.
    """
    rows, random = _dealt_rows(y, folds, 0, seed, stratified)
    for f in range(fold + 1):
        train, test = _cut(rows, folds, f)
        random.shuffle(train)
    return np.array(train, np.intp), np.array(test, np.intp)


def openml_fold(
    y: NDArray[Any], folds: int, repeat: int, fold: int, seed: int, stratified: bool
) -> tuple[Rows, Rows]:
    """Return the training rows and the test rows of one fold of an OpenML task, in its order.

    OpenML shuffles and deals the rows as Weka does, with ``new Random(0)``, but does not shuffle
    the training rows again. The next repeat continues with the same generator and the rows in their
    current order.

    Shapes: `y` (n_samples,).
    `y`: class codes in the order of the file's header; or numeric targets, which are not
    stratified.

    References
    ----------
    ``CrossValidationSplitsGenerator`` of OpenML's evaluation engine.
    """
    train, test = _cut(_dealt_rows(y, folds, repeat, seed, stratified)[0], folds, fold)
    return np.array(train, np.intp), np.array(test, np.intp)


def weka_split(y: NDArray[Any], n_classes: int, seed: int, percent: float) -> tuple[Rows, Rows]:
    """Return the training rows and the test rows of a percentage split of Weka's Experimenter.

    Rows are shuffled with ``new Random(seed)``, where the seed is the number of the run, counted
    from 1. The first rows of each class are training rows. If the percentage gives a fraction of a
    row, a random draw decides whether it becomes one more row, also for classes without rows. Both
    parts are shuffled again.

    Shapes: `y` (n_samples,).
    `y`: class codes in the order of the file's header.
    `n_classes`: number of classes that the header declares.

    References
    ----------
    Weka's ``RandomSplitResultProducer.doRun`` and ``Utils.probRound``.
    """
    random, rows = JavaRandom(seed), list(range(len(y)))
    random.shuffle(rows)
    codes = y.tolist()
    train: list[int] = []
    test: list[int] = []
    for label in range(n_classes + 1):  # The last is that of rows without a class
        same = [row for row in rows if codes[row] == label]
        wanted = len(same) * percent / 100
        size = int(wanted) + (random.share() < wanted - int(wanted))
        train += same[:size]
        test += same[size:]
    random.shuffle(train)
    random.shuffle(test)
    return np.array(train, np.intp), np.array(test, np.intp)


def _dealt_rows(
    y: NDArray[Any], folds: int, repeat: int, seed: int, stratified: bool
) -> tuple[list[int], JavaRandom]:
    """Return the rows, test rows fold by fold, and the generator after it has shuffled them."""
    if len(y) < folds:
        raise ValueError(f"{len(y)} rows cannot be divided into {folds} folds: choose fewer folds.")
    key = _class_codes(y).tobytes() if stratified else None
    rows, random = _dealt(key, len(y), folds, repeat, seed)
    return list(rows), random.copy()


def _class_codes(y: NDArray[Any]) -> NDArray[np.int32]:
    """Return codes that number the classes as they first occur; a missing label is a class."""
    places: dict[Any, int] = {}
    values = (value if value == value else None for value in y.tolist())
    return np.array([places.setdefault(value, len(places)) for value in values], np.int32)


@lru_cache(maxsize=16)
def _dealt(
    codes: bytes | None, n_rows: int, folds: int, repeat: int, seed: int
) -> tuple[tuple[int, ...], JavaRandom]:
    """Return rows and generator; cached, since the folds of a data set are needed one by one."""
    random, rows = JavaRandom(seed), list(range(n_rows))
    classes = None if codes is None else np.frombuffer(codes, np.int32).tolist()
    for _ in range(repeat + 1):
        random.shuffle(rows)
        if classes is not None:
            rows = _sorted_by_class(rows, classes)
            # Every `folds`-th row from the first on, then from the second on (``stratStep``).
            rows = [row for first in range(folds) for row in rows[first::folds]]
    return tuple(rows), random


def _cut(rows: list[int], folds: int, fold: int) -> tuple[list[int], list[int]]:
    size, more = divmod(len(rows), folds)
    start = fold * size + min(fold, more)
    end = start + size + (fold < more)
    return rows[:start] + rows[end:], rows[start:end]


def _sorted_by_class(rows: list[int], classes: list[int]) -> list[int]:
    """Return `rows` sorted by class, in the order that Weka's swapping leaves (``stratify``)."""
    rows, start = rows.copy(), 1
    while start < len(rows):
        label = classes[rows[start - 1]]
        for j in range(start, len(rows)):
            if classes[rows[j]] == label:
                rows[start], rows[j] = rows[j], rows[start]
                start += 1
        start += 1
    return rows
