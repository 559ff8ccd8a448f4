"""What a kind of table or figure is: typed options, rows, a document and drawings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import pandas as pd

from retree.reports.comparison import Comparison, comparison_table
from retree.reports.document import Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from retree.experiments.definitions import Item
    from retree.reports.context import Context

Rows = TypeVar("Rows")


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[Rows]):
    """A kind of item; its fields are the options that an item of the kind has.

    A subclass is a frozen dataclass. It says what the rows of the item are, and of them what
    stands in the csv files, on the page and in LaTeX, and what is drawn;
    `retree.reports.writer.write_item` writes the files.
    """

    # Whether its numbers are of one point of a method's grid, so that a point has to be chosen.
    chooses: ClassVar[bool] = True

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics of its numbers, the main one first."""
        return tuple(getattr(self, "metrics", ()))

    def method_keys(self) -> Iterable[str]:
        """Return the keys of methods that the options name; the item must have these."""
        return ()

    def check(self, item: Item) -> None:
        """Raise a `retree.errors.RetreeError` if the kind cannot show `item`."""

    def compare(self, context: Context) -> Rows:
        """Return what the item shows, from its results; a figure may need nothing else."""
        return None  # type: ignore[return-value]

    def comparisons(self, context: Context, rows: Rows) -> Sequence[Comparison]:
        """Return the numbers that verdicts, claims and counts of agreement are about."""
        return ()

    def tables(self, rows: Rows) -> Mapping[str, pd.DataFrame]:
        """Return the csv files: what is appended to the item's name, and the content."""
        return {}

    def document(self, context: Context, rows: Rows) -> Document | None:
        """Return what stands on the item's page and in its LaTeX file; None: it has neither."""
        return None

    def draw(self, context: Context, rows: Rows) -> Iterable[tuple[str, Figure]]:
        """Yield the figures, and what is appended to the item's name for each."""
        return ()


class NumericKind(Kind[Sequence[Comparison]]):
    """A kind whose rows are numbers beside the published ones."""

    def comparisons(self, context: Context, rows: Sequence[Comparison]) -> Sequence[Comparison]:
        """Return the rows."""
        return rows

    def tables(self, rows: Sequence[Comparison]) -> Mapping[str, pd.DataFrame]:
        """Return the rows as a csv file; without any there is none."""
        return {"": comparison_table(rows)} if rows else {}


class FrameKind(Kind[pd.DataFrame]):
    """A kind whose rows are those of a csv file."""

    def tables(self, rows: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
        """Return the rows."""
        return {"": rows}
