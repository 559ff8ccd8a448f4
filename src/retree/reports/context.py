"""All that an item is rendered from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from retree.experiments.definitions import Experiment, Item, Paper
from retree.experiments.kinds import read_kind
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.kind import Kind
from retree.reports.published import Published
from retree.reports.selection import Choices, best_test


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
        Its results, as from `retree.experiments.results.results_frame`.
    store : Store
        Where trees are kept, and the machines that cells were computed on.
    """

    experiment: Experiment
    plan: Plan
    frame: pd.DataFrame
    store: Store

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
        """The points of greatest test accuracy, by data set and key of a method."""
        return best_test(self.frame)

    @cached_property
    def kind(self) -> Kind[Any]:
        """The item's kind, with its options."""
        return read_kind(self.item.kind, self.item.kind_options, self.item.name)

    @cached_property
    def rows(self) -> Any:
        """What the item's kind shows."""
        return self.kind.compare(self)
