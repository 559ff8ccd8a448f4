"""Times are those of a machine: which machine's cells stand for an item of times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.planned import Planned, plan_with_committed
from retree_lab.experiments.storing.store import Store
from retree_lab.provenance import machine, this_machine


def machines_of(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the machines of runs, as from `provenance`, but for this one."""
    known = (machine(run.get("cpu"), run.get("cores")) for run in runs)
    return [name for name in dict.fromkeys(known) if name != this_machine()]


def plans_elsewhere(planned: Planned, machines: Iterable[str]) -> list[Plan]:
    """Return the plans of those items whose cells are timed, as of the given machines."""
    timed = [plan for plan in planned.plans if plan.item.protocol.timed]
    return [_plan_on(name, plan, planned) for name in machines for plan in timed]


def choose_machines(planned: Planned, store: Store) -> list[Plan]:
    """Return the plans, those of times as of the machine of which most cells are stored.

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
