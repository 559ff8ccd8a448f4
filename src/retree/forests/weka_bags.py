"""The bags of Weka's Bagging, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from retree.java_random import JavaRandom


def weka_bags(
    weight: NDArray[np.float64], seed: int, release: str, *, seeds: bool = False
) -> Iterator[tuple[NDArray[np.int32], int | None]]:
    """Yield the rows of one bag after the other as they are drawn, and the seed of its member.

    Weka draws as many rows as there are, by ``Instances.resampleWithWeights``. Its Bagging of 3.6
    takes all bags from one generator, ``new Random(seed)``, and after each the seed of its member;
    that of 3.9 takes bag i, from 0, from ``new Random(seed + i)``, and the seeds from
    ``new Random(seed)``.

    Shapes: `weight` (n_samples,).
    `seeds`: whether members take a seed; if not, none is drawn.

    References
    ----------
    Weka's ``Bagging`` and ``Instances.resampleWithWeights``, observed in 3.6.14 and 3.9.
    """
    table = _alias_table(weight)
    random = JavaRandom(seed)
    for bag in count():
        drawn = (JavaRandom(seed + bag) if release == "3.9" else random).draw(*table)
        yield drawn, random.integer() if seeds else None


def _alias_table(weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
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
    return np.array(keep) + np.arange(n), np.array(other, np.int32)
