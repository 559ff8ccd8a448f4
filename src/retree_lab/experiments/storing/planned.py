"""The plans of an experiment, with what they were made from, and on which machine times were."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from retree.errors import DataError
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.planning.grids import ChosenPoints, Known
from retree_lab.experiments.planning.keys import Cell, Parts
from retree_lab.experiments.planning.plan import Datasets, Plan, load_datasets, plan_item
from retree_lab.experiments.storing.exports import read_provenance
from retree_lab.experiments.storing.store import Store, open_store
from retree_lab.provenance import machine, this_machine
from retree_lab.study.folders import PAPER
from retree_lab.yaml_files import located


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
    """Return the plans of all items of `experiment`, with times as on this machine."""
    datasets = load_datasets(experiment)
    cells_made: Known = {}
    chosen = _committed_points(experiment, experiment.items)
    plans = []
    for item in experiment.items:
        # A sweep is of the command line, which its errors name.
        file = None if experiment.is_sweep else experiment.paper.folder / PAPER
        with located(file, ["items", item.name]):
            plans.append(plan_item(experiment, item, datasets, cells_made, chosen))
    return Planned(experiment, datasets, plans)


def plan_with_committed(experiment: Experiment, item: Item, datasets: Datasets) -> Plan:
    """Return the cells of `item` as `plan_item` does, with the committed points of replicates."""
    return plan_item(experiment, item, datasets, {}, _committed_points(experiment, [item]))


def _committed_points(experiment: Experiment, items: Sequence[Item]) -> ChosenPoints | None:
    """Return the committed points of replicates, None if no item needs them."""
    needed = any(item.protocol.replicates > 1 for item in items)
    if experiment.committed is None or not needed:
        return None
    with open_store(experiment) as store:
        return store.committed.chosen(experiment.committed / experiment.paper.name)


def with_committed_cells(planned: Planned) -> Planned:
    """Return plans that have, of data sets that are not available here, the committed cells.

    They are for readers only: their keys are as short as the committed ones, so that nothing is
    computed by them.
    """
    experiment = planned.experiment
    if experiment.committed is None or not planned.datasets.away:
        return planned
    names = ("items", "dataset", "method", "params", "point", "repeat", "fold", "inner", "key")
    with open_store(experiment) as store:
        folder = experiment.committed / experiment.paper.name
        rows = store.committed.table(folder, *names)
    hashes = read_provenance(folder).get("data", {})
    rows = rows.assign(data=rows["dataset"].map(hashes).fillna(""))
    plans = [_with_committed(plan, planned.datasets, rows) for plan in planned.plans]
    return replace(planned, plans=plans)


def _with_committed(plan: Plan, datasets: Datasets, committed: pd.DataFrame) -> Plan:
    lost = datasets.away.intersection(plan.unavailable)
    if not lost:
        return plan
    methods = {method.name: method.key for method in plan.item.methods}
    rows = committed[committed["dataset"].isin(lost) & committed["method"].isin(methods)]
    cells = [
        Cell(
            row["dataset"],
            methods[row["method"]],
            json.loads(row["params"]),
            row["point"],
            row["repeat"],
            row["fold"],
            row["inner"],
            Parts(row["data"], "", "", "", None),
            row["key"],
        )
        for row in rows.to_dict("records")
        if plan.item.name in row["items"].split()
    ]
    with_cells = {cell.dataset for cell in cells}
    unavailable = {name: why for name, why in plan.unavailable.items() if name not in with_cells}
    order = {name: i for i, name in enumerate(plan.item.datasets)}
    every = sorted([*plan.cells, *cells], key=lambda cell: order[cell.dataset])
    return replace(plan, cells=every, unavailable=unavailable)


def machines_of(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the machines of runs, as from `provenance`, but for this one."""
    machines = (machine(run.get("cpu"), run.get("cores")) for run in runs)
    return [name for name in dict.fromkeys(machines) if name != this_machine()]


def plans_elsewhere(planned: Planned, machines: Iterable[str]) -> list[Plan]:
    """Return the plans of those items whose cells are timed, as of the given machines."""
    timed = [plan for plan in planned.plans if plan.item.protocol.timed]
    return [_plan_on(name, plan, planned) for name in machines for plan in timed]


def choose_machines(planned: Planned, store: Store) -> list[Plan]:
    """Return the plans, with timed items as of the machine that most stored cells come from.

    If two are equal, or nothing is stored, it is this machine. A table of times is never put
    together from several.
    """
    machines = machines_of(store.runs().values())
    return [_best(plan, planned, machines, store) for plan in planned.plans]


def _best(plan: Plan, planned: Planned, machines: Sequence[str], store: Store) -> Plan:
    if not plan.item.protocol.timed:
        return plan
    plans = [plan, *(_plan_on(name, plan, planned) for name in machines)]
    return max(plans, key=lambda some: _count_done(some, store))


def _plan_on(name: str, plan: Plan, planned: Planned) -> Plan:
    item = replace(plan.item, protocol=replace(plan.item.protocol, machine=name))
    return plan_with_committed(planned.experiment, item, planned.datasets)


def _count_done(plan: Plan, store: Store) -> int:
    stored = store.metrics([cell.key for cell in plan.cells])
    return sum(values.error is None for values in stored.values())
