"""The tables of the store, and their rows: how they are written, and whether they still are so."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from retree_lab.experiments.planning.cell import Cell
from retree_lab.experiments.planning.keys import Parts, canonical
from retree_lab.experiments.planning.splits import inner_words
from retree_lab.experiments.storing import committed, scores
from retree_lab.experiments.storing.digest import outputs_hash, seal
from retree_lab.experiments.storing.leases import CLAIMS_SCHEMA
from retree_lab.experiments.storing.outcome import Outcome

SCHEMA_VERSION = 2
BLOBS = ("predictions", "tree")
_APART = ("key", "scores", "probabilities", "by", *BLOBS)
METRICS = tuple(f.name for f in dataclasses.fields(Outcome) if f.name not in _APART)
PLACE = ("dataset", "method", "params", "repeat", "fold", "inner")
# All but the checksum itself; `outputs` is that of the blobs, NULL if the row has none.
COLUMNS = ("key", "run", *PLACE, *Parts._fields, *METRICS, "outputs")
TABLES = ("runs", "cells", "outputs", *scores.TABLES)

# Two runs may find the file empty at the same time.
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, provenance TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id),
    dataset TEXT NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL, inner INTEGER NOT NULL,
    data TEXT NOT NULL, protocol TEXT NOT NULL,
    estimator TEXT NOT NULL, parameters TEXT NOT NULL, seed INTEGER,
    error TEXT, accuracy REAL, depth REAL, leaves REAL, nodes REAL,
    fit_seconds REAL, cpu_seconds REAL, shared INTEGER,
    n_train INTEGER, n_features INTEGER, n_test INTEGER,
    digest TEXT, outputs TEXT, seal TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS cells_by_place ON cells (dataset, method);
CREATE TABLE IF NOT EXISTS outputs (
    key TEXT PRIMARY KEY, predictions BLOB, tree BLOB
) WITHOUT ROWID;
{scores.SCHEMA}{CLAIMS_SCHEMA}{committed.SCHEMA}
CREATE TABLE IF NOT EXISTS damaged (
    key TEXT NOT NULL, flaw TEXT NOT NULL, found TEXT NOT NULL, content TEXT NOT NULL
);
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""

# Which of two rows of a cell is kept: a result before a failure, a later failure before an earlier
# one, and a result with outputs before one without, which was restored.
_INSERT_CELL = f"""
INSERT INTO cells ({",".join((*COLUMNS, "seal"))})
VALUES ({",".join("?" * (len(COLUMNS) + 1))})
ON CONFLICT (key) DO UPDATE SET {",".join(f"{c} = excluded.{c}" for c in (*COLUMNS[1:], "seal"))}
WHERE (cells.error IS NOT NULL AND (excluded.error IS NULL OR excluded.run > cells.run))
OR (cells.outputs IS NULL AND excluded.outputs IS NOT NULL)
"""
SELECT_ROWS = f"""
SELECT {",".join(f"cells.{c}" for c in (*COLUMNS, "seal"))}, outputs.predictions, outputs.tree
FROM cells LEFT JOIN outputs ON outputs.key = cells.key
"""


_SHOWN = 5


class Damage(NamedTuple):
    """A stored row that is not believed, and why."""

    key: str
    row: Mapping[str, Any]
    flaw: str

    def __str__(self) -> str:
        row = self.row
        inner = row["inner"] if isinstance(row["inner"], int) else 0
        place = f"repeat {row['repeat']}, fold {row['fold']}{inner_words(inner)}"
        return f"{row['method']} on {row['dataset']}, {place} ({self.flaw})"


def damage_sentence(path: Path, damaged: Sequence[Damage], *, stays: bool) -> str:
    """Return which cells of the store at `path` are damaged, and whether they stay there."""
    shown = "; ".join(map(str, damaged[:_SHOWN]))
    more = f"; and {len(damaged) - _SHOWN} more" if len(damaged) > _SHOWN else ""
    many = "1 damaged cell" if len(damaged) == 1 else f"{len(damaged)} damaged cells"
    fate = "left out" if stays else "set aside, to be computed again"
    return f"{path}: {many} {fate}: {shown}{more}."


def note_run(db: sqlite3.Connection, run: Mapping[str, Any]) -> int:
    """Write what is known about a run, and return its number."""
    provenance = canonical({name: value for name, value in run.items() if name != "started"})
    query = "INSERT INTO runs (started, provenance) VALUES (?, ?)"
    return int(db.execute(query, (run["started"], provenance)).lastrowid or 0)


def write_row(db: sqlite3.Connection, values: Sequence[Any], outcome: Outcome) -> None:
    """Write a cell if its row is to be kept."""
    before = db.total_changes
    db.execute(_INSERT_CELL, values)
    # In Turkish an INSERT has no rowcount: Python finds it by its small letters.
    if db.total_changes > before and outcome.predictions is not None:
        row = (outcome.key, outcome.predictions, outcome.tree)
        db.execute("INSERT OR REPLACE INTO outputs VALUES (?, ?, ?)", row)
    scores.write_further(db, outcome)


def row_values(run: int, cell: Cell, outcome: Outcome) -> tuple[Any, ...]:
    """Return the values of a cell's row as SQLite keeps them, its checksum last."""
    place = (cell.dataset, cell.method, canonical(cell.params), cell.repeat, cell.fold, cell.inner)
    found = (getattr(outcome, name) for name in METRICS)
    metrics = (int(value) if isinstance(value, bool) else value for value in found)
    kept = outcome.predictions is not None
    outputs = outputs_hash(outcome.predictions, outcome.tree) if kept else None
    values = (cell.key, run, *place, *cell.parts, *metrics, outputs)
    return (*values, seal(values))


def find_flaw(
    values: Sequence[Any], sealed: str, predictions: bytes | None, tree: bytes | None
) -> str:
    """Return what is wrong with a stored row, its `values` in the order of the columns."""
    if seal(values) != sealed:
        return "it was edited"
    row = dict(zip(COLUMNS, values, strict=True))
    if row["error"] is None and row["outputs"] is not None:
        if predictions is None:
            return "its predictions were deleted"
        if outputs_hash(predictions, tree) != row["outputs"]:
            return "its predictions or its tree were edited"
    return ""
