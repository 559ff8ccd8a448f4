"""The tables of the store, and the columns that a row's seal covers."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from retree.errors import StoreError
from retree.experiments.planning.keys import Parts
from retree.experiments.storing.leases import CLAIMS_SCHEMA
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.stored_scores import SCORES_SCHEMA

SCHEMA_VERSION = 2
BLOBS = ("predictions", "tree")
_APART = ("key", "scores", "probabilities", *BLOBS)
METRICS = tuple(f.name for f in dataclasses.fields(Outcome) if f.name not in _APART)
PLACE = ("dataset", "method", "params", "repeat", "fold", "inner")
# All but the seal itself; `outputs` is the hash of the blobs, NULL if the row has none.
COLUMNS = ("key", "run", *PLACE, *Parts._fields, *METRICS, "outputs")

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
{SCORES_SCHEMA}{CLAIMS_SCHEMA}
CREATE TABLE IF NOT EXISTS damaged (
    key TEXT NOT NULL, flaw TEXT NOT NULL, found TEXT NOT NULL, content TEXT NOT NULL
);
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""

# Which of two rows of a cell is kept: a result before a failure, a later failure before an earlier
# one, and a result with outputs before one without, which was restored.
INSERT_CELL = f"""
INSERT INTO cells ({",".join((*COLUMNS, "seal"))})
VALUES ({",".join("?" * (len(COLUMNS) + 1))})
ON CONFLICT (key) DO UPDATE SET {",".join(f"{c} = excluded.{c}" for c in (*COLUMNS[1:], "seal"))}
WHERE (cells.error IS NOT NULL AND (excluded.error IS NULL OR excluded.run > cells.run))
OR (cells.outputs IS NULL AND excluded.outputs IS NOT NULL)
"""
INSERT_OUTPUTS = "INSERT OR REPLACE INTO outputs VALUES (?, ?, ?)"
_ROW = ",".join(f"cells.{c}" for c in (*COLUMNS, "seal"))
_BOTH = "cells LEFT JOIN outputs ON outputs.key = cells.key"
SELECT_ROWS = f"SELECT {_ROW}, outputs.key IS NOT NULL FROM {_BOTH}"
SELECT_ALL = f"SELECT {_ROW}, outputs.predictions, outputs.tree FROM {_BOTH}"


def check_version(version: int, path: Path) -> None:
    """Refuse the store at `path` if it was written with another schema; 0 is that of a new one."""
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer retree (schema {version}, here {SCHEMA_VERSION}): "
            "update retree, or choose another file with store=PATH."
        )
    if 0 < version < SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by an earlier retree (schema {version}, here {SCHEMA_VERSION}), "
            "whose cells have other keys: move it away or delete it, or choose another file with "
            "store=PATH."
        )
