"""Rows that a function computes, shown by declared columns or drawn (kind ``computed``)."""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import partial
from inspect import signature
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pandas as pd

from retree.errors import RetreeError, unknown_name
from retree_lab.experiments.definition.item import Item, find_named
from retree_lab.reports.context import Context, coverage_notes, introduction
from retree_lab.reports.document import Bullets, Document, Table
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kinds import Kind
from retree_lab.reports.sections import Column, filled, page_table
from retree_lab.study.importing import explained
from retree_lab.yaml_files import read_options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COMPUTED = "There are no folds: everything is computed when this page is made."
# The column of the rows that has the numbers each is made of.
SOURCES = "_sources"
Line = Mapping[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Computed(Kind[pd.DataFrame]):
    """Rows and pictures that functions of a paper or study compute and draw.

    Each function takes the `reports.context.Context`, a drawing one the rows if there are any,
    and as keywords ``metrics`` and whichever of `options` it names; their types are checked.
    Rows are a frame. Its columns whose names begin with ``_`` are for the page alone; ``_sources``
    has the comparisons that a row is made of. Its ``attrs["notes"]`` are further sentences.
    """

    chooses = False

    rows: str = ""  # The function that returns the rows of the csv file; "" for none
    figure: str = ""  # The function that returns the figure; "" for none
    options: Mapping[str, Any] = field(default_factory=dict)  # Arguments for both functions
    metrics: tuple[str, ...] = ()  # The metrics of its numbers, if they come from cells
    # By heading, the text of a column, with columns of the csv in braces. After a colon comes a
    # format or a metric: ``{size:nodes}``, or with a sign ``{gain:+accuracy_pct}``.
    # ``{metric:label}`` is the name of a metric, ``{item:title}`` the title of an item. A column
    # without any number is left out of a table.
    columns: Mapping[str, str] = field(default_factory=dict)
    left: int = 1  # How many columns are aligned left
    tables_by: str = ""  # The column of the csv whose values split the rows into tables
    title: str = ""  # The title of each table, a text like those of columns
    notes: tuple[str, ...] = ()  # Sentences below the table

    def check(self, item: Item) -> None:
        """Refuse no function, and options that no function takes, or of another type."""
        if not self.rows and not self.figure:
            raise RetreeError(f"{item.name} needs rows or figure, a function as file.py:NAME.")
        functions = [find_named(name, item.home) for name in (self.rows, self.figure) if name]
        taken = [field.name for function in functions for field in fields(_record(function))]
        for name in self.options:
            if name not in taken:
                raise unknown_name(f"option of {item.name}", name, taken)
        for function in functions:
            self._options(function, item)

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the rows."""
        if not self.rows:
            return pd.DataFrame()
        rows: pd.DataFrame = self._call(self.rows, context)
        return rows

    def tables(self, rows: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
        """Return the rows; a figure whose function computes its own numbers has no file of them."""
        for_page = [name for name in rows if str(name).startswith("_")]
        return {"": rows.drop(columns=for_page)} if self.rows else {}

    def document(self, context: Context, rows: pd.DataFrame) -> Document | None:
        """Return the tables."""
        if not self.columns:
            return None
        has_cells = bool(context.item.methods and context.item.datasets)
        first = introduction(context) if has_cells else [_COMPUTED, *coverage_notes(context)]
        notes = Bullets([*rows.attrs.get("notes", ()), *self.notes])
        return Document(first, [*self._tables(rows), notes])

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no rows to draw, or no data set is available."""
        datasets = context.item.datasets
        is_lost = len(datasets) > 0 and {*datasets} <= {*context.plan.unavailable}
        if self.figure and (len(rows) if self.rows else not is_lost):
            yield "", self._call(self.figure, context, *([rows] if self.rows else []))

    def _call(self, name: str, context: Context, *frames: pd.DataFrame) -> Any:
        function = find_named(name, context.item.home)
        with explained(sys.modules[function.__module__]):
            return function(context, *frames, **self._options(function, context.item))

    def _options(self, function: Callable[..., Any], item: Item) -> dict[str, Any]:
        """Return the options that a function names, as objects of their types."""
        record = _record(function)
        names = [field.name for field in fields(record)]
        values = {"metrics": self.metrics, **self.options}
        given = {name: values[name] for name in names if name in values}
        chosen = read_options(record, given, item.name)
        return {name: getattr(chosen, name) for name in names}

    def _tables(self, rows: pd.DataFrame) -> Iterator[Table]:
        groups = [rows]
        if self.tables_by:
            groups = [part for _, part in rows.groupby(self.tables_by, sort=False)]
        for part in groups:
            lines = part.to_dict("records")
            title = filled(self.title, lines[0]) if lines else ""
            columns = list(self._columns(lines))
            heads = [column.head for column in columns]
            left = sum(head in heads for head in list(self.columns)[: self.left])
            yield page_table(columns, lines, left=max(left, 1), title=title)

    def _columns(self, lines: Sequence[Line]) -> Iterator[Column]:
        for place, (head, text) in enumerate(self.columns.items()):
            has_sources = place >= self.left and bool(lines) and SOURCES in lines[0]
            sources = itemgetter(SOURCES) if has_sources else None
            column = Column(head, partial(filled, text), sources=sources)
            if not lines or any(filled(text, line) != BLANK for line in lines):
                yield column


def _record(function: Callable[..., Any]) -> type[Any]:
    """Return a record of the keywords of a function."""
    keywords = [p for p in signature(function).parameters.values() if p.kind == p.KEYWORD_ONLY]
    # Other annotations may be imported for type checkers alone.
    namespace = SimpleNamespace(__annotations__={p.name: p.annotation for p in keywords})
    hints = typing.get_type_hints(namespace, function.__globals__, include_extras=True)
    given: list[tuple[str, Any, Any]] = [
        (p.name, hints[p.name], field() if p.default is p.empty else field(default=p.default))
        for p in keywords
    ]
    return make_dataclass(function.__name__, given, kw_only=True)
