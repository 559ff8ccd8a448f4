"""What of a plan is stored, what is stale and why, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retree.experiments.planning.keys import Parts, canonical
from retree.experiments.planning.plan import Cell, Plan
from retree.experiments.running.expected_time import Expected, Speed
from retree.experiments.storing.pending import done_keys
from retree.experiments.storing.store import Place, Store


@dataclass(frozen=True)
class Status:
    """How a plan stands against the store.

    Attributes
    ----------
    planned, stored : Counter
        Cells by (dataset, method).
    stale : Counter
        Cells by (method, parts that moved since such a cell was stored, joined by " and ").
    failed : int
        Missing cells that failed before.
    expected : Expected
        How long the missing cells will take.
    """

    planned: Counter[tuple[str, str]]
    stored: Counter[tuple[str, str]]
    stale: Counter[tuple[str, str]]
    failed: int
    expected: Expected

    @property
    def missing(self) -> int:
        """Number of cells to compute."""
        return self.planned.total() - self.stored.total()


def plan_status(plans: Sequence[Plan], store: Store, speed: Speed) -> Status:
    """Return how `plans`, whose common cells count once, stand against `store`."""
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    done = done_keys(plans, store)
    missing = [cell for key, cell in cells.items() if key not in done]
    known = store.metrics([cell.key for cell in missing])
    unscored = {key for key, values in known.items() if values["error"] is None}
    return Status(
        planned=Counter((cell.dataset, cell.method) for cell in cells.values()),
        stored=Counter((cells[key].dataset, cells[key].method) for key in done),
        stale=_stale([cell for cell in missing if cell.key not in unscored], store),
        failed=len(known) - len(unscored),
        expected=speed.expect(missing),
    )


def _stale(missing: list[Cell], store: Store) -> Counter[tuple[str, str]]:
    stale: Counter[tuple[str, str]] = Counter()
    relatives: dict[tuple[str, str], Mapping[Place, list[Parts]]] = {}
    for cell in missing:
        pair = (cell.dataset, cell.method)
        if pair not in relatives:
            relatives[pair] = store.relatives(*pair)
        place = (canonical(cell.params), cell.repeat, cell.fold, cell.inner)
        if stored := relatives[pair].get(place):
            stale[cell.method, min((moved_parts(cell.parts, p) for p in stored), key=len)] += 1
    return stale


def moved_parts(now: Parts, then: Parts) -> str:
    """Return the names of the parts of a key that differ, joined by " and ".

    The seed follows from the others, so it is named only if it moved by itself.
    """
    names = [name for name in Parts._fields if getattr(now, name) != getattr(then, name)]
    return " and ".join([name for name in names if name != "seed"] or names)
