"""Contrasts between groups of an item's methods: the mean of some, less that of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from retree.experiments.definition.item import Item
from retree.reports.selection import choose
from retree.statistics.metrics import find_metric

_PLACE = ["dataset", "repeat", "fold"]


@dataclass(frozen=True)
class Groups:
    """A contrast as an item defines it: its name, and the keys of the methods of both groups."""

    name: str
    of: tuple[str, ...]
    than: tuple[str, ...]


@dataclass(frozen=True)
class Contrast:
    """The values of a contrast."""

    key: str  # What the item calls it: its key, and its label in tables
    name: str
    # Mean value of each group of methods by data set, of the data sets that have all folds of all
    # methods.
    of: pd.Series
    than: pd.Series
    by_place: pd.Series  # The differences by (data set, repeat, fold)
    methods: tuple[str, ...]  # The names of the methods of both groups

    @property
    def differences(self) -> pd.Series:
        """The contrast by data set."""
        return self.of - self.than

    @property
    def by_fold(self) -> pd.Series:
        """Mean of the differences over the data sets, by (repeat, fold)."""
        return self.by_place.groupby(["repeat", "fold"]).mean()


def find_contrasts(
    item: Item, groups: Mapping[str, Groups], frame: pd.DataFrame, metric: str
) -> list[Contrast]:
    """Return the contrasts between `groups` of the item's methods.

    `frame`: results of the item, of one point of the grid or more, of which the best is taken.
    """
    values = _values(item, frame, metric)
    return [
        _contrast(key, contrast, values, item)
        for key, contrast in groups.items()
        if {*contrast.of, *contrast.than} <= set(values.columns)
    ]


def _values(item: Item, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the values by (dataset, repeat, fold) and method."""
    measure = find_metric(metric).of
    choices = choose(frame, item.chosen_on_test)
    found = {pair: measure(choice.folds) for pair, choice in choices.items()}
    columns = {
        method.key: pd.concat({d: found[d, method.key] for d in _done(item, found, method.key)})
        for method in item.methods
        if _done(item, found, method.key)
    }
    return pd.DataFrame(columns).rename_axis(_PLACE) if columns else pd.DataFrame()


def _done(item: Item, found: dict[tuple[str, str], pd.Series], method: str) -> list[str]:
    pairs = ((d, found.get((d, method))) for d in item.datasets)
    return [dataset for dataset, folds in pairs if folds is not None and len(folds)]


def _contrast(key: str, groups: Groups, values: pd.DataFrame, item: Item) -> Contrast:
    names = {method.key: method.name for method in item.methods}
    pair = (groups.of, groups.than)
    of, than = (values[list(keys)].mean(axis=1, skipna=False) for keys in pair)
    is_known = (of - than).notna().groupby("dataset", sort=False).all()
    kept = is_known[is_known].index
    of, than = (side[side.index.isin(kept, level="dataset")] for side in (of, than))
    return Contrast(
        key,
        groups.name,
        of.groupby("dataset", sort=False).mean(),
        than.groupby("dataset", sort=False).mean(),
        of - than,
        tuple(names[key] for key in dict.fromkeys((*groups.of, *groups.than))),
    )
