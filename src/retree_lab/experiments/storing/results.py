"""The stored results of plans: as a table, and as a value that needs no open store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import StoreError
from retree.trees.tree import Tree
from retree_lab.experiments.definition.item import ACCURACY
from retree_lab.experiments.planning.keys import canonical
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.planning.splits import ALL_ROWS
from retree_lab.experiments.storing.exports import DONE, FAILED, TEXT
from retree_lab.experiments.storing.outcomes import NO_SCORES, StoredCell, unpack_tree
from retree_lab.experiments.storing.store import Store
from retree_lab.statistics.metrics import ACCURACY_632, OUT_OF_BAG_SHARE, find_metric


@dataclass(frozen=True)
class StoredCells:
    """The stored cells of some plans; it answers as `Store` does."""

    # By key, what `Store.metrics` returns of a cell.
    rows: Mapping[str, StoredCell] = field(default_factory=dict)
    # By number, the runs that computed cells.
    known_runs: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    # By key, the packed predictions and tree of each cell whose protocol does not split.
    outputs: Mapping[str, tuple[bytes | None, bytes | None]] = field(default_factory=dict)

    def metrics(self, keys: Sequence[str]) -> dict[str, StoredCell]:
        """Return the stored cells among `keys`, done or failed."""
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


def merge_cells(cells: Iterable[StoredCells]) -> StoredCells:
    """Return as one what was read of one store, in parts that may have cells in common."""
    rows: dict[str, StoredCell] = {}
    runs: dict[int, dict[str, Any]] = {}
    outputs: dict[str, tuple[bytes | None, bytes | None]] = {}
    # Items of one workspace share what they know.
    for part in {id(part): part for part in cells}.values():
        rows |= part.rows
        runs |= part.known_runs
        outputs |= part.outputs
    return StoredCells(rows, runs, outputs)


def read_cells(plans: Iterable[Plan], store: Store) -> StoredCells:
    """Read the cells of `plans` that `store` has, including all replicates."""
    every = list(plans)
    rows = store.metrics(list(dict.fromkeys(cell.key for plan in every for cell in plan.every)))
    drawn = {c.key for plan in every if plan.item.protocol.whole for c in plan.cells}
    outputs = {key: store.blobs(key) for key in rows if key in drawn}
    return StoredCells(rows, store.runs(), outputs)


CRITERION = "criterion"
METRICS = ("accuracy", "depth", "leaves", "nodes", "fit_seconds", "cpu_seconds", "n_test")
_values, _NOTHING = attrgetter(*METRICS), (None,) * len(METRICS)


def results_frame(plan: Plan, store: Store | StoredCells) -> pd.DataFrame:
    """Return one row for each planned cell, in the plan's order; nothing is computed.

    Returns columns ``dataset``, ``method`` (key), ``params`` (JSON text of the varied parameters),
    ``point`` (position in the grid), ``repeat``, ``fold``, ``inner`` (as of a cell), ``status``
    (done, failed or absent), ``reason``, the metrics ``accuracy``, ``depth``, ``leaves``,
    ``nodes``, ``fit_seconds``, ``cpu_seconds`` and ``n_test`` (NaN unless done), ``key``, the
    item's other metrics, ``accuracy_632`` if it asks for that, and ``criterion``, the metric that
    parameters are chosen by, unless that is the accuracy. A cell that lacks a metric of the item is
    absent.
    """
    stored = store.metrics([cell.key for cell in plan.cells])
    cells = [stored.get(cell.key) for cell in plan.cells]
    asked = plan.item.stored_scores
    states = [_state(row, asked) for row in cells]
    pairs = zip(cells, states, strict=True)
    done = [_values(row) if row and state == DONE else _NOTHING for row, (state, _) in pairs]
    values = np.array(done, np.float64).reshape(-1, len(METRICS))
    # The points of a grid are shared by all its cells.
    points = {id(cell.params): cell.params for cell in plan.cells}
    texts = {number: canonical(point) for number, point in points.items()}
    columns: dict[str, Any] = {
        "dataset": [cell.dataset for cell in plan.cells],
        "method": [cell.method for cell in plan.cells],
        "params": [texts[id(cell.params)] for cell in plan.cells],
        **{name: _integers(plan, name) for name in ("point", "repeat", "fold", "inner")},
        "status": [state for state, _ in states],
        "reason": [why for _, why in states],
        **dict(zip(METRICS, values.T, strict=True)),
        "key": [cell.key for cell in plan.cells],
    }
    frame = pd.DataFrame({name: _texts(values) for name, values in columns.items()})
    for name, stored_by in asked.items():
        frame[name] = [_score(stored.get(key), stored_by) for key in frame["key"]]
    if plan.item.takes_all_rows:
        frame[ACCURACY_632] = _with_all_rows(frame)
    if plan.item.select_by != ACCURACY:
        # The point with the highest criterion is chosen.
        sign = -1 if find_metric(plan.item.select_by).smaller_is_better else 1
        frame[CRITERION] = sign * frame[plan.item.select_by]
    return frame


def _with_all_rows(frame: pd.DataFrame) -> pd.Series:
    """Return the .632 accuracy of each cell, NaN of one that is not out of bag.

    Its mean over the samples is Efron's estimate.
    """
    same = ["dataset", "method", "point"]
    on_all = frame[frame["inner"] == ALL_ROWS].set_index(same)["accuracy"]
    resubstitution = on_all.reindex(pd.MultiIndex.from_frame(frame[same])).to_numpy()
    mixed = (1 - OUT_OF_BAG_SHARE) * resubstitution + OUT_OF_BAG_SHARE * frame["accuracy"]
    return mixed.where(frame["inner"] != ALL_ROWS)


def _score(stored: StoredCell | None, name: str) -> float:
    scores = stored.scores if stored is not None and stored.error is None else NO_SCORES
    return float(scores.get(name, math.nan))


def _integers(plan: Plan, name: str) -> NDArray[np.int64]:
    return np.array([getattr(cell, name) for cell in plan.cells], np.int64)


def _texts(values: Any) -> Any:
    return pd.Series(values, dtype=TEXT) if isinstance(values, list) else values


def _state(stored: StoredCell | None, asked: Mapping[str, str]) -> tuple[str, str]:
    """Return whether a cell is done, failed or absent, and why it is not done."""
    if stored is None:
        return "absent", "not computed yet"
    if stored.error is not None:
        return FAILED, stored.error.strip().splitlines()[-1]
    if lacking := [name for name in sorted(asked) if asked[name] not in stored.scores]:
        return "absent", f"{' and '.join(lacking)} not computed yet"
    return DONE, ""
