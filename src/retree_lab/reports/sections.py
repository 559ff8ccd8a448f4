"""Sections of pages: tables by their columns, each of which says what it shows of a row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

import pandas as pd

from retree_lab.reports.document import Entry, Table, TableCell

# What returns a value of a row, or the name of its attribute ("test.p_value").
Getter = Callable[[Any], Any] | str


def as_entry(value: object) -> Entry:
    """Return a cell as it is, and anything else as text."""
    return value if isinstance(value, TableCell) else str(value)


@dataclass(frozen=True)
class Column:
    """A column of a table on a page.

    Attributes
    ----------
    head : TableCell or str
        Its heading.
    value : callable or str
        What it shows of a row.
    format : callable
        Returns the text, or the cell, of a value.
    sources : callable, str or None
        The numbers that the value is made of.
    """

    head: Entry
    value: Getter
    format: Callable[[Any], Entry] = as_entry
    sources: Getter | None = None

    def entry(self, row: object) -> Entry:
        """Return what stands in a row."""
        entry = self.format(get(row, self.value))
        if self.sources is None or isinstance(entry, TableCell):
            return entry
        return TableCell(entry, sources=get(row, self.sources))


def get(row: object, value: Getter) -> Any:
    """Return a value of a row."""
    return (attrgetter(value) if isinstance(value, str) else value)(row)


def page_table(
    columns: Sequence[Column],
    rows: Iterable[object],
    last: Sequence[Sequence[Entry]] = (),
    *,
    left: int = 1,
    title: str = "",
) -> Table:
    """Return a table of `columns`, a line for each of `rows` and then the lines `last`."""
    lines = [[column.entry(row) for column in columns] for row in rows]
    return Table([column.head for column in columns], [*lines, *last], left, title)


def csv_table(
    columns: Mapping[str, Getter] | Iterable[str], rows: Iterable[object]
) -> pd.DataFrame:
    """Return a csv file: its columns by name, or the names of attributes that are columns."""
    getters = columns if isinstance(columns, Mapping) else {name: name for name in columns}
    lines = [[get(row, value) for value in getters.values()] for row in rows]
    return pd.DataFrame(lines, columns=list(getters))


Row = TypeVar("Row")
Key = TypeVar("Key", bound=Hashable)


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Return the rows of each key, keys and rows in the order in which they come."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
