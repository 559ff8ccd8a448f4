"""Bags as Weka draws them, row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from retree.java_random import JavaRandom


def weka_bags(weight: NDArray[np.float64], seed: int, release: str) -> Iterator[NDArray[np.intp]]:
    """Yield how often each row is drawn for one bag after the other.

    Weka draws as many rows as there are, by ``Instances.resampleWithWeights``. Its Bagging of 3.6
    takes all bags from one generator, ``new Random(seed)``; that of 3.9 takes bag i, from 0, from
    ``new Random(seed + i)``.

    Shapes: `weight` (n_samples,).

    References
    ----------
    Weka's ``Bagging`` and ``Instances.resampleWithWeights``, observed in 3.6.14 and 3.9.
    """
    keep, other = _alias_table(weight)
    random, bag = JavaRandom(seed), 0
    while True:
        if release == "3.9":
            random = JavaRandom(seed + bag)
        yield np.bincount(_draw(random, keep, other), minlength=len(weight))
        bag += 1


def _draw(random: JavaRandom, keep: list[float], other: list[int]) -> list[int]:
    rows = []
    for _ in keep:
        place = len(keep) * random.share()
        row = int(place)
        rows.append(row if place < keep[row] else other[row])
    return rows


def _alias_table(weight: NDArray[np.float64]) -> tuple[list[float], list[int]]:
    """Return Walker's table: below which place a row is kept, and which row is drawn otherwise.

    With rows of equal weight rounding may put all of them below 1, which then all give row 0 in
    their last bit, as in Weka.
    """
    n = len(weight)
    total = 0.0
    for each in weight.tolist():
        total += each
    keep = [n * (each / total) for each in weight.tolist()]
    other = [0] * n
    light = [i for i in range(n) if keep[i] < 1.0]
    queue = light + [i for i in reversed(range(n)) if keep[i] >= 1.0]
    heavy = len(light)
    if 0 < heavy < n:
        for k in range(n - 1):
            i, j = queue[k], queue[heavy]
            other[i] = j
            keep[j] += keep[i] - 1.0
            heavy += keep[j] < 1.0
            if heavy >= n:
                break
    return [part + i for i, part in enumerate(keep)], other
