"""Sections of pages: frames, or other rows, by columns that say what they show of a row and how.

A column of a frame is a text with names of the frame's columns in braces. Behind a colon is a
format, or a metric: ``{size:nodes}``, signed ``{gain:+accuracy_pct}``, that of the row
``{gap:{metric}}``. ``{metric:label}`` is what a metric is called, ``{item:title}`` what an item is,
and ``{p:p}`` a p-value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, itemgetter
from string import Formatter
from typing import Any, TypeVar

import pandas as pd

from retree.errors import unknown_name
from retree_lab.reports.document import Block, Bullets, Entry, Prose, Table, TableCell, Text
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, capitalized, number, p_text, percent
from retree_lab.statistics.metrics import METRICS, find_metric

# A function of a row, or the name of its attribute ("test.p_value").
Getter = Callable[[Any], Any] | str
Row = TypeVar("Row")
Key = TypeVar("Key", bound=Hashable)


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
        """Return the entry of this column in a row."""
        entry = self.format(get(row, self.value))
        if self.sources is None or isinstance(entry, TableCell):
            return entry
        return TableCell(entry, sources=get(row, self.sources))


def get(row: object, value: Getter) -> Any:
    """Return a value of a row."""
    return (attrgetter(value) if isinstance(value, str) else value)(row)


def section(
    title: str,
    rows: pd.DataFrame | Iterable[Any],
    columns: Mapping[Any, Getter] | None = None,
    notes: Sequence[Prose] = (),
    *,
    text: Prose = "",
    left: int = 1,
    last: Sequence[Sequence[Entry]] = (),
) -> list[Block]:
    """Return a heading, a text, a table and sentences below it; nothing without rows.

    Parameters
    ----------
    title : str
    rows : DataFrame or iterable
        What the table has a line for each of.
    columns : mapping of (TableCell or str) to (callable or str)
        By heading, a function of a row. Of a frame, whose rows are mappings, also a text as above;
        of other rows also the name of an attribute. Without it rows have their entries by heading.
    notes : sequence of Prose
        Sentences below the table.
    text : Prose
        Stands above it.
    left : int
        How many columns are aligned left.
    last : sequence of sequence of (TableCell or str)
        Lines that follow, which are of all others.
    """
    rows = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else list(rows)
    if not rows:
        return []
    if columns is None:
        columns = {head: itemgetter(head) for head in rows[0]}
    elif isinstance(rows[0], dict):
        columns = {h: partial(filled, c) if isinstance(c, str) else c for h, c in columns.items()}
    table_columns = [Column(head, value) for head, value in columns.items()]
    table = page_table(table_columns, rows, last, left=left)
    return [Text(title, text), table, *([Bullets(notes)] if notes else [])]


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


def entries_table(rows: Sequence[Mapping[Any, Entry]], *, left: int = 1, title: str = "") -> Table:
    """Return a table of rows that have their entries by heading."""
    header = list(rows[0]) if rows else []
    return Table(header, [list(row.values()) for row in rows], left, title)


def grid_table(
    rows: Mapping[str, Entry] | Iterable[str],
    columns: Mapping[str, Entry] | Iterable[str],
    cells: Mapping[tuple[str, str], Entry],
    head: Entry = "data set",
    *,
    turned: str = "",
    title: str = "",
) -> Table:
    """Return a table of `cells` by row and column; those that are lacking are empty.

    Parameters
    ----------
    rows, columns : mapping of str to (TableCell or str), or iterable of str
        What starts each row and heads each column by its name in `cells`, by default the name.
    cells : mapping of (str, str) to (TableCell or str)
    head : TableCell or str
        The heading of what starts the rows.
    turned : str
        The same heading if rows and columns change places, "" if they do not.
    title : str
    """
    starts, heads = (
        axis if isinstance(axis, Mapping) else {name: name for name in axis}
        for axis in (rows, columns)
    )
    if turned:
        starts, heads, head = heads, starts, turned
        cells = {(column, row): entry for (row, column), entry in cells.items()}
    lines = [[start, *(cells.get((row, name), "") for name in heads)]
             for row, start in starts.items()]  # fmt: skip
    return Table([head, *heads.values()], lines, title=title)


def csv_table(
    columns: Mapping[str, Getter] | Iterable[str], rows: Iterable[object]
) -> pd.DataFrame:
    """Return a csv file: its columns by name, or the names of attributes that are columns."""
    getters = columns if isinstance(columns, Mapping) else {name: name for name in columns}
    lines = [[get(row, value) for value in getters.values()] for row in rows]
    return pd.DataFrame(lines, columns=list(getters))


class _Text(Formatter):
    """Texts with values in braces, and metrics as formats of them."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec == "label":
            return capitalized(find_metric(value).label)
        if format_spec in ("title", "p"):
            return item_title(value) if format_spec == "title" else p_text(value)
        metric = format_spec.removeprefix("+")
        if metric in METRICS:
            return number(metric, float(value), sign=metric != format_spec)
        if format_spec == ".0%":
            return f"{percent(value)}%"
        text = format(value, format_spec)
        return text if isinstance(value, str) else text.replace("-", "−")


def filled(text: str, row: Mapping[Any, Any]) -> str:
    """Return a text with the values of a row, a blank where one of them is NaN."""
    names = [name for _, name, _, _ in Formatter().parse(text) if name]
    if unknown := [name for name in names if name not in row]:
        raise unknown_name("column of the rows", unknown[0], [str(name) for name in row])
    if any(isinstance(row[name], float) and math.isnan(row[name]) for name in names):
        return BLANK
    return _Text().vformat(text, (), row)


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Return the rows of each key, keys and rows in the order in which they come."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
