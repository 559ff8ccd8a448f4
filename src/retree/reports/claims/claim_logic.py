"""What a table of numbers, some of which may be blank, says on a claim about its columns."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Numbers that are published as equal must not differ by the last bit of a mean.
DECIMALS = 9


def compare_groups(
    values: pd.DataFrame,
    of: Sequence[str],
    than: Sequence[str] | float,
    relation: str,
    *,
    every: bool = False,
    factor: float = 1.0,
) -> pd.DataFrame:
    """Return row by row whether some of the columns `of` stand in `relation` to all of `than`.

    Shapes: `values` (n_rows, n_columns).
    Returns ``holds``: True, False, or None where that hangs on a missing number. ``left`` and
    ``right``: the known numbers that decide, NaN if there is none, and ``left_of`` and
    ``right_of``: their columns, "" for a number.
    """
    small, compare = relation.startswith("<"), OPERATORS[relation]
    rows = []
    for _, row in values.iterrows():
        ours = {name: float(row[name]) for name in of}
        theirs = {"": than} if isinstance(than, int | float) else {m: row[m] for m in than}
        answers = [
            _all(_compared(compare, a, factor * float(b)) for b in theirs.values())
            for a in ours.values()
        ]
        left_of, left = _extreme(ours, least=small != every)
        right_of, right = _extreme(theirs, least=small)
        holds = _all(answers) if every else _any(answers)
        rows.append((left, left_of, right, right_of, holds))
    # As objects, so that True, False and None stay what they are.
    columns = ["left", "left_of", "right", "right_of", "holds"]
    return pd.DataFrame(rows, values.index, columns, dtype=object)


def counted(
    holds: Iterable[bool | None], at_least: int | None = None, at_most: int | None = None
) -> bool | None:
    """Return whether the number of True is in the bounds, None if that hangs on what is unknown."""
    answers = list(holds)
    least = sum(answer is True for answer in answers)
    most = least + sum(answer is None for answer in answers)
    low, high = at_least or 0, len(answers) if at_most is None else at_most
    if most < low or least > high:
        return False
    return True if least >= low and most <= high else None


def averages(values: pd.DataFrame, geometric: bool = False) -> pd.DataFrame:
    """Return the mean of each column as one row; NaN if a number is missing."""
    if geometric:
        return averages(values.map(np.log)).map(np.exp)
    return values.mean(axis=0, skipna=False).to_frame().T


def _compared(compare: Callable[[float, float], bool], a: float, b: float) -> bool | None:
    if math.isnan(a) or math.isnan(b):
        return None
    return compare(round(a, DECIMALS), round(b, DECIMALS))


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Return whether all are True, None if that is not known."""
    known = list(answers)
    return False if False in known else None if None in known else True


def _any(answers: Iterable[bool | None]) -> bool | None:
    known = list(answers)
    return True if True in known else None if None in known else False


def _extreme(numbers: Mapping[str, float], least: bool) -> tuple[str, float]:
    """Return name and value of the least or greatest known number, the first of equal ones."""
    known = {name: float(value) for name, value in numbers.items() if not math.isnan(value)}
    if not known:
        return "", math.nan
    name = (min if least else max)(known, key=known.__getitem__)
    return name, known[name]
