"""Columns of numbers that stand for categorical ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.base import BaseTree
from retree.trees.contract import changed

ONE_HOT, ORDINAL = "one_hot", "ordinal"


class CodedColumns(BaseTree):
    """A tree that tests numbers in the place of its categorical columns.

    `coding`: a column of 0 and 1 for each level, or the position of the level, or none.
    """

    coding: str | None = None

    declares = changed(tests_levels=False)

    @property
    def _used_coding(self) -> str | None:
        """The coding, None if there are no categorical columns."""
        levels = vars(self).get("categories_", ())
        return None if all(own is None for own in levels) else self.coding

    def _coded(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._used_coding != ONE_HOT:
            return rows
        columns = []
        for column, own in zip(rows.T, self.categories_, strict=True):
            columns += [column] if own is None else [column == c for c in range(len(own))]
        return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)

    def _columns(self) -> list[tuple[int, int | None]]:
        """Return the feature of each coded column, and the level of a one-hot one."""
        if self._used_coding != ONE_HOT:
            return super()._columns()
        return [
            (j, level)
            for j, own in enumerate(self.categories_)
            for level in ([None] if own is None else range(len(own)))
        ]

    def feature_names(self) -> list[str]:
        """Return the names of the coded columns; a one-hot one is called ``column = level``."""
        names, found = super().feature_names(), []
        for j, level in self._columns():
            levels: Any = self.categories_[j] if level is not None else None
            found.append(names[j] if levels is None else f"{names[j]} = {levels[level]}")
        return found
