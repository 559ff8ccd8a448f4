"""ARFF files as Weka reads them.

The order of levels is that of the header, and levels that no row has stay. ``?`` is a missing
value, ``'?'`` in quotes a level. Commas and blanks part values, one or several.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from retree.errors import DataError

NUMERIC = ("numeric", "real", "integer")
_TOKEN = re.compile(
    r"""[\x00-\x20,]*(?:(%.*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([{}])|([^\x00-\x20,%'"{}]+))"""
)
_PLAIN = re.compile(r"[^%'\"{}\\]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class _Level(str):
    """A value in quotes, which is never missing."""

    __slots__ = ()


class Column(NamedTuple):
    """A column as the header declares it."""

    name: str
    levels: tuple[str, ...] | None  # In the order of the header; None of a number


def read_arff(content: bytes, name: str) -> pd.DataFrame:
    """Return the table of an ARFF file: numbers, and categories whose levels are the header's.

    `name`: what messages call the file.

    Raises
    ------
    DataError
        If it is no ARFF file, is sparse, or has columns of texts or dates.
    """
    lines = content.decode("utf-8", "replace").splitlines()
    columns: list[Column] = []
    for number, line in enumerate(lines):
        keyword, *rest = [*_tokens(line)] or [""]
        if keyword.lower() == "@attribute":
            columns.append(_column(rest, name, number + 1))
        elif keyword.lower() == "@data":
            return _table(columns, lines, number + 1, name)
    raise DataError(f"{name} is no ARFF file: it has no line @data; save it again.")


def _tokens(line: str) -> Iterator[str]:
    for comment, single, double, brace, word in _TOKEN.findall(line):
        if brace or word:
            yield brace or word
        elif not comment:
            yield _Level(re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), single or double))


def _column(tokens: Sequence[str], name: str, line: int) -> Column:
    label, kind, *levels = [*tokens, "", ""][: max(2, len(tokens))]
    if kind.lower() in NUMERIC:
        return Column(label, None)
    if kind != "{" or "}" not in levels:
        found = f"is of type {kind}" if kind and kind != "{" else "has no type"
        raise DataError(
            f"{name}, line {line}: column {label!r} {found}, and only numbers and levels in braces "
            "are read; leave it out, or declare its levels."
        )
    levels = [str(level) for level in levels[: levels.index("}")]]
    if len(set(levels)) < len(levels):
        raise DataError(f"{name}, line {line}: {label!r} declares a level twice; remove one.")
    return Column(label, tuple(levels))


def _table(columns: Sequence[Column], lines: list[str], start: int, name: str) -> pd.DataFrame:
    names = [column.name for column in columns]
    if twice := [label for label in names if names.count(label) > 1]:
        raise DataError(f"{name} has two columns called {twice[0]!r}: rename one.")
    rows: list[Sequence[str]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[start:], start + 1):
        is_plain = _PLAIN.fullmatch(line)
        values = line.replace(",", " ").split() if is_plain else [*_tokens(line)]
        if not values:
            continue
        is_sparse = line.lstrip().startswith("{")
        if is_sparse or len(values) != len(columns):
            what = "is sparse" if is_sparse else f"has {len(values)} values"
            raise DataError(
                f"{name}, line {number} {what}, and {len(columns)} values are read: correct it."
            )
        rows.append(values)
        numbers.append(number)
    made: dict[str, Any] = {}
    for column, cells in zip(columns, zip(*rows, strict=True) if rows else (), strict=False):
        read = _numbers if column.levels is None else _levels
        made[column.name] = read(column, cells, name, numbers)
    return pd.DataFrame(made, columns=names)


def _numbers(
    column: Column, values: Sequence[str], name: str, lines: Sequence[int]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    found = np.empty(len(values))
    for i, value in enumerate(values):
        try:
            found[i] = math.nan if _is_missing(value) else float(value)
        except ValueError:
            raise DataError(
                f"{name}, line {lines[i]}: {column.name} is to be a number and is {value!r}; "
                "correct it."
            ) from None
    # Adding zero makes -0.0 and 0.0 one value.
    return found + 0.0


def _levels(
    column: Column, values: Sequence[str], name: str, lines: Sequence[int]
) -> pd.Categorical[str]:
    assert column.levels is not None
    places = {level: i for i, level in enumerate(column.levels)}
    codes = []
    for i, value in enumerate(values):
        code = -1 if _is_missing(value) else places.get(value)
        if code is None:
            raise DataError(
                f"{name}, line {lines[i]}: {column.name} has {str(value)!r}, which the header does "
                "not declare; add it there, or correct the line."
            )
        codes.append(code)
    return pd.Categorical.from_codes(codes, categories=pd.Index(column.levels, dtype=str))


def _is_missing(value: str) -> bool:
    return value == "?" and not isinstance(value, _Level)
