"""The workspace of a command: an experiment with its plans, its data and its open store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.planned import Planned, choose_machines
from retree_lab.experiments.storing.results import read_cells, results_frame
from retree_lab.experiments.storing.status import Speed
from retree_lab.experiments.storing.store import Store, open_store
from retree_lab.reports.kinds import ItemReport


@dataclass(frozen=True)
class Workspace:
    """An experiment with its plans, its data and its open store."""

    planned: Planned  # The experiment, its data sets and a plan for each item
    store: Store  # Where cells are, those that are committed included

    @property
    def plans(self) -> Sequence[Plan]:
        """The plans of the items, with times as on this machine."""
        return self.planned.plans

    def speed(self) -> Speed:
        """Return how long cells take, by the stored and committed ones."""
        return Speed(self.store, self.planned.datasets, self.planned)

    def item_reports(self) -> list[ItemReport]:
        """Return the items with their results, which do not change with the store any more.

        Times are those of the machine of which most cells are stored.
        """
        plans = choose_machines(self.planned, self.store)
        stored = read_cells(plans, self.store)
        experiment, loaded = self.planned.experiment, self.planned.datasets.loaded
        return [
            ItemReport(experiment, plan, results_frame(plan, stored), stored, loaded)
            for plan in plans
        ]


@contextmanager
def open_workspace(
    planned: Planned, console: Console, *, readonly: bool = True
) -> Iterator[Workspace]:
    """Open the store of an experiment with the committed cells of its plans."""
    with open_store(planned.experiment, console, readonly=readonly) as store:
        yield Workspace(planned, store)
