"""What of a plan is stored, what is stale and why, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from retree_lab.experiments.planning.cell import Cell
from retree_lab.experiments.planning.needed_data import Datasets
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.pending import done_keys
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.stale import Stale, find_stale
from retree_lab.experiments.storing.store import Store

# By data set and method: mean seconds of a fit, and mean rows times features.
Times = Mapping[tuple[str, str], tuple[float, float]]


@dataclass(frozen=True)
class Expected:
    """How long cells will take."""

    seconds: float  # Sum over the cells whose time is known, one after the other
    unknown: int


class Speed:
    """Expected seconds of a cell, by the cells of its method that were computed before.

    Those in the store count first, then those that are committed with the paper's results.

    `planned`: knows where cells are committed, and the paper's names of methods.
    """

    def __init__(self, store: Store, datasets: Datasets, planned: Planned | None = None) -> None:
        self._store, self._planned, self._stored = store, planned, store.speeds()
        self._sizes = {name: dataset.X.size for name, dataset in datasets.loaded.items()}

    def seconds(self, dataset: str, method: str) -> float | None:
        """Return the expected seconds of one cell, None if no cell of `method` is known.

        On a data set that is new to the method, the others' times are scaled by rows x features.
        """
        pair = (dataset, method)
        if known := self._stored.get(pair) or self._committed.get(pair):
            return known[0]
        for times in (self._stored, self._committed):
            if others := [found for (_, name), found in times.items() if name == method]:
                total, size = (sum(column) for column in zip(*others, strict=True))
                return total / size * self._sizes[dataset]
        return None

    def expect(self, cells: Iterable[Cell]) -> Expected:
        """Return how long `cells` will take."""
        found = [self.seconds(cell.dataset, cell.method) for cell in cells]
        known = [seconds for seconds in found if seconds is not None]
        return Expected(sum(known), len(found) - len(known))

    @cached_property
    def _committed(self) -> Times:
        planned = self._planned
        if planned is None or planned.experiment.committed is None:
            return {}
        paper = planned.experiment.paper
        rows = self._store.committed.times(planned.experiment.committed / paper.name)
        # A row has the label that its items give to the method.
        keys = {(i, name): key for i, own in paper.methods.items() for key, name in own.items()}
        sums: dict[tuple[str, str], list[float]] = {}
        for dataset, items, name, *some in rows:
            for key in {keys.get((item, name), "") for item in items.split()}:
                known = sums.setdefault((dataset, key), [0, 0.0, 0.0])
                sums[dataset, key] = [a + b for a, b in zip(known, some, strict=True)]
        return {pair: (time / n, size / n) for pair, (n, time, size) in sums.items()}


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
    return Status(
        planned=Counter((cell.dataset, cell.method) for cell in cells.values()),
        stored=Counter((cells[key].dataset, cells[key].method) for key in done),
        stale=find_stale(plans, missing, planned, store),
        failed=sum(values.error is not None for values in known.values()),
        expected=speed.expect(missing),
    )
