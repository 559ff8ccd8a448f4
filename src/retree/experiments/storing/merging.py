"""The cells of one store added to another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from retree.experiments.planning.cell import Cell
from retree.experiments.planning.keys import Parts
from retree.experiments.storing.integrity import Damage, find_flaw, outputs_hash
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.schema import METRICS, PLACE
from retree.experiments.storing.store import Store
from retree.experiments.storing.store_rows import StoredRow


class Merged(NamedTuple):
    """What merging found."""

    new: int
    damaged: list[Damage]  # Rows of the other store that are not believed; they are not added
    # Keys of cells that are done in both stores with other trees or predictions.
    contradicted: list[str]


def merge(into: Store, other: Store) -> Merged:
    """Add to `into` the cells of `other` that it lacks, each with what is known about its run."""
    runs, damaged = other.runs(), list[Damage]()
    rows = list(_believed(other, damaged))
    stored = into.metrics([row["key"] for row, _ in rows])
    contradicted = [
        row["key"]
        for row, outcome in rows
        if outcome.error is None
        and (known := stored.get(row["key"])) is not None
        and known["error"] is None
        and known["digest"] != outcome.digest
    ]
    bad = set(contradicted)
    found = [(runs[row["run"]], _cell(row), o) for row, o in rows if row["key"] not in bad]
    return Merged(into.restore(found), damaged, contradicted)


def _believed(store: Store, damaged: list[Damage]) -> Iterator[tuple[Any, Outcome]]:
    """Yield rows as they are stored, beside their outcomes; those with a flaw go to `damaged`."""
    rows = list(store.rows())
    known = store.metrics([stored.row["key"] for stored in rows])
    for stored in rows:
        row = stored.row
        if flaw := stored.flaw or _flaw(stored):
            damaged.append(Damage(row["key"], row, flaw))
            continue
        scores = known[row["key"]]["scores"] if row["key"] in known else {}
        values: dict[str, Any] = {name: row[name] for name in METRICS}
        values |= {"shared": bool(row["shared"]), "scores": scores}
        values |= {"predictions": stored.predictions, "tree": stored.tree}
        yield row, Outcome(row["key"], **values, probabilities=store.probabilities(row["key"]))


def _flaw(stored: StoredRow) -> str:
    has_outputs = stored.predictions is not None
    if has_outputs and outputs_hash(stored.predictions, stored.tree) != stored.row["outputs"]:
        return "its predictions or its tree were edited"
    return find_flaw(stored.row, stored.values, stored.seal, has_outputs)


def _cell(row: Any) -> Cell:
    parts = Parts(*(row[name] for name in Parts._fields))
    place: dict[str, Any] = {name: row[name] for name in PLACE}
    return Cell(
        **place | {"params": json.loads(row["params"])}, point=0, parts=parts, key=row["key"]
    )
