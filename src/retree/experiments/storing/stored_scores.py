"""The tables of the store for metrics that items ask for besides, and for probabilities.

Each value has a seal of its own, so that the seals of cells do not depend on what was asked for,
and the digest of the result that it belongs to: where a cell gives way to another result, it is
looked up no more.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence

from retree.errors import StoreError
from retree.experiments.storing.integrity import outputs_hash, seal
from retree.experiments.storing.outcome import Outcome

SCORES_SCHEMA = """
CREATE TABLE IF NOT EXISTS sealed_scores (
    key TEXT NOT NULL, digest TEXT NOT NULL, metric TEXT NOT NULL, value REAL, seal TEXT NOT NULL,
    PRIMARY KEY (key, digest, metric)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS probabilities (
    key TEXT NOT NULL, digest TEXT NOT NULL, content BLOB NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (key, digest)
) WITHOUT ROWID;
"""
SCORE_TABLES = ("sealed_scores", "probabilities")
_EXISTS = "SELECT 1 FROM sqlite_master WHERE name = 'probabilities'"
_SCORES = """
SELECT cells.key, metric, value, s.digest, s.seal FROM sealed_scores AS s
JOIN cells ON cells.key = s.key AND IFNULL(cells.digest, '') = s.digest
"""
_PROBABILITIES = """
SELECT cells.key, content, p.digest, p.seal FROM probabilities AS p
JOIN cells ON cells.key = p.key AND IFNULL(cells.digest, '') = p.digest
"""
Scores = dict[str, dict[str, float]]
Flaws = dict[str, str]


def write_further(db: sqlite3.Connection, outcome: Outcome) -> bool:
    """Write scores and probabilities of a cell that is stored, and return if any score is new.

    What is there already stays. Those of a cell that is stored with another result are no part of
    it, and are dropped.
    """
    if not outcome.scores and outcome.probabilities is None:
        return False
    key, digest = outcome.key, outcome.digest or ""
    stored = db.execute(
        "SELECT IFNULL(digest, '') FROM cells WHERE key = ? AND error IS NULL", (key,)
    )
    if stored.fetchone() != (digest,):
        return False
    if outcome.probabilities is not None:
        row = (key, digest, outcome.probabilities, _seal(outcome.probabilities, digest))
        db.execute("INSERT OR IGNORE INTO probabilities VALUES (?, ?, ?, ?)", row)
    return write_scores(db, key, digest, outcome.scores)


def write_scores(
    db: sqlite3.Connection, key: str, digest: str, scores: Mapping[str, float]
) -> bool:
    """Write scores of a stored cell, sealed with its digest, and return if any is new."""
    new = 0
    for metric, score in scores.items():
        # SQLite has no NaN.
        value = None if math.isnan(score) else score
        row = (key, digest, metric, value)
        query = "INSERT OR IGNORE INTO sealed_scores VALUES (?, ?, ?, ?, ?)"
        new += db.execute(query, (*row, seal(row))).rowcount
    return new > 0


def read_scores(db: sqlite3.Connection, keys: Sequence[str] | None = None) -> tuple[Scores, Flaws]:
    """Return the scores of cells by key and metric, and what is wrong with some, by key.

    Without `keys` they are those of all cells.
    """
    scores: Scores = {}
    flaws: Flaws = {}
    # A store that is only looked at may be older than these tables.
    if db.execute(_EXISTS).fetchone() is None:
        return scores, flaws
    marks = f" WHERE cells.key IN ({','.join('?' * len(keys))})" if keys is not None else ""
    for key, metric, value, digest, sealed in db.execute(_SCORES + marks, keys or ()):
        if seal((key, digest, metric, value)) != sealed:
            flaws[key] = f"its {metric} was edited"
        scores.setdefault(key, {})[metric] = math.nan if value is None else value
    return scores, flaws


def find_score_flaws(db: sqlite3.Connection) -> Flaws:
    """Return what is wrong with stored scores and probabilities, by the key of the cell."""
    flaws = read_scores(db)[1]
    if db.execute(_EXISTS).fetchone() is not None:
        for key, content, digest, sealed in db.execute(_PROBABILITIES):
            if _seal(content, digest) != sealed:
                flaws[key] = "its probabilities were edited"
    return flaws


def read_probabilities(db: sqlite3.Connection, key: str) -> bytes | None:
    """Return the packed probabilities of a cell, None if none are stored."""
    if db.execute(_EXISTS).fetchone() is None:
        return None
    row = db.execute(f"{_PROBABILITIES} WHERE cells.key = ?", (key,)).fetchone()
    if row is None:
        return None
    _, content, digest, sealed = row
    if _seal(content, digest) != sealed:
        raise StoreError(
            f"The probabilities of cell {key[:12]} were edited: set the cell aside with retree "
            "verify --store, then run its item again."
        )
    return bytes(content)


def _seal(content: bytes, digest: str) -> str:
    return outputs_hash(content, digest.encode())
