"""ARFF files as Weka reads them, and KEEL's files.

The order of levels is that of the header, and levels that no row has stay. ``?`` is a missing
value, ``'?'`` in quotes a level. Commas and blanks part values, one or several. KEEL writes
``<null>`` for a missing value, puts the range behind a type and names the target in ``@outputs``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import DataError, brief
from retree_lab.plain_files import NUMBER, decode, split_lines

ENDINGS = (".arff", ".dat")
NUMERIC = ("numeric", "real", "integer")
# Which attribute of the returned frame names the only output of a KEEL file.
TARGET = "target"
_TOKEN = re.compile(
    r"""[\x00-\x20,]*(?:(%.*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([{}])|([^\x00-\x20,%'"{}]+))"""
)
# Lines that `str.split` splits where Weka does.
_PLAIN = re.compile(r"[^%'\"{}\\\x00-\x08\x0e-\x1b\x80-\U0010ffff]*")
# What numbers and missing values are written with; `float` takes more.
_DIGITS = re.compile(r"[-+.?0-9eE]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_JAVA_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_DATE_PIECE = re.compile(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+")
_DATES = {"yyyy": "%Y", "M": "%m", "d": "%d", "H": "%H", "m": "%M", "s": "%S"}
_DATES |= {2 * letter: code for letter, code in _DATES.items() if len(letter) == 1}


class _Level(str):
    """A value in quotes, which is never missing."""

    __slots__ = ()


class Column(NamedTuple):
    """A column as the header declares it."""

    name: str
    levels: tuple[str, ...] | None = None  # In the order of the header; None without any
    is_text: bool = False
    date: str = ""  # How dates are written, as `strptime` reads them; "" of other columns


def read_arff(content: bytes, name: str) -> pd.DataFrame:
    """Return the table of an ARFF or KEEL file, with categories whose levels are the header's.

    Numbers and dates (milliseconds since 1970, in UTC) are float64. `name`: what messages call the
    file. If KEEL's ``@outputs`` names one column, ``attrs["target"]`` of the table does, too.

    Raises
    ------
    DataError
        If it is not an ARFF file, or a line is not as Weka reads it.
    """
    lines = _decoded_lines(content, name)
    columns: list[Column] = []
    outputs: list[str] = []
    for number, line in enumerate(lines, 1):
        keyword, *rest = [*_tokens(line)] or [""]
        if keyword.lower() == "@attribute":
            columns.append(_column(rest, name, number))
        elif keyword.lower() in ("@output", "@outputs"):
            outputs = list(map(str, rest))
        elif keyword.lower() == "@data":
            table = _table(columns, lines, number, name)
            table.attrs |= {TARGET: outputs[0]} if len(outputs) == 1 else {}
            return table
    raise DataError(f"{name} is not an ARFF file: it has no line @data; save it again.")


def _decoded_lines(content: bytes, name: str) -> list[str]:
    """Return the lines of a file that is in UTF-8, but perhaps for its comments."""
    lines = split_lines(content.decode("utf-8-sig", "surrogateescape"))
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        for number, line in enumerate(lines, 1):
            decode("".join(_tokens(line)).encode("utf-8", "surrogateescape"), name, number)
    return lines


def _tokens(line: str) -> Iterator[str]:
    for comment, single, double, brace, word in _TOKEN.findall(line):
        if brace or word:
            yield brace or word
        elif not comment:
            yield _Level(re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), single or double))


def _is(token: str, text: str) -> bool:
    return token == text and not isinstance(token, _Level)


def _column(tokens: Sequence[str], name: str, line: int) -> Column:
    label, kind, *rest = [*tokens, "", ""][: max(2, len(tokens))]
    label = str(label)
    # A range may follow the type.
    plain = kind.partition("[")[0].lower()
    if plain in (*NUMERIC, "string"):
        return Column(label, is_text=plain == "string")
    if plain == "date" and (date := _date_format(rest[0] if rest else _JAVA_DATE)):
        return Column(label, date=date)
    end = next((i for i, token in enumerate(rest) if _is(token, "}")), None)
    if kind != "{" or end is None:
        what = brief(" ".join(tokens[1:]))
        problem = f"is of type {what}" if kind else "has no type"
        problem = "has levels without a closing brace" if kind == "{" else problem
        raise DataError(
            f"{name}, line {line}: column {brief(label)} {problem}, and only numbers, strings, "
            "dates and levels in braces are read; correct it, or leave the column out."
        )
    levels = [str(level) for level in rest[:end]]
    if len(set(levels)) < len(levels):
        raise DataError(f"{name}, line {line}: {brief(label)} declares a level twice; remove one.")
    return Column(label, tuple(levels))


def _date_format(java: str) -> str:
    """Return how Java writes a date as `strptime` takes it, "" if that has no such letters."""
    pieces = []
    for piece in _DATE_PIECE.finditer(java):
        letters = piece[0] if piece[2] else ""
        if letters and letters not in _DATES:
            return ""
        text = piece[0] if piece[1] is None else piece[1]
        pieces.append(_DATES[letters] if letters else text.replace("%", "%%"))
    return "".join(pieces)


def _table(columns: Sequence[Column], lines: list[str], start: int, name: str) -> pd.DataFrame:
    names = [column.name for column in columns]
    if twice := [label for label, n in Counter(names).items() if n > 1]:
        raise DataError(f"{name} has two columns called {brief(twice[0])}: rename one.")
    # What a row in braces does not name is zero, or the first level.
    zeros = [_Level(c.levels[0]) if c.levels else "" if c.is_text else "0" for c in columns]
    rows: list[Sequence[str]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines[start:], start + 1):
        is_plain = _PLAIN.fullmatch(line)
        values: Sequence[str]
        values = line.replace(",", " ").split() if is_plain else [*_tokens(line)]
        if not values:
            continue
        what = f"has {len(values)} values, and {len(columns)} columns are declared"
        if not is_plain and _is(values[-1], "}"):
            values, what = _in_braces(values, zeros)
        if len(values) != len(columns):
            raise DataError(f"{name}, line {number} {what}: correct it.")
        rows.append(values)
        numbers.append(number)
    cells = zip(*rows, strict=True) if rows else [()] * len(columns)
    made = {c.name: _cells(c, v, name, numbers) for c, v in zip(columns, cells, strict=True)}
    return pd.DataFrame(made, columns=names)


def _in_braces(tokens: Sequence[str], zeros: Sequence[str]) -> tuple[Sequence[str], str]:
    """Return all values of a sparse row, and "" or else what is wrong with the row."""
    is_sparse = _is(tokens[0], "{")
    if len(tokens) > 3 and _is(tokens[-3], "{") and _is(tokens[-4], "}") == is_sparse:
        return (), "has a weight, and weights of rows are not read"
    row, places = list(zeros), {str(i): i for i in range(len(zeros))}
    indices, values = tokens[1:-1:2], tokens[2:-1:2]
    if not is_sparse or len(indices) > len(values) or not places.keys() >= {*indices}:
        return (), "is not a row of indices and values"
    for index, value in zip(indices, values, strict=True):
        row[places[index]] = value
    return row, ""


def _cells(column: Column, values: Sequence[str], name: str, lines: Sequence[int]) -> Any:
    """Return the values of a column as its type says."""
    if column.is_text:
        return pd.array([None if _is(v, "?") else str(v) for v in values], dtype="str")
    if column.levels is not None:
        return _levels(column, column.levels, values, name, lines)
    if not column.date and _Level not in set(map(type, values)):
        with suppress(ValueError):
            return _plain_numbers(values)
    numbers = np.empty(len(values))
    for i, value in enumerate(values):
        if NUMBER.fullmatch(value) and not column.date:
            numbers[i] = float(value)
        elif any(_is(value, missing) for missing in ("?", "<null>", "NaN")):
            numbers[i] = math.nan
        else:
            numbers[i] = _moment(value, column, f"{name}, line {lines[i]}")
    # Adding zero makes -0.0 and 0.0 one value.
    return numbers + 0.0


def _plain_numbers(values: Sequence[str]) -> NDArray[np.float64]:
    """Return values without quotes as numbers, NaN for "?"; raise a ValueError for any other."""
    if not _DIGITS.fullmatch("".join(values)):
        raise ValueError
    return np.array([math.nan if v == "?" else float(v) for v in values], np.float64) + 0.0


def _moment(value: str, column: Column, place: str) -> float:
    """Return a date as milliseconds; refuse all else that is not a number."""
    try:
        assert column.date
        return datetime.strptime(value, column.date).replace(tzinfo=UTC).timestamp() * 1000
    except (AssertionError, ValueError):
        what = "date as the header writes it" if column.date else "number"
        raise DataError(
            f"{place}: {column.name} must be a {what}, not {brief(str(value))}; correct it."
        ) from None


def _levels(
    column: Column, levels: Sequence[str], values: Sequence[str], name: str, lines: Sequence[int]
) -> pd.Categorical[str]:
    places = {level: i for i, level in enumerate(levels)}
    codes = []
    for i, value in enumerate(values):
        code = -1 if _is(value, "?") else places.get(value)
        if code is None and not _is(value, "<null>"):
            raise DataError(
                f"{name}, line {lines[i]}: {column.name} has {brief(str(value))}, which the "
                "header does not declare; add it there, or correct the line."
            )
        codes.append(-1 if code is None else code)
    return pd.Categorical.from_codes(codes, categories=pd.Index(levels, dtype=str))
