"""Fitting anew what was found for a column: number beside number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retree_lab.datasets import Dataset, load_dataset
from retree_lab.outside.computing import recomputed
from retree_lab.outside.index import Index
from retree_lab.outside.likelihood import is_written
from retree_lab.outside.matching import Explanation, full_share
from retree_lab.outside.reading import Number


@dataclass(frozen=True)
class Beside:
    """A number of a table beside what its explanation gives now."""

    dataset: str
    number: Number
    value: float  # As a share or per cent, as the table has it
    std: float  # Over the folds, NaN where there is none
    equal: bool


def recompute(
    explanation: Explanation,
    numbers: Mapping[str, Number],
    index: Index,
    own: Mapping[str, Dataset],
) -> list[Beside]:
    """Fit an explanation on the data sets of a column.

    `own`: data sets of the user's by name; those of the index are loaded.
    """
    full = full_share("The column", np.array([number.value for number in numbers.values()]))
    unit = min(number.unit for number in numbers.values())
    writing, beside = explanation.writing, []
    for name, number in numbers.items():
        key = index.keys[place := index.place(name)]
        dataset = load_dataset(key) if key else own[index.datasets[place]]
        accuracy, std = recomputed(dataset, explanation.learner, explanation.protocol)
        value = full * (1 - accuracy if writing.error else accuracy)
        same = is_written(np.array([value]), np.array([number.value]), unit, writing.digits)
        beside.append(Beside(name, number, value, full * std, bool(same[0])))
    return beside
