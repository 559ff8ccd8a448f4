"""The store of computed cells: one SQLite file, written by the parent process alone."""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.errors import StoreError
from retree.experiments.keys import Parts, canonical
from retree.experiments.outcome import Outcome, unpack_predictions, unpack_tree
from retree.experiments.plan import Cell
from retree.trees.tree import Tree

SCHEMA_VERSION = 1
BUSY_SECONDS = 60.0
_BLOBS = ("predictions", "tree")
METRICS = tuple(f.name for f in dataclasses.fields(Outcome) if f.name not in ("key", *_BLOBS))
Place = tuple[str, int, int, int]

# Two runs may find the file empty at the same time.
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, provenance TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id),
    dataset TEXT NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL, inner INTEGER NOT NULL,
    data TEXT NOT NULL, protocol TEXT NOT NULL, parameters TEXT NOT NULL, code TEXT NOT NULL,
    error TEXT, accuracy REAL, depth REAL, leaves REAL, nodes REAL,
    fit_seconds REAL, cpu_seconds REAL, shared INTEGER,
    n_train INTEGER, n_features INTEGER, n_test INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS cells_by_place ON cells (dataset, method);
CREATE TABLE IF NOT EXISTS outputs (
    key TEXT PRIMARY KEY, predictions BLOB, tree BLOB
) WITHOUT ROWID;
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""


class Store:
    """The cells computed so far.

    Parameters
    ----------
    path : Path
        The SQLite file.
    readonly : bool
        Look only: a file that is not there is an empty store, and none is made.

    Raises
    ------
    StoreError
        If the file cannot be written, is damaged, or was written by a newer retree.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        with self._explained():
            if not readonly:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = self._connect(readonly)
            self._prepare(readonly)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()

    def begin_run(self, started: str, provenance: dict[str, Any]) -> int:
        """Note that a run begins, and return its number."""
        with self._explained(), self._db as db:
            text = canonical(provenance)
            row = db.execute(
                "INSERT INTO runs (started, provenance) VALUES (?, ?)", (started, text)
            )
            return int(row.lastrowid or 0)

    def record(self, run: int, results: Iterable[tuple[Cell, Outcome]]) -> None:
        """Write finished cells in one transaction; a result that is there already stays."""
        with self._explained(), self._db as db:
            for cell, outcome in results:
                db.execute(_INSERT_CELL, _row(run, cell, outcome))
                if outcome.error is None:
                    blobs = (cell.key, outcome.predictions, outcome.tree)
                    db.execute("INSERT OR IGNORE INTO outputs VALUES (?, ?, ?)", blobs)

    def metrics(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return, for each of `keys` that is stored, done or failed, its metrics by name."""
        found: dict[str, dict[str, Any]] = {}
        names = ("run", *METRICS)
        with self._explained():
            for some in _chunks(keys):
                marks = ",".join("?" * len(some))
                query = f"SELECT key, {','.join(names)} FROM cells WHERE key IN ({marks})"
                for key, *values in self._db.execute(query, some):
                    found[key] = dict(zip(names, values, strict=True))
        return found

    def relatives(self, dataset: str, method: str) -> dict[Place, list[Parts]]:
        """Return what the done cells of `method` on `dataset` were made of, by their place.

        A place is (params as JSON, repeat, fold, inner).
        """
        query = (
            "SELECT params, repeat, fold, inner, data, protocol, parameters, code FROM cells "
            "WHERE dataset = ? AND method = ? AND error IS NULL"
        )
        found: dict[Place, list[Parts]] = {}
        with self._explained():
            for params, repeat, fold, inner, *parts in self._db.execute(query, (dataset, method)):
                found.setdefault((params, repeat, fold, inner), []).append(Parts(*parts))
        return found

    def speeds(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Return, by (dataset, method), mean seconds a fit, and mean rows times attributes."""
        query = (
            "SELECT dataset, method, AVG(fit_seconds), AVG(1.0 * n_train * n_features) FROM cells "
            "WHERE error IS NULL GROUP BY dataset, method"
        )
        with self._explained():
            return {(d, m): (seconds, size) for d, m, seconds, size in self._db.execute(query)}

    def runs(self) -> dict[int, dict[str, Any]]:
        """Return the provenance of every run by its number, `started` included."""
        query = "SELECT id, started, provenance FROM runs ORDER BY id"
        with self._explained():
            rows = self._db.execute(query).fetchall()
        return {number: {"started": started, **json.loads(text)} for number, started, text in rows}

    def predictions(self, key: str) -> NDArray[np.intp]:
        """Return the predicted class codes of the cell's test rows, in the order of the rows.

        A code counts the data set's classes in sorted order.

        Raises
        ------
        StoreError
            If the cell is not stored as done.
        """
        return unpack_predictions(self._output(key, "predictions"))

    def tree(self, key: str) -> Tree:
        """Return the tree of a cell whose protocol does not split.

        Raises
        ------
        StoreError
            If the cell is not stored as done, or keeps no tree.
        """
        return unpack_tree(self._output(key, "tree"))

    def _output(self, key: str, column: str) -> bytes:
        with self._explained():
            query = f"SELECT {column} FROM outputs WHERE key = ?"
            row = self._db.execute(query, (key,)).fetchone()
        if row is None or row[0] is None:
            raise StoreError(f"Cell {key[:12]} has no {column} in {self.path}: run its item first.")
        return bytes(row[0])

    def _connect(self, readonly: bool) -> sqlite3.Connection:
        if not readonly:
            db = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
            db.execute("PRAGMA journal_mode = WAL")
            return db
        if not self.path.exists():
            return sqlite3.connect(":memory:")
        # In a folder that cannot be written, WAL mode reads only what promises not to change.
        mode = "mode=ro" if os.access(self.path.parent, os.W_OK) else "immutable=1"
        uri = f"{self.path.resolve().as_uri()}?{mode}"
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)

    def _prepare(self, readonly: bool) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer retree (schema {version}, here "
                f"{SCHEMA_VERSION}): update retree, or choose another file with store=PATH."
            )
        if version == 0:
            if readonly:
                self._db = sqlite3.connect(":memory:")
            self._db.executescript(_SCHEMA)
        self._db.execute("SELECT key FROM cells LIMIT 1").fetchone()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of SQLite and of the file system into sentences."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self._why(str(error))} ({error}).") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{self.path} is damaged ({error}): move it away or delete it, "
                "the cells are computed anew."
            ) from error
        except OSError as error:
            raise StoreError(f"{self._why('unable to open')} ({error.strerror}).") from error

    def _why(self, message: str) -> str:
        if "locked" in message:
            return f"{self.path} is in use by another run: wait until it ends"
        return f"Cannot use the store {self.path}: choose a place you can write with store=PATH"


_COLUMNS = ("key", "run", "dataset", "method", "params", "repeat", "fold", "inner", *Parts._fields)
_INSERT_CELL = f"""
INSERT INTO cells ({",".join((*_COLUMNS, *METRICS))})
VALUES ({",".join("?" * len((*_COLUMNS, *METRICS)))})
ON CONFLICT (key) DO UPDATE SET {",".join(f"{c} = excluded.{c}" for c in ("run", *METRICS))}
WHERE cells.error IS NOT NULL
"""


def _row(run: int, cell: Cell, outcome: Outcome) -> tuple[Any, ...]:
    place = (cell.dataset, cell.method, canonical(cell.params), cell.repeat, cell.fold, cell.inner)
    metrics = (getattr(outcome, name) for name in METRICS)
    return (cell.key, run, *place, *cell.parts, *metrics)


def _chunks(keys: Sequence[str], size: int = 900) -> Iterator[Sequence[str]]:
    return (keys[i : i + size] for i in range(0, len(keys), size))
