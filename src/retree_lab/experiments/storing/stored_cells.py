"""What is stored of the cells of plans, as a value: whoever has it needs no open store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retree.errors import StoreError
from retree.trees.tree import Tree
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.outcome import StoredCell, unpack_tree
from retree_lab.experiments.storing.store import Store


@dataclass(frozen=True)
class StoredCells:
    """The stored cells of some plans; its methods answer as those of `Store` do."""

    # By key, what `Store.metrics` returns of a cell.
    rows: Mapping[str, StoredCell] = field(default_factory=dict)
    # By number, the runs that computed cells.
    known_runs: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    # By key, the packed predictions and tree of each cell whose protocol does not split.
    outputs: Mapping[str, tuple[bytes | None, bytes | None]] = field(default_factory=dict)

    def metrics(self, keys: Sequence[str]) -> dict[str, StoredCell]:
        """Return, for each of `keys` that is stored, done or failed, what is stored of it."""
        return {key: self.rows[key] for key in keys if key in self.rows}

    def runs(self) -> dict[int, dict[str, Any]]:
        """Return the provenance of every run by its number."""
        return dict(self.known_runs)

    def blobs(self, key: str) -> tuple[bytes | None, bytes | None]:
        """Return the cell's packed predictions and tree, None where they are not kept."""
        return self.outputs.get(key, (None, None))

    def tree(self, key: str) -> Tree:
        """Return the tree of a cell whose protocol does not split."""
        if (blob := self.blobs(key)[1]) is None:
            raise StoreError(f"Cell {key[:12]} has no tree in the store: run its item first.")
        return unpack_tree(blob)


def together(parts: Iterable[StoredCells]) -> StoredCells:
    """Return as one what was read of one store, in parts that may have cells in common."""
    rows: dict[str, StoredCell] = {}
    runs: dict[int, dict[str, Any]] = {}
    outputs: dict[str, tuple[bytes | None, bytes | None]] = {}
    # Items of one workspace share what they know.
    for part in {id(part): part for part in parts}.values():
        rows |= part.rows
        runs |= part.known_runs
        outputs |= part.outputs
    return StoredCells(rows, runs, outputs)


def read_cells(plans: Iterable[Plan], store: Store) -> StoredCells:
    """Return what `store` has of the cells of `plans`, those of all replicates."""
    every = list(plans)
    rows = store.metrics(list(dict.fromkeys(cell.key for plan in every for cell in plan.every)))
    drawn = {c.key for plan in every if plan.item.protocol.whole for c in plan.cells}
    outputs = {key: store.blobs(key) for key in rows if key in drawn}
    return StoredCells(rows, store.runs(), outputs)
