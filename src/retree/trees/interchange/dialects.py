"""How dialects of SQL write names, texts, doubles and choices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_BITS = 52
_TIE = 1e-6  # shares that differ by less are equal


def quote_name(name: str) -> str:
    """Return a name of a table or a column between quotation marks."""
    _check_text(name)
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def quote_text(text: str) -> str:
    """Return a text between quotation marks."""
    _check_text(text)
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is no text that UTF-8 can hold.") from None
    if "\0" in text:
        raise ValueError(f"{text!r} has a null character, which SQL cannot hold.")


def exact_number(value: float) -> str:
    """Return a double as a quotient or a product of whole numbers, all of which are doubles.

    SQLite before 3.43 reads some decimals as a double next to the nearest one.
    """
    if not math.isfinite(value):
        return f"{'-' * (value < 0)}9e999"
    mantissa, exponent = math.frexp(value)
    number, exponent = int(mantissa * 2**53), exponent - 53
    while number and number % 2 == 0:
        number, exponent = number // 2, exponent + 1
    if number == 0 or 0 <= exponent < 53 - abs(number).bit_length():
        return f"{number << max(exponent, 0) if number else 0}.0"
    sign, steps = ("/" if exponent < 0 else "*"), [_BITS] * (abs(exponent) // _BITS)
    steps += [abs(exponent) % _BITS] if abs(exponent) % _BITS else []
    return f"({number}.0{''.join(f' {sign} {2**step}.0' for step in steps)})"


def cast_number(value: float) -> str:
    """Return a double as its shortest decimal, read as a double from the start."""
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return f"CAST('{names.get(value, repr(value))}' AS FLOAT8)"


def real_column(column: str) -> str:
    """Return a column as doubles; SQLite stores NaN as NULL."""
    return f"CAST({column} AS REAL)"


def float8_column(column: str) -> str:
    """Return a column as doubles, NULL for NaN."""
    return f"NULLIF(CAST({column} AS FLOAT8), CAST('NaN' AS FLOAT8))"


def select(columns: Sequence[str], source: str) -> str:
    """Return a query of some columns."""
    listed = ",\n".join(f"    {column}" for column in columns)
    return f"  SELECT\n{listed}\n  FROM {source}"


@dataclass(frozen=True)
class Dialect:
    """What dialects differ in."""

    number: Callable[[float], str]  # Writes a double, exactly
    column: Callable[[str], str]  # Makes a numeric column one of doubles, NULL where missing
    greatest: str = "GREATEST"  # Functions of several values
    least: str = "LEAST"
    true: str = "TRUE"
    false: str = "FALSE"

    def label(self, label: Any) -> str:
        """Return a class or a level."""
        if isinstance(label, bool):
            return self.true if label else self.false
        if isinstance(label, str):
            return quote_text(label)
        return self.number(label) if isinstance(label, float) else str(label)

    def table(self, rows: Iterable[tuple[float | None, ...]]) -> str:
        """Return a table of numbers."""
        lines = (", ".join(map(self._cell, row)) for row in rows)
        return "  VALUES\n" + ",\n".join(f"    ({line})" for line in lines)

    def _cell(self, value: float | None) -> str:
        return "NULL" if value is None else self.label(value)

    def majority(self, shares: Sequence[str], labels: Sequence[object]) -> str:
        """Return the label of the greatest share, the first where shares tie."""
        most = f"{self.greatest}({', '.join(shares)})" if len(shares) > 1 else shares[0]
        limit = f"{most} - {self.number(_TIE)}"
        cases = [f"WHEN {p} > {limit} THEN {v}" for p, v in zip(shares, labels, strict=True)]
        return f"CASE {' '.join(cases)} END"


_FLOAT8 = Dialect(cast_number, float8_column)
DIALECTS = {
    "sqlite": Dialect(exact_number, real_column, "MAX", "MIN", "1", "0"),
    "postgres": _FLOAT8,
    "duckdb": _FLOAT8,
}
