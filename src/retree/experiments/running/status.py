"""What of a plan is stored, what is stale and why, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from retree.experiments.planning.plan import Plan
from retree.experiments.running.expected_time import Expected, Speed
from retree.experiments.storing.pending import done_keys
from retree.experiments.storing.planned import Planned
from retree.experiments.storing.stale import Stale, find_stale
from retree.experiments.storing.store import Store


@dataclass(frozen=True)
class Status:
    """How a plan stands against the store."""

    planned: Counter[tuple[str, str]]  # Cells by (dataset, method)
    stored: Counter[tuple[str, str]]
    # Cells by (method, parts that moved since such a cell was stored, joined by " and ").
    stale: Stale
    failed: int  # Missing cells that failed before
    expected: Expected  # How long the missing cells will take

    @property
    def missing(self) -> int:
        """Number of cells to compute."""
        return self.planned.total() - self.stored.total()


def plan_status(
    plans: Sequence[Plan], store: Store, speed: Speed, planned: Planned | None = None
) -> Status:
    """Return how `plans`, whose common cells count once, stand against `store`.

    Where `planned` is given, stale cells are looked for among the committed ones too.
    """
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    done = done_keys(plans, store)
    missing = [cell for key, cell in cells.items() if key not in done]
    known = store.metrics([cell.key for cell in missing])
    unscored = {key for key, values in known.items() if values.error is None}
    return Status(
        planned=Counter((cell.dataset, cell.method) for cell in cells.values()),
        stored=Counter((cells[key].dataset, cells[key].method) for key in done),
        stale=find_stale(
            plans, [cell for cell in missing if cell.key not in unscored], planned, store
        ),
        failed=len(known) - len(unscored),
        expected=speed.expect(missing),
    )
