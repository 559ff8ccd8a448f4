"""The tables of the store, and their rows: how they are written, and whether they still are so."""

from __future__ import annotations

import dataclasses
import math
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from retree_lab.experiments.planning.keys import Cell, Parts, canonical
from retree_lab.experiments.planning.splits import inner_words
from retree_lab.experiments.storing.committed import SCHEMA as COMMITTED_SCHEMA
from retree_lab.experiments.storing.leases import CLAIMS_SCHEMA
from retree_lab.experiments.storing.outcomes import Outcome, outputs_hash, seal

SCHEMA_VERSION = 2
BLOBS = ("predictions", "tree")
_APART = ("key", "scores", "probabilities", "by", *BLOBS)
METRICS = tuple(f.name for f in dataclasses.fields(Outcome) if f.name not in _APART)
PLACE = ("dataset", "method", "params", "repeat", "fold", "inner")
# All but the checksum itself; `outputs` is that of the blobs, NULL if the row has none.
COLUMNS = ("key", "run", *PLACE, *Parts._fields, *METRICS, "outputs")
OF_A_CELL = ("cells", "outputs", "sealed_scores", "probabilities")
TABLES = ("runs", *OF_A_CELL)

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
CREATE TABLE IF NOT EXISTS sealed_scores (
    key TEXT NOT NULL, digest TEXT NOT NULL, metric TEXT NOT NULL, value REAL, seal TEXT NOT NULL,
    PRIMARY KEY (key, digest, metric)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS probabilities (
    key TEXT NOT NULL, digest TEXT NOT NULL, content BLOB NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (key, digest)
) WITHOUT ROWID;
{CLAIMS_SCHEMA}{COMMITTED_SCHEMA}
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
# Scores and probabilities have checksums of their own, so that those of cells do not depend on what
# was asked for, and the digest of the result that they belong to: where a cell gives way to another
# result, they are looked up no more.
_EXISTS = "SELECT 1 FROM sqlite_master WHERE name = 'probabilities'"
_SCORES = """
SELECT cells.key, metric, value, s.digest, s.seal FROM sealed_scores AS s
JOIN cells ON cells.key = s.key AND IFNULL(cells.digest, '') = s.digest
WHERE cells.key IN ({marks})
"""
_PROBABILITIES = """
SELECT content, p.digest, p.seal FROM probabilities AS p
JOIN cells ON cells.key = p.key AND IFNULL(cells.digest, '') = p.digest WHERE cells.key = ?
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
    examples = "; ".join(map(str, damaged[:_SHOWN]))
    more = f"; and {len(damaged) - _SHOWN} more" if len(damaged) > _SHOWN else ""
    many = "1 damaged cell" if len(damaged) == 1 else f"{len(damaged)} damaged cells"
    fate = "left out" if stays else "set aside, to be computed again"
    return f"{path}: {many} {fate}: {examples}{more}."


def note_run(db: sqlite3.Connection, run: Mapping[str, Any]) -> int:
    """Write the provenance of a run, and return its number."""
    provenance = canonical({name: value for name, value in run.items() if name != "started"})
    query = "INSERT INTO runs (started, provenance) VALUES (?, ?)"
    return int(db.execute(query, (run["started"], provenance)).lastrowid or 0)


def write_row(db: sqlite3.Connection, values: Sequence[Any], outcome: Outcome) -> None:
    """Write a cell if its row is kept."""
    before = db.total_changes
    db.execute(_INSERT_CELL, values)
    # In Turkish an INSERT has no rowcount: Python finds it by its small letters.
    if db.total_changes > before and outcome.predictions is not None:
        row = (outcome.key, outcome.predictions, outcome.tree)
        db.execute("INSERT OR REPLACE INTO outputs VALUES (?, ?, ?)", row)
    write_further(db, outcome)


def row_values(run: int, cell: Cell, outcome: Outcome) -> tuple[Any, ...]:
    """Return the values of a cell's row as SQLite keeps them, its checksum last."""
    place = (cell.dataset, cell.method, canonical(cell.params), cell.repeat, cell.fold, cell.inner)
    numbers = (getattr(outcome, name) for name in METRICS)
    metrics = (int(value) if isinstance(value, bool) else value for value in numbers)
    kept = outcome.predictions is not None
    outputs = outputs_hash(outcome.predictions, outcome.tree) if kept else None
    values = (cell.key, run, *place, *cell.parts, *metrics, outputs)
    return (*values, seal(values))


def find_flaw(
    values: Sequence[Any], sealed: str, predictions: bytes | None, tree: bytes | None
) -> str:
    """Return the flaw of a stored row, "" if it has none; `values` are ordered as the columns."""
    if seal(values) != sealed:
        return "it was edited"
    row = dict(zip(COLUMNS, values, strict=True))
    if row["error"] is None and row["outputs"] is not None:
        if predictions is None:
            return "its predictions were deleted"
        if outputs_hash(predictions, tree) != row["outputs"]:
            return "its predictions or its tree were edited"
    return ""


def write_further(db: sqlite3.Connection, outcome: Outcome) -> None:
    """Write scores and probabilities of a cell that is stored.

    Those of a cell that is stored with another result are no part of it, and are dropped.
    """
    if not outcome.scores and outcome.probabilities is None:
        return
    key, digest = outcome.key, outcome.digest or ""
    query = "SELECT IFNULL(digest, '') FROM cells WHERE key = ? AND error IS NULL"
    if db.execute(query, (key,)).fetchone() != (digest,):
        return
    if outcome.probabilities is not None:
        sealed = outputs_hash(outcome.probabilities, digest.encode())
        row = (key, digest, outcome.probabilities, sealed)
        db.execute("INSERT OR REPLACE INTO probabilities VALUES (?, ?, ?, ?)", row)
    write_scores(db, key, digest, outcome.scores)


def write_scores(
    db: sqlite3.Connection, key: str, digest: str, scores: Mapping[str, float]
) -> None:
    """Write scores of a stored cell, sealed with its digest."""
    # SQLite has no NaN.
    values = {name: None if math.isnan(score) else score for name, score in scores.items()}
    rows = [(key, digest, name, value) for name, value in values.items()]
    query = "INSERT OR REPLACE INTO sealed_scores VALUES (?, ?, ?, ?, ?)"
    db.executemany(query, [(*row, seal(row)) for row in rows])


def read_scores(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the scores of the cells called `keys`, by key and metric."""
    scores: dict[str, dict[str, float]] = {}
    # A store that is only looked at may be older than these tables.
    if db.execute(_EXISTS).fetchone() is None:
        return scores
    query = _SCORES.format(marks=",".join("?" * len(keys)))
    for key, metric, value, digest, sealed in db.execute(query, keys):
        if seal((key, digest, metric, value)) == sealed:
            scores.setdefault(key, {})[metric] = math.nan if value is None else value
    return scores


def read_probabilities(db: sqlite3.Connection, key: str) -> bytes | None:
    """Return the packed probabilities of a cell, None if none are stored."""
    if db.execute(_EXISTS).fetchone() is None:
        return None
    content, digest, sealed = db.execute(_PROBABILITIES, (key,)).fetchone() or (None, "", "")
    if not isinstance(content, bytes) or outputs_hash(content, digest.encode()) != sealed:
        return None
    return content
