"""What a kind of table or figure is: typed options, rows, a document and drawings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from retree.experiments.definitions import Item
    from retree.reports.context import Context

Rows = TypeVar("Rows")


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[Rows]):
    """A kind of item; its fields are the options that an item of the kind has.

    A subclass is a frozen dataclass. It says what the rows of the item are, and of them what
    stands in the csv files and what is drawn; `retree.reports.writer.write_item` writes the files.
    """

    def check(self, item: Item) -> None:
        """Raise a `retree.errors.RetreeError` if the kind cannot show `item`."""

    def compare(self, context: Context) -> Rows:
        """Return what the item shows, from its results; a figure may need nothing else."""
        return None  # type: ignore[return-value]

    def tables(self, rows: Rows) -> Mapping[str, pd.DataFrame]:
        """Return the csv files: what is appended to the item's name, and the content."""
        return {}

    def draw(self, context: Context, rows: Rows) -> Iterable[tuple[str, Figure]]:
        """Yield the figures, and what is appended to the item's name for each."""
        return ()
