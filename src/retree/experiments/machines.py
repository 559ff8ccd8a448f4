"""Times are those of a machine: which machine's cells stand for an item of times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retree.errors import DataError
from retree.experiments.definitions import Experiment
from retree.experiments.plan import Datasets, Known, Plan, load_datasets, plan_item
from retree.experiments.provenance import machine, this_machine
from retree.experiments.store import Store


@dataclass(frozen=True)
class Planned:
    """Plans, with what they were made from.

    Attributes
    ----------
    experiment : Experiment
        Names the store, and the folder of committed results.
    datasets : Datasets
        The data sets of its items.
    plans : sequence of Plan
        One for each item.
    """

    experiment: Experiment
    datasets: Datasets
    plans: Sequence[Plan]

    def with_data(self) -> Planned:
        """Return the same.

        Raises
        ------
        DataError
            If none of the data sets is available.
        """
        if self.datasets.lost and not self.datasets.loaded:
            raise DataError("\n".join(self.datasets.lost.values()))
        return self


def plan_all(experiment: Experiment) -> Planned:
    """Return the plans of all items of `experiment`; their times are those of this machine."""
    datasets = load_datasets(experiment)
    known: Known = {}
    plans = [plan_item(experiment, item, datasets, known) for item in experiment.items]
    return Planned(experiment, datasets, plans)


def machines_of(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the machines of runs, as from `provenance`, but for this one."""
    known = (machine(run.get("cpu"), run.get("cores")) for run in runs)
    return [name for name in dict.fromkeys(known) if name != this_machine()]


def plans_elsewhere(planned: Planned, machines: Iterable[str]) -> list[Plan]:
    """Return the plans of those items whose cells run alone, as of the given machines."""
    timed = [plan for plan in planned.plans if plan.item.protocol.alone]
    return [_plan_on(name, plan, planned) for name in machines for plan in timed]


def choose_machines(planned: Planned, store: Store) -> list[Plan]:
    """Return the plans, those of times as of the machine of which most cells are stored.

    If two are equal, or nothing is stored, it is this machine. A table of times is never put
    together from several.
    """
    machines = machines_of(store.runs().values())
    return [_best(plan, planned, machines, store) for plan in planned.plans]


def _best(plan: Plan, planned: Planned, machines: Sequence[str], store: Store) -> Plan:
    if not plan.item.protocol.alone:
        return plan
    plans = [plan, *(_plan_on(name, plan, planned) for name in machines)]
    return max(plans, key=lambda some: _count_done(some, store))


def _plan_on(name: str, plan: Plan, planned: Planned) -> Plan:
    item = replace(plan.item, protocol=replace(plan.item.protocol, machine=name))
    return plan_item(planned.experiment, item, planned.datasets)


def _count_done(plan: Plan, store: Store) -> int:
    stored = store.metrics([cell.key for cell in plan.cells])
    return sum(values["error"] is None for values in stored.values())
