"""All that an item is rendered from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from retree_lab.datasets import Dataset, load_dataset
from retree_lab.experiments.definition.definitions import Experiment, Paper
from retree_lab.experiments.definition.item import NESTED, Item
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.results import StoredCells
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.published import Published, PublishedValue, known_wrong
from retree_lab.reports.runs import ReplicateCells, Runs, find_runs, replicate_cells
from retree_lab.reports.selection import Choices, choose, nested
from retree_lab.reports.verdicts import judge_numbers, judged_as_whole, rules_of


@dataclass(frozen=True)
class Context:
    """An item with its results.

    Attributes
    ----------
    experiment : Experiment
        Names the paper, the folder of results and the sources of data.
    plan : Plan
        The item's plan, which knows what is left out, and why.
    frame : DataFrame
        Its results, as from `retree_lab.experiments.storing.results.results_frame`.
    stored : StoredCells
        Their trees, and the runs that computed them.
    loaded : Mapping of str to Dataset
        Data sets that are in memory, by name.
    """

    experiment: Experiment
    plan: Plan
    frame: pd.DataFrame
    stored: StoredCells
    loaded: Mapping[str, Dataset] = field(default_factory=dict)

    @property
    def item(self) -> Item:
        """The item."""
        return self.plan.item

    @property
    def paper(self) -> Paper:
        """The paper that the item is of."""
        return self.experiment.paper

    @cached_property
    def published(self) -> Published:
        """The published numbers."""
        return Published(self.paper)

    @cached_property
    def best(self) -> Choices:
        """The points that numbers are of, by data set and key of a method."""
        return choose(self.frame, self.item.chosen_on_test)

    @cached_property
    def nested(self) -> Choices:
        """The points chosen inside the training folds, where those are beside `best`."""
        beside = NESTED in self.item.select and self.item.chosen_on_test
        return nested(self.frame, self.best) if beside else {}

    @cached_property
    def replicates(self) -> ReplicateCells:
        """The cells that stand for each replicate but the first."""
        return replicate_cells(self.plan, self.stored)

    @cached_property
    def runs(self) -> Runs:
        """The runs of the item, its replicates or its repeats."""
        return find_runs(self.item.protocol, self.best, lambda: self.replicates.best)

    @cached_property
    def nested_runs(self) -> Runs:
        """The runs that choose their parameters inside the training folds."""
        return find_runs(self.item.protocol, self.nested, lambda: self.replicates.nested)

    def dataset(self, name: str) -> Dataset:
        """Return one of the item's data sets."""
        dataset = self.loaded.get(name)
        return load_dataset(name, sources=self.experiment.sources) if dataset is None else dataset

    @property
    def n_datasets(self) -> int:
        """How many data sets the item has in the paper."""
        return len(self.paper.items[self.item.name]["datasets"])

    def find_published(self, dataset: str, method: str, metric: str) -> PublishedValue:
        """Return what is published in a cell of the item."""
        place = self.item.name, dataset, method, metric
        is_wrong = bool(known_wrong(self.paper, *place))
        return self.published.find(*place)._replace(is_wrong=is_wrong)

    def judge(self, numbers: Iterable[Comparison]) -> list[Comparison]:
        """Return numbers of the item judged; pass all of them at once, see `judge_numbers`.

        Those of a part of an item are judged as the whole item judges them.
        """
        judged = judge_numbers(numbers, rules_of(self.item, self.paper))
        return judged_as_whole(judged, self.experiment, self.item)
