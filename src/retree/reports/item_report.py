"""An item as its kind shows it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.document import Document
from retree.reports.kind import Kind


class ItemReport(Context):
    """What an item's kind makes of its results; the attributes are those of `Context`."""

    @property
    def kind(self) -> Kind[Any]:
        """The item's kind, with its options."""
        kind = self.item.kind
        assert isinstance(kind, Kind), "one method on one data set is not rendered"
        return kind

    @cached_property
    def rows(self) -> Any:
        """What the item's kind shows."""
        return self.kind.compare(self)

    @cached_property
    def document(self) -> Document | None:
        """What stands on the item's page; None if it has none."""
        return self.kind.document(self, self.rows)

    @cached_property
    def comparisons(self) -> Sequence[Comparison]:
        """The item's numbers beside the published ones; none if it has no such numbers."""
        return self.kind.comparisons(self, self.rows)
