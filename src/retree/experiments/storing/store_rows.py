"""Rows of the store: what they hold, and how they are written."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from retree.experiments.planning.cell import Cell
from retree.experiments.planning.keys import canonical
from retree.experiments.storing import stored_scores
from retree.experiments.storing.integrity import outputs_hash, seal
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.schema import INSERT_CELL, INSERT_OUTPUTS, METRICS


class StoredRow(NamedTuple):
    """A row as it is stored, unchecked: its values by name and in order, and its outputs.

    `flaw` says what is wrong with its scores or probabilities, "" if nothing is.
    """

    row: Mapping[str, Any]
    values: Sequence[Any]
    seal: str
    predictions: bytes | None
    tree: bytes | None
    flaw: str


def note_run(db: sqlite3.Connection, run: Mapping[str, Any]) -> int:
    """Write what is known about a run, and return its number."""
    provenance = canonical({name: value for name, value in run.items() if name != "started"})
    query = "INSERT INTO runs (started, provenance) VALUES (?, ?)"
    return int(db.execute(query, (run["started"], provenance)).lastrowid or 0)


def write_row(db: sqlite3.Connection, values: Sequence[Any], outcome: Outcome) -> tuple[bool, bool]:
    """Write a cell if `INSERT_CELL` does, and return whether its row, and any score, was new."""
    written = db.execute(INSERT_CELL, values).rowcount > 0
    if written and outcome.predictions is not None:
        db.execute(INSERT_OUTPUTS, (outcome.key, outcome.predictions, outcome.tree))
    return written, stored_scores.write_further(db, outcome)


def row_values(run: int, cell: Cell, outcome: Outcome) -> tuple[Any, ...]:
    """Return the values of a cell's row as SQLite keeps them, its seal last."""
    place = (cell.dataset, cell.method, canonical(cell.params), cell.repeat, cell.fold, cell.inner)
    found = (getattr(outcome, name) for name in METRICS)
    metrics = (int(value) if isinstance(value, bool) else value for value in found)
    kept = outcome.predictions is not None
    outputs = outputs_hash(outcome.predictions, outcome.tree) if kept else None
    values = (cell.key, run, *place, *cell.parts, *metrics, outputs)
    return (*values, seal(values))
