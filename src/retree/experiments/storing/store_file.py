"""The SQLite file of a store: how it is opened, written, and what its errors mean."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from retree.errors import StoreError
from retree.experiments.storing.damaged_file import is_damage, put_away, put_away_if_damaged
from retree.experiments.storing.schema import SCHEMA, check_version

BUSY_SECONDS = 60.0


class StoreFile:
    """A SQLite file with the tables of a store.

    `readonly`: leave the file as it is, or make none: what is written goes to a copy in memory.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path, self._readonly, self._in_file = path, readonly, True
        with self._explained():
            if not readonly:
                path.parent.mkdir(parents=True, exist_ok=True)
                put_away_if_damaged(path, self._connect)
            self._db = self._connect()
            self._prepare()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()

    def _connect(self) -> sqlite3.Connection:
        if not self._readonly:
            db = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
            db.execute("PRAGMA journal_mode = WAL")
            return db
        if not self.path.exists():
            return sqlite3.connect(":memory:")
        # In a folder that cannot be written, WAL mode reads only what promises not to change.
        mode = "mode=ro" if os.access(self.path.parent, os.W_OK) else "immutable=1"
        uri = f"{self.path.resolve().as_uri()}?{mode}"
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        check_version(version, self.path)
        if not self._readonly:
            # Also where a table was added since the file was made.
            self._db.executescript(SCHEMA)
        elif version == 0:
            # There is no file, or a run is just making it.
            self._copy_to_memory()
        self._db.execute("SELECT key FROM cells LIMIT 1").fetchone()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the database in a transaction; of a readonly store it is a copy in memory."""
        with self._explained():
            if self._readonly and self._in_file:
                self._copy_to_memory()
            with self._db as db:
                db.execute("BEGIN IMMEDIATE")
                yield db

    def _copy_to_memory(self) -> None:
        memory = sqlite3.connect(":memory:")
        self._db.backup(memory)
        self._db.close()
        memory.executescript(SCHEMA)
        self._db, self._in_file = memory, False

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of SQLite and of the file system into sentences."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self._why(str(error))} ({error}).") from error
        except sqlite3.DatabaseError as error:
            if self._readonly or not is_damage(error):
                why = f"{self.path} is damaged ({error}): retree run sets it aside"
            else:
                why = put_away(self.path, error)
            raise StoreError(f"{why}; run again, the cells are computed anew.") from error
        except OSError as error:
            raise StoreError(f"{self._why('unable to open')} ({error.strerror}).") from error

    def _why(self, message: str) -> str:
        if "locked" in message:
            return f"{self.path} is in use by another run: wait until it ends"
        return f"Cannot use the store {self.path}: choose a place you can write with store=PATH"
