"""How committed and stored results differ from the same computed again.

The one comparison of ``retree verify``, ``retree show``, ``retree diff`` and the golden fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from retree_lab.experiments.storing.cells import Outcome, StoredCell, unpack_predictions

RESULTS = ("accuracy", "depth", "leaves", "nodes")
# Numbers that are computed from sums differ by that much of the greater of 1 and themselves if only
# the last bits of what they are made of do.
ROUNDING = 1e-9
# Tables keep ten digits: a last one that rounds the other way is 1e-9 of the number, and no move.
_SLACK = 1 + 1e-6


class Grade(StrEnum):
    """How far two results of one cell agree."""

    EQUAL = "equal"
    LAST_BITS = "equal in accuracy and sizes, but not in the last bits"
    DIFFERENT = "different"


@dataclass(frozen=True)
class CellDifference:
    """The values of a cell that differ."""

    # How far both agree. They do in all but the last bits if accuracy and sizes are equal, as are
    # stored predictions of classes; other scores and predicted numbers agree to `ROUNDING`.
    grade: Grade
    old: Mapping[str, Any]  # The values that differ, stored and computed, by name
    new: Mapping[str, Any]


def grade_values(old: Any, new: Any) -> Grade:
    """Return how far two values of one name agree.

    `old`, `new`: equal if every bit is; all NaN are one. Floating-point numbers agree but for the
    last bits within `ROUNDING` times the greater of 1 and the old number.
    """
    before, now = np.asarray(old), np.asarray(new)
    numbers = before.shape == now.shape and before.dtype.kind == now.dtype.kind == "f"
    if np.array_equal(before, now, equal_nan=numbers):
        return Grade.EQUAL
    if not numbers:
        return Grade.DIFFERENT
    apart = (before != now) & ~(np.isnan(before) & np.isnan(now))
    before, now = before[apart], now[apart]
    close = np.abs(now - before) <= ROUNDING * _SLACK * np.maximum(1.0, np.abs(before))
    return Grade.LAST_BITS if (close & np.isfinite(before)).all() else Grade.DIFFERENT


def compare_values(old: Mapping[str, Any], new: Mapping[str, Any]) -> CellDifference:
    """Return what differs among the values that stand in both, as `Grade` has it for a cell."""
    grades = {name: _grade(name, old[name], new[name]) for name in old if name in new}
    moved = [name for name, grade in grades.items() if grade != Grade.EQUAL]
    worst = Grade.DIFFERENT if Grade.DIFFERENT in grades.values() else Grade.LAST_BITS
    before, now = ({name: side[name] for name in moved} for side in (old, new))
    for name in moved:
        if isinstance(before[name], np.ndarray):
            before[name], now[name] = "as stored", "others"
    return CellDifference(worst if moved else Grade.EQUAL, before, now)


def compare_cell(
    stored: StoredCell, computed: Outcome, predictions: bytes | None = None
) -> CellDifference:
    """Return how a stored cell differs from the same computed again.

    `stored`: its values as `Store.metrics` gives them. A digest that is not stored is not compared.
    """
    if computed.error is not None:
        error = computed.error.strip().splitlines()[-1]
        return CellDifference(Grade.DIFFERENT, {"accuracy": stored.accuracy}, {"error": error})
    names = RESULTS if stored.digest is None else (*RESULTS, "digest")
    old = {**{name: getattr(stored, name) for name in names}, **stored.scores}
    new = {**{name: getattr(computed, name) for name in names}, **computed.scores}
    if predictions is not None:
        packed = predictions, computed.predictions or b""
        old["predictions"], new["predictions"] = map(unpack_predictions, packed)
    return compare_values(old, new)


def _grade(name: str, old: Any, new: Any) -> Grade:
    grade = grade_values(old, new)
    if grade == Grade.EQUAL:
        return grade
    if name == "digest":  # The other values tell how much of what it covers has moved.
        return Grade.LAST_BITS
    return Grade.DIFFERENT if name in RESULTS else grade
