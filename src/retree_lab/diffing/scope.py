"""Which papers are compared, and what of their committed files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from retree.errors import RetreeError, UnknownNameError, unknown_name
from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.item_config import paper_items
from retree_lab.study.available import available
from retree_lab.study.catalogue import dataset_keys
from retree_lab.study.composing import compose
from retree_lab.study.overrides import parse

OVERRIDES = (
    *("paper", "item", "datasets", "methods", "data.sources", "results", "store", "committed"),
    "execution.",
)
OTHERS = "rows of items, data sets or methods that were not asked for"
OVERALL = "rows over all data sets, of which only some were asked for"
TIMES = "times and ratios of times, which differ in each run (verdicts on ratios are compared)"
UNAVAILABLE = "rows of data sets that are not available here"
AGAIN = "rows of times, which cannot be measured beside other runs"


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
    def lost_names(self) -> frozenset[str]:
        """The data sets that are not available here, by their keys and as items call them."""
        labels = {
            item.label(d) for item in self.whole.values() for d in self.lost if d in item.datasets
        }
        return self.lost | labels

    @property
    def complete(self) -> bool:
        """Return whether the whole paper is compared."""
        return all(self._is_whole(name) for name in self.whole)

    def without(self, lost: Collection[str], anew: bool) -> Scope:
        """Return the same where the data sets `lost` are not available.

        `anew`: whether nothing else is committed of them, so that rows over all data sets differ.
        """
        asked = {
            name: replace(item, datasets=tuple(d for d in item.datasets if d not in lost))
            for name, item in self.asked.items()
        }
        return replace(self, asked=asked if anew else self.asked, lost=frozenset(lost))

    def select(self, stem: str, table: pd.DataFrame, skipped: Counter[str]) -> pd.DataFrame:
        """Return the rows of ``<stem>.csv`` that are compared; count the others in `skipped`."""
        # The item that the file is of, "" if it is of the whole paper.
        candidates = [n for n in self.whole if stem == n or stem.startswith(f"{n}_")]
        name = max(candidates, key=len, default="")
        if self.complete or (name and self._is_whole(name)):
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
        apart = table.assign(item=table["items"].str.split(" ")).explode("item")
        if self.complete:
            return apart
        keep = np.zeros(len(apart), dtype=bool)
        for name, item in self.asked.items():
            keep |= ((apart["item"] == name) & self._kept(item, apart, item.datasets)).to_numpy()
        skipped[OTHERS] += len(table) - apart.loc[keep, "key"].nunique()
        return apart[keep]

    def _is_whole(self, name: str) -> bool:
        """Return whether the item is compared with all its data sets and methods."""
        asked, whole = self.asked.get(name), self.whole[name]
        return asked is not None and _parts(asked) == _parts(whole)

    def _kept(self, item: Item, table: pd.DataFrame, datasets: Iterable[str]) -> pd.Series:
        """Return which rows are of an item; its `datasets` are named as in the table."""
        keep = table["dataset"].isin(set(datasets))
        if item.datasets == self.whole[item.name].datasets:
            keep |= table["dataset"] == MEAN
        if "method" in table:
            keep &= table["method"].isin([*_parts(item)[1], ""])
        return keep


def _parts(item: Item) -> tuple[tuple[str, ...], list[str]]:
    return item.datasets, [method.name for method in item.methods]


def check_names(overrides: Sequence[str]) -> None:
    """Refuse a sweep, and an item of which it is not said in which paper it is."""
    parsed = parse(overrides)
    for name in (override.key_or_group for override in parsed if override.is_sweep_override()):
        raise UnknownNameError(f"retree diff takes a list, not a sweep: say {name}=[NAME,NAME].")
    for override in (o for o in parsed if o.key_or_group == "datasets"):
        value = override.value()
        names = [str(name) for name in (value if isinstance(value, list) else [value])]
        for name, key in dataset_keys(names).items():
            if key not in available("dataset"):
                raise unknown_name("dataset", name, available("dataset"))
    names = [override.key_or_group for override in parsed]
    if "item" in names and "paper" not in names:
        raise UnknownNameError(
            "item=NAME needs paper=NAME: several papers have items of that name."
        )


def find_papers(overrides: Sequence[str]) -> tuple[Path, list[str]]:
    """Return the folder of the committed results, and the papers that have any there."""
    results = Path(compose(overrides)["results"])
    wanted = [text.partition("=")[2] for text in overrides if text.startswith("paper=")]
    wanted = wanted or list(available("paper"))
    papers = [name for name in wanted if (results / name).is_dir()]
    if not papers:
        raise RetreeError(
            f"There is nothing to compare with: {results} has no folder {' or '.join(wanted)}. "
            "Render it with retree report, or name another folder with results=PATH. If a study "
            "was renamed, rename the folder of its results too."
        )
    return results, papers


def select(paper: str, overrides: Sequence[str], anew: bool) -> tuple[Experiment, Scope] | None:
    """Select the items of a paper that are to be compared; None if there are none.

    Without ``item=`` these are all items with one of the wanted data sets and methods.
    """
    rest = [text for text in overrides if not text.startswith(("paper=", "item="))]
    items = [text for text in overrides if text.startswith("item=")] or ["item=all"]
    bare = [text for text in rest if not text.startswith(("datasets=", "methods="))]
    experiment = load_experiment(compose([f"paper={paper}", *items, *bare]))
    whole = {i.name: i for i in paper_items(experiment.paper, experiment.protocol)}
    content = compose(rest)
    names = (content["datasets"] or [], content["methods"] or [])
    datasets, methods = ([some] if isinstance(some, str) else some for some in names)
    asked = dict(_restricted(experiment.items, datasets, methods))
    # Items that depend on no data set, or method, are not asked for by themselves.
    if (datasets and not any(item.datasets for item in asked.values())) or (
        methods and not any(item.methods for item in asked.values())
    ):
        return None
    timed = frozenset(name for name, item in asked.items() if anew and item.protocol.timed)
    asked = {name: item for name, item in asked.items() if name not in timed}
    return (experiment, Scope(asked, whole, timed)) if asked else None


def _restricted(
    items: Sequence[Item], datasets: Sequence[str], methods: Sequence[str]
) -> Iterator[tuple[str, Item]]:
    """Yield the items that have one of the wanted data sets and methods, with these only.

    An item without data sets, or methods, depends on none.
    """
    for item in items:
        sets = tuple(d for d in item.datasets if not datasets or d in datasets)
        kept = tuple(m for m in item.methods if not methods or m.key in methods)
        if (sets or not item.datasets) and (kept or not item.methods):
            yield item.name, replace(item, datasets=sets, methods=kept)
