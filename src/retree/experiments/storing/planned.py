"""The plans of an experiment, with what they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retree.errors import DataError
from retree.experiments.definition.definitions import Experiment
from retree.experiments.definition.item import Item
from retree.experiments.planning.grids import Known
from retree.experiments.planning.needed_data import Datasets, load_datasets
from retree.experiments.planning.plan import Plan, plan_item
from retree.experiments.storing.exports import read_export
from retree.study.folders import PAPER
from retree.yaml_files import located


@dataclass(frozen=True)
class Planned:
    """Plans, with what they were made from."""

    experiment: Experiment  # Names the store, and the folder of committed results
    datasets: Datasets  # The data sets of its items
    plans: Sequence[Plan]

    def with_data(self) -> Planned:
        """Return the same."""
        if self.datasets.lost and not self.datasets.loaded:
            raise DataError("\n".join(self.datasets.lost.values()))
        return self


def plan_all(experiment: Experiment) -> Planned:
    """Return the plans of all items of `experiment`; their times are those of this machine."""
    datasets = load_datasets(experiment)
    known: Known = {}
    plans = []
    for item in experiment.items:
        with located(experiment.paper.folder / PAPER, ["items", item.name]):
            plans.append(plan_with_committed(experiment, item, datasets, known))
    return Planned(experiment, datasets, plans)


def plan_with_committed(
    experiment: Experiment, item: Item, datasets: Datasets, known: Known | None = None
) -> Plan:
    """Return the cells of `item` as `plan_item` does, with the committed points of replicates."""
    committed = None
    if experiment.committed is not None and item.protocol.replicates > 1:
        committed = read_export(experiment.committed / experiment.paper.name)
    return plan_item(experiment, item, datasets, known, committed)
