"""A store that lacks no committed cell: what others computed is not computed again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from retree.experiments.planning.cell import Cell, cells_text
from retree.experiments.planning.plan import Plan
from retree.experiments.storing.exports import Export, read_exports
from retree.experiments.storing.machines import machines_of, plans_elsewhere
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.pending import done_keys
from retree.experiments.storing.planned import Planned
from retree.experiments.storing.store import Store

Found = tuple[Mapping[str, Any], Cell, Outcome]


@contextmanager
def open_store(planned: Planned, console: Console, *, readonly: bool = False) -> Iterator[Store]:
    """Open the experiment's store after restoring committed cells of the plans that it lacks.

    Cells of a protocol that does not split are restored with their outputs or not at all, since
    items draw their trees. Of all others only what tables need is committed.

    `readonly`: whether the file stays as it is: cells are then restored in memory.
    """
    with Store(planned.experiment.store, readonly=readonly) as store:
        for export, cells in _find_lacking(planned, store):
            if count := store.restore(cells):
                _say(export.folder, count, [run for run, _, _ in cells], console)
        yield store


def _find_lacking(planned: Planned, store: Store) -> list[tuple[Export, list[Found]]]:
    """Return what is committed of the cells that `store` lacks, by export."""
    done = done_keys(planned.plans, store)
    plans = [plan for plan in planned.plans if not done.issuperset(c.key for c in plan.every)]
    if not plans:
        return []
    exports: Iterable[Export] = read_exports(
        planned.experiment.committed, planned.experiment.paper.name
    )
    elsewhere: list[Plan] = []
    if any(plan.item.protocol.timed for plan in plans):
        exports = list(exports)
        machines = machines_of(run for export in exports for run in export.runs)
        elsewhere = plans_elsewhere(replace(planned, plans=plans), machines)
    cells = _cells([*plans, *elsewhere])
    drawn = _cells(plan for plan in plans if plan.item.protocol.whole)
    lacking = cells.keys() - done_keys([*plans, *elsewhere], store)
    found: list[tuple[Export, list[Found]]] = []
    for export in exports:
        if not lacking:
            break
        rows = export.find(lacking)
        outcomes = {key: export.outcome(key, row) for key, row in rows.items()}
        some: list[Found] = [
            (export.run(rows[key]), cells[key], outcome)
            for key, outcome in outcomes.items()
            if outcome.error or outcome.predictions is not None or key not in drawn
        ]
        lacking -= rows.keys()
        found += [(export, some)] if some else []
    return found


def _cells(plans: Iterable[Plan]) -> dict[str, Cell]:
    return {cell.key: cell for plan in plans for cell in plan.every}


def _say(folder: Path, count: int, runs: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Say how many cells were restored, and who computed them."""
    machines = sorted({f"{run.get('platform')}, {run.get('cpu')}" for run in runs})
    commits = sorted({str(run.get("commit") or "none")[:12] for run in runs})
    days = sorted({str(run["started"])[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    console.print(
        f"{cells_text(count)} restored from {folder}: computed on {'; '.join(machines)} at commit "
        f"{', '.join(commits)}, {when}.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
