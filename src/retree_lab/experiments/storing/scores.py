"""The tables of the store for metrics that items ask for besides, and for probabilities.

Each value has a checksum of its own, so that those of cells do not depend on what was asked for,
and the digest of the result that it belongs to: where a cell gives way to another result, it is
looked up no more. One that is not as it was written is as if it were not there.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence

from retree_lab.experiments.storing.digest import outputs_hash, seal
from retree_lab.experiments.storing.outcome import Outcome

SCHEMA = """
CREATE TABLE IF NOT EXISTS sealed_scores (
    key TEXT NOT NULL, digest TEXT NOT NULL, metric TEXT NOT NULL, value REAL, seal TEXT NOT NULL,
    PRIMARY KEY (key, digest, metric)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS probabilities (
    key TEXT NOT NULL, digest TEXT NOT NULL, content BLOB NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (key, digest)
) WITHOUT ROWID;
"""
TABLES = ("sealed_scores", "probabilities")
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
