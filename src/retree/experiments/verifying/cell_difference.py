"""How a stored cell differs from the same computed again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from retree.experiments.storing.outcome import Outcome, unpack_predictions

RESULTS = ("accuracy", "depth", "leaves", "nodes")
# Numbers that are computed from sums differ by that much of the greater of 1 and themselves if only
# the last bits of what they are made of do.
ROUNDING = 1e-9


class Grade(StrEnum):
    """How far two results of one cell agree."""

    EQUAL = "equal"
    LAST_BITS = "equal in accuracy and sizes, but not in the last bits"
    DIFFERENT = "different"


@dataclass(frozen=True)
class CellDifference:
    """What of a cell differs.

    Attributes
    ----------
    grade : Grade
        How far both agree. They do in all but the last bits if accuracy and sizes are equal, as
        are stored predictions of classes; other scores and predicted numbers agree to `ROUNDING`.
    old, new : dict
        The values that differ, stored and computed, by name.
    """

    grade: Grade
    old: Mapping[str, Any]
    new: Mapping[str, Any]


def compare_cell(
    stored: Mapping[str, Any], computed: Outcome, predictions: bytes | None = None
) -> CellDifference:
    """Return how a stored cell differs from the same computed again.

    Parameters
    ----------
    stored : dict
        Its values as `Store.metrics` gives them. A digest that is not stored is not compared.
    computed : Outcome
        Its scores are compared where they are stored too.
    predictions : bytes, optional
        The stored predictions, packed.
    """
    if computed.error is not None:
        error = computed.error.strip().splitlines()[-1]
        return CellDifference(Grade.DIFFERENT, {"accuracy": stored["accuracy"]}, {"error": error})
    pairs = {name: (stored[name], getattr(computed, name)) for name in RESULTS}
    scores = stored["scores"].items()
    pairs |= {n: (old, computed.scores[n]) for n, old in scores if n in computed.scores}
    moved = {name: pair for name, pair in pairs.items() if not _is_same(*pair)}
    apart = any(name in RESULTS or not _is_close(*pair) for name, pair in moved.items())
    if stored["digest"] not in (None, computed.digest):
        moved["digest"] = stored["digest"], computed.digest
    if predictions is not None:
        before, now = map(unpack_predictions, (predictions, computed.predictions or b""))
        if not _is_equal(before, now):
            moved["predictions"] = "as stored", "others"
            apart |= not _agree(before, now)
    grade = Grade.DIFFERENT if apart else Grade.LAST_BITS if moved else Grade.EQUAL
    old, new = ({name: pair[side] for name, pair in moved.items()} for side in (0, 1))
    return CellDifference(grade, old, new)


def _is_same(old: float | None, new: float | None) -> bool:
    return old == new or (_is_nan(old) and _is_nan(new))


def _is_nan(value: float | None) -> bool:
    return value is not None and math.isnan(value)


def _is_close(old: float, new: float) -> bool:
    return math.isclose(old, new, rel_tol=ROUNDING, abs_tol=ROUNDING)


def _is_equal(before: np.ndarray, now: np.ndarray) -> bool:
    return np.array_equal(before, now, equal_nan=before.dtype.kind == now.dtype.kind == "f")


def _agree(before: np.ndarray, now: np.ndarray) -> bool:
    """Whether predicted numbers agree but for the last bits; classes do only if they are equal."""
    numbers = before.shape == now.shape and before.dtype.kind == now.dtype.kind == "f"
    return numbers and np.allclose(before, now, rtol=ROUNDING, atol=ROUNDING, equal_nan=True)
