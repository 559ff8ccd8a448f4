"""Kinds of tables and figures, a module for each, and an item as its kind shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.item import Item, ItemKind
from retree_lab.reports.comparison import Comparison, comparison_table
from retree_lab.reports.context import Context
from retree_lab.reports.document import Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Rows = TypeVar("Rows")


def refuse_several(item: Item, does: str) -> None:
    """Refuse an item of other than one data set; `does` is what its kind does with it."""
    if len(item.datasets) != 1:
        raise RetreeError(f"{item.name} {does} one data set; say datasets=[NAME] with one name.")


def refuse_nested(item: Item) -> None:
    """Refuse an item that does not ask for what it shows, test accuracies of grid points."""
    if not item.chosen_on_test:
        raise RetreeError(
            f"{item.name} shows points of the grid by their accuracy on the test rows: say "
            "select: [best_test]."
        )


@dataclass(frozen=True, kw_only=True)
class Kind(ItemKind, Generic[Rows]):
    """A kind of item; its fields are the options that an item of the kind has.

    A subclass is a frozen dataclass. It says what the rows of the item are, and of them what
    stands in the csv files and on the page, and what is drawn;
    `retree_lab.reports.paper_pages.write_item` writes the files.
    """

    def compare(self, context: Context) -> Rows:
        """Return the rows that the item shows, from its results; a figure may need none."""
        return None  # type: ignore[return-value]

    def comparisons(self, context: Context, rows: Rows) -> Sequence[Comparison]:
        """Return the numbers that verdicts, claims and counts of agreement are about."""
        return ()

    def tables(self, rows: Rows) -> Mapping[str, pd.DataFrame]:
        """Return the csv files: what is appended to the item's name, and the content."""
        return {}

    def document(self, context: Context, rows: Rows) -> Document | None:
        """Return the content of the item's page, None if it has no page."""
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
    """A kind whose rows are a csv file."""

    def tables(self, rows: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
        """Return the rows."""
        return {"": rows}


class ItemReport(Context):
    """An item as its kind shows it, with the attributes of a `Context`."""

    @property
    def kind(self) -> Kind[Any]:
        """The item's kind, with its options."""
        kind = self.item.kind
        assert isinstance(kind, Kind), "one method on one data set is not rendered"
        return kind

    @cached_property
    def rows(self) -> Any:
        """The rows that the item's kind shows."""
        return self.kind.compare(self)

    @cached_property
    def document(self) -> Document | None:
        """The content of the item's page; None if it has none."""
        return self.kind.document(self, self.rows)

    @cached_property
    def comparisons(self) -> Sequence[Comparison]:
        """The item's numbers beside the published ones; none if it has no such numbers."""
        return self.kind.comparisons(self, self.rows)
