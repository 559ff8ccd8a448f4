"""Predictions of one decision tree or forest, for one row at a time.

A row is a sequence of values in the order of FEATURES, or a mapping with their names. A missing
value is None or NaN; a level that is not in LEVELS is missing, too.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

TIE = 1e-6  # shares that differ by less are equal
MANHATTAN, EUCLIDEAN = 0, 1

# The model, which stands at the end of an exported file.
FEATURES: list[str] = []
LEVELS: list[dict[Any, int] | None] = []  # None for numbers
CLASSES: list[Any] | None = None  # None for a regression
COLUMNS: list[tuple[int, int | None]] = []  # a feature; or 1.0 where it has this level
N_VALUES = 1
WEIGHTS: list[float] = []
TOTAL: float | None = None  # None for a single tree
VOTES = False
TREES: list[list[tuple[Any, ...]]] = []  # (value,) or (test, children, parts if missing)


def _columns(row: Any) -> list[float]:
    """Return what the trees test: numbers, positions of levels, or 1.0 where a row has a level."""
    if hasattr(row, "keys"):
        row = [row[name] for name in FEATURES]
    if len(row) != len(FEATURES):
        raise ValueError(f"A row must have {len(FEATURES)} values, not {len(row)}.")
    codes = []
    for value, levels in zip(row, LEVELS, strict=True):
        if levels is not None:
            codes.append(float(levels.get(value, nan)))
        else:
            codes.append(nan if value is None else float(value))
    return [codes[j] if level is None else float(codes[j] == level) for j, level in COLUMNS]


def _nearest(test: Any, x: list[float]) -> int | None:
    """Return the number of the nearest centre, the first where distances tie."""
    _, metric, gamma, columns, centres = test
    if all(x[j] != x[j] for j, *_ in columns):
        return None
    found, least = 0, float("inf")
    for number, centre in enumerate(centres):
        numeric = categorical = 0.0
        for j, weight, is_categorical, slot, offset, scale in columns:
            if x[j] != x[j]:
                continue
            if is_categorical:
                categorical += weight * (1.0 - centre[slot + int(x[j])])
                continue
            gap = (x[j] - offset) / scale - centre[slot]
            numeric += weight * (abs(gap) if metric == MANHATTAN else gap * gap)
        if metric == EUCLIDEAN:
            numeric = sqrt(numeric)
        distance = gamma * numeric + (1.0 - gamma) * categorical
        if distance < least:
            found, least = number, distance
    return found


def _branch(test: Any, x: list[float]) -> int | None:
    """Return the number of the branch that a row takes; None if the tested value is missing."""
    kind = test[0]
    if kind == "nearest":
        return _nearest(test, x)
    if kind == "oblique":
        value = 0.0
        for j, coefficient in test[1]:
            value += coefficient * x[j]
    else:
        value = x[test[1]]
    if value != value:
        return None
    if kind == "level":
        return int(value)
    if kind == "subset":
        return int(value not in test[2])
    return int(not value <= test[2])


def _leaf_values(tree: Any, number: int, part: float, x: list[float]) -> list[float]:
    """Return the value of the leaf of a row, times the part of the row that gets there."""
    node = tree[number]
    while len(node) > 1:
        branch = _branch(node[0], x)
        if branch is None:
            break
        node = tree[node[1][branch]]
    if len(node) == 1:
        return [part * value for value in node[0]]
    total = [0.0] * N_VALUES
    for child, share in zip(node[1], node[2], strict=True):
        if share is not None:
            below = _leaf_values(tree, child, part * share, x)
            total = [a + b for a, b in zip(total, below, strict=True)]
    return total


def _majority(shares: list[float]) -> int:
    """Return the number of the greatest share, the first where shares tie."""
    limit = max(shares) - TIE
    return next(k for k, share in enumerate(shares) if share > limit)


def _values(row: Any) -> list[float]:
    """Return what the trees say of a row together."""
    x = _columns(row)
    if TOTAL is None:
        return _leaf_values(TREES[0], 0, 1.0, x)
    total = [0.0] * N_VALUES
    for tree, weight in zip(TREES, WEIGHTS, strict=True):
        values = _leaf_values(tree, 0, 1.0, x)
        if VOTES:
            total[_majority(values)] += weight
        else:
            total = [a + weight * b for a, b in zip(total, values, strict=True)]
    return [min(value / TOTAL, 1.0) for value in total]


def predict_proba(row: Any) -> list[float]:
    """Return the class shares of one row, in the order of CLASSES."""
    if CLASSES is None:
        raise ValueError("This is a regression, which has no classes: call predict.")
    return _values(row)


def predict(row: Any) -> Any:
    """Return the class of one row, or what a regression predicts."""
    values = _values(row)
    return values[0] if CLASSES is None else CLASSES[_majority(values)]
