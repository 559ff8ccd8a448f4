"""The folds of a cross-validation as Weka makes them, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.java_random import JavaRandom

Rows = NDArray[np.intp]


def weka_fold(
    y: NDArray[Any], folds: int, fold: int, seed: int, stratified: bool
) -> tuple[Rows, Rows]:
    """Return the training and the test rows of one fold, in the order in which Weka has them.

    Weka shuffles the rows with ``new Random(seed)``, sorts them by class, deals them to the folds,
    and shuffles the training rows of one fold after the other with the same generator. The Explorer
    and the command line do so with the seed that they are given, 1 by default, the Experimenter
    with the number of the run, from 1.

    Shapes: `y` (n_samples,).
    `y`: class codes, or numbers, which are not stratified.

    References
    ----------
    Weka's ``Evaluation.crossValidateModel`` and ``CrossValidationResultProducer.doRun``.
    """
    n = len(y)
    if n < folds:
        raise ValueError(f"{n} rows cannot be divided into {folds} folds: choose fewer folds.")
    random, rows = JavaRandom(seed), np.arange(n)
    random.shuffle(rows)
    if stratified:
        rows = _dealt(_sorted_by_class(rows, y), folds)
    ends = np.cumsum([0, *(n // folds + (f < n % folds) for f in range(folds))])
    for f in range(fold + 1):
        test = rows[ends[f] : ends[f + 1]]
        train = np.concatenate((rows[: ends[f]], rows[ends[f + 1] :]))
        random.shuffle(train)
    return train, test


def _sorted_by_class(rows: Rows, y: NDArray[Any]) -> Rows:
    """Return `rows` with those of a class together, as swapping leaves them (``stratify``)."""
    rows, codes, start = rows.copy(), y[rows], 1
    while start < len(rows):
        label = codes[start - 1]
        for j in range(start, len(rows)):
            if codes[j] == label:
                for values in (rows, codes):
                    values[start], values[j] = values[j], values[start]
                start += 1
        start += 1
    return rows


def _dealt(rows: Rows, folds: int) -> Rows:
    """Return every `folds`-th row from the first on, then from the second on (``stratStep``)."""
    return np.concatenate([rows[first::folds] for first in range(folds)])
