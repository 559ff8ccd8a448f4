"""The cell: the unit that is planned, computed and stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retree_lab.experiments.planning.keys import Parts

Place = tuple[int, int, int]
# Of a key, where cells are committed.
KEY_DIGITS = 16


@dataclass(frozen=True)
class Cell:
    """The unit that is computed and stored: one fit, scored on one set of rows."""

    dataset: str  # Name of the data set and key of the method
    method: str
    # The varied parameters only; ``method.params | params`` are all of them.
    params: Mapping[str, Any]
    point: int  # Position of `params` in the grid
    repeat: int  # Place in the split; `inner` is -1 for an outer cell, and -2 for one of all rows
    fold: int
    inner: int
    parts: Parts  # What the key is made of
    key: str  # Hash of all that the result depends on

    @property
    def data(self) -> tuple[str, str]:
        """Name of the data set, and the hash of its content."""
        return self.dataset, self.parts.data


def cells_text(count: int) -> str:
    """Return a number of cells as a reader says it."""
    return "1 cell" if count == 1 else f"{count:,} cells"
