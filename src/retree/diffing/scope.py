"""What of a paper's committed files is compared, where only a part is present."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from retree.experiments.definition.claims import MEAN
from retree.experiments.definition.item import Item

OTHERS = "rows of items, data sets or methods that were not asked for"
OVERALL = "rows over all data sets, of which only some were asked for"
TIMES = "times and ratios of times (they are those of a run; the verdicts on ratios are compared)"
UNAVAILABLE = "rows of data sets that are not available here (retree data fetch gets them)"
AGAIN = "rows of times, which a run beside others does not measure"


@dataclass(frozen=True)
class Scope:
    """The part of a paper that is compared."""

    # The items that are compared, restricted to the wanted data sets and methods.
    asked: Mapping[str, Item]
    whole: Mapping[str, Item]  # All items of the paper as configured
    # Items that are left out because their cells are timed.
    timed: frozenset[str] = field(default_factory=frozenset)
    # Data sets that are not available here: what is committed of them stands as it is.
    lost: frozenset[str] = field(default_factory=frozenset)

    @property
    def complete(self) -> bool:
        """Whether the whole paper is compared."""
        return all(self.is_whole(name) for name in self.whole)

    def without(self, lost: Collection[str], anew: bool) -> Scope:
        """Return the same where the data sets `lost` are not available.

        `anew`: whether nothing else is committed of them, so that rows over all data sets differ.
        """
        asked = {
            name: replace(item, datasets=tuple(d for d in item.datasets if d not in lost))
            for name, item in self.asked.items()
        }
        return replace(self, asked=asked if anew else self.asked, lost=frozenset(lost))

    def is_whole(self, name: str) -> bool:
        """Whether the item is compared with all its data sets and methods."""
        asked = self.asked.get(name)
        return asked is not None and _names(asked) == _names(self.whole[name])

    def item_of(self, stem: str) -> str:
        """Return the item that the file ``<stem>.csv`` is of, "" if it is of the whole paper."""
        found = [n for n in self.whole if stem == n or stem.startswith(f"{n}_")]
        return max(found, key=len, default="")

    def select(self, stem: str, table: pd.DataFrame, skipped: Counter[str]) -> pd.DataFrame:
        """Return the rows of ``<stem>.csv`` that are compared; count the others in `skipped`."""
        name = self.item_of(stem)
        if self.lost and "dataset" in table:
            labels = self.whole[name].datasets_by_label if name else {}
            table = self._available(table, table["dataset"].replace(dict(labels)), skipped)
        if self.complete or (name and self.is_whole(name)):
            return table
        if name in self.asked and "dataset" in table:
            item = self.asked[name]
            keep = self._kept(item, table, item.datasets_by_label)
            left = table.loc[~keep, "dataset"]
            skipped.update(OVERALL if name == MEAN else OTHERS for name in left)
            return table[keep]
        overall = not name or name in self.asked
        skipped[AGAIN if name in self.timed else OVERALL if overall else OTHERS] += len(table)
        return table.iloc[:0]

    def select_cells(self, table: pd.DataFrame, skipped: Counter[str]) -> pd.DataFrame:
        """Return the rows of ``cells.csv.gz``, once for each item that is compared."""
        if not len(table):
            return table
        table = self._available(table, table["dataset"], skipped)
        apart = table.assign(item=table["items"].str.split(" ")).explode("item")
        if self.complete:
            return apart
        keep = np.zeros(len(apart), dtype=bool)
        for name, item in self.asked.items():
            keep |= ((apart["item"] == name) & self._kept(item, apart, item.datasets)).to_numpy()
        skipped[OTHERS] += len(table) - apart.loc[keep, "key"].nunique()
        return apart[keep]

    def _available(
        self, table: pd.DataFrame, datasets: pd.Series, skipped: Counter[str]
    ) -> pd.DataFrame:
        """Return the rows of `table` whose `datasets` are available."""
        if (away := datasets.isin(self.lost)).any():
            skipped[UNAVAILABLE] += int(away.sum())
        return table[~away]

    def _kept(self, item: Item, table: pd.DataFrame, datasets: Iterable[str]) -> pd.Series:
        """Return which rows are of an item; its `datasets` are named as in the table."""
        methods = {method.name for method in item.methods}
        keep = table["dataset"].isin(set(datasets))
        if item.datasets == self.whole[item.name].datasets:
            keep |= table["dataset"] == MEAN
        if "method" in table:
            keep &= table["method"].isin(methods) | (table["method"] == "")
        return keep


def _names(item: Item) -> tuple[tuple[str, ...], list[str]]:
    return item.datasets, [method.name for method in item.methods]
