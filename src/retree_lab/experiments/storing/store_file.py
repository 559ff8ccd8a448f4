"""The SQLite file of a store: how it is opened, mended, written, and what its errors mean."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Self

from retree.errors import StoreError
from retree_lab.experiments.storing.committed import drop_former
from retree_lab.experiments.storing.store_tables import SCHEMA, SCHEMA_VERSION, TABLES
from retree_lab.provenance import now

BUSY_SECONDS = 60.0
# As the path of the store has it by default.
OWN_FOLDER = ".store"
_ANOTHER = (
    "{} is not a store of retree, and is left as it is: move it away, or name another file with "
    "store=PATH."
)
_MAGIC = b"SQLite format 3\0"
# What SQLite says where it is asked for what every store has, or to write a file that can be.
_OF_DAMAGE = ("no such", "malformed", "readonly", "unsupported", "too big")
# Of some damaged files SQLite's message quotes bytes that are no text.
_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)


class StoreFile:
    """A SQLite file with the tables of a store.

    `readonly`: leave the file as it is, or make none: what is written goes to a copy in memory.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path, self._readonly, self._in_file = path, readonly, True
        with self._explained():
            _refuse_another_file(path)
            if not readonly:
                _make_folder(path.parent)
                self._mend()
            self._start()

    def _open(self) -> None:
        """Open the file anew, after another one has written it."""
        self._db.close()
        self._in_file = True
        with self._explained():
            self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def _start(self) -> None:
        self._db = self._connect()
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        if not self._readonly:
            return _open(str(self.path.absolute()))
        if not self.path.exists():
            return _open(":memory:")
        # In a folder that cannot be written, WAL mode reads only what promises not to change.
        mode = "mode=ro" if os.access(self.path.parent, os.W_OK) else "immutable=1"
        return _open(f"{self.path.resolve().as_uri()}?{mode}")

    def _prepare(self) -> None:
        if not self._readonly:
            self._db.execute("PRAGMA journal_mode = WAL")
            # Also where a table was added since the file was made.
            self._db.executescript(SCHEMA)
        elif not _tables(self._db):
            # There is no file, or a run is just making it.
            self._copy_to_memory()
        else:
            _refuse_another_version(self._db, self.path)
        self._db.execute("SELECT key FROM cells LIMIT 1").fetchone()

    def _mend(self) -> None:
        """Build a damaged index anew; of a file damaged otherwise, make a new store."""
        if self.path.exists() and (damage := self._find_damage()):
            print(self._rebuild(damage), file=sys.stderr)

    def _find_damage(self) -> str:
        try:
            with closing(_open(str(self.path.absolute()))) as db:
                drop_former(db)
                if not _refuse_another_version(db, self.path):
                    return "it does not have the tables of a store"
                if (damage := _check(db)) != "ok":
                    db.execute("REINDEX")
                    damage = _check(db)
            return "" if damage == "ok" else damage
        except _ERRORS as error:
            if self._is_damage(error):
                return str(error)
            raise

    def _rebuild(self, damage: str) -> str:
        """Set the file aside, take what can be read of it into a new one, and say so."""
        stamp = now().translate({ord(sign): None for sign in "-:+"})
        moved = self.path.with_name(f"{self.path.stem}.damaged-{stamp}{self.path.suffix}")
        for end in ("", "-wal", "-shm"):
            if (part := Path(f"{self.path}{end}")).exists():
                part.rename(f"{moved}{end}")
        with closing(self._connect()) as new, closing(_open(str(moved.absolute()))) as old:
            new.executescript(SCHEMA)
            for table in TABLES:
                names = [row[1] for row in new.execute(f"PRAGMA table_info({table})")]
                marks = ",".join("?" * len(names))
                new.execute("BEGIN")
                with suppress(*_ERRORS):
                    for row in old.execute(f"SELECT {','.join(names)} FROM {table} NOT INDEXED"):
                        new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)
                new.execute("COMMIT")
            count = new.execute("SELECT COUNT(*) FROM cells").fetchone()[0]
        return (
            f"{self.path} was damaged ({damage}) and is set aside as {moved.name}; {count:,} rows "
            "could be read and are kept, and the other cells are computed again."
        )

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
        file, self._db = self._db, _open(":memory:")
        with closing(file):
            file.backup(self._db)
        self._db.executescript(SCHEMA)
        self._in_file = False

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of SQLite and of the file system into sentences."""
        try:
            yield
        except _ERRORS as error:
            raise StoreError(self._why(error)) from error
        except OSError as error:
            raise StoreError(f"{_unusable(self.path)} ({error.strerror}).") from error

    def _why(self, error: Exception) -> str:
        if "locked" in str(error):
            return f"{self.path} is in use by another run: wait until it ends ({error})."
        if self._is_damage(error):
            return f"{self.path} is damaged ({error}): retree run mends it, or sets it aside."
        return f"{_unusable(self.path)} ({error})."

    def _is_damage(self, error: Exception) -> bool:
        """Return whether an error of SQLite is about the file's content."""
        if type(error) in (sqlite3.DatabaseError, UnicodeDecodeError):
            return True
        if "readonly" in str(error) and not _can_write(self.path):
            return False
        return any(words in str(error) for words in _OF_DAMAGE)


def _make_folder(folder: Path) -> None:
    """Make the folder of a store; one of its own keeps itself out of git."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.name == OWN_FOLDER and not (ignored := folder / ".gitignore").exists():
        ignored.write_text("*\n", encoding="utf-8")


def _open(name: str) -> sqlite3.Connection:
    """Open a file, by its path or URI; transactions begin where it is said.

    A text with a damaged byte is read as another text, so that its row's checksum tells.
    """
    # By itself Python looks for the beginning of a transaction in the words of statements, and
    # in some languages a capital I is not that of the alphabet.
    db = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    return db


def _refuse_another_file(path: Path) -> None:
    """Refuse what never was a SQLite file; of a damaged one not all of its first bytes differ."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head and sum(map(int.__eq__, head, _MAGIC)) < len(_MAGIC) // 2:
        raise StoreError(_ANOTHER.format(path))


def _tables(db: sqlite3.Connection) -> set[str]:
    """Return the statements that made the tables and indexes, in one line each."""
    made = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {" ".join(str(sql).split()) for (sql,) in made}


def _refuse_another_version(db: sqlite3.Connection, path: Path) -> bool:
    """Refuse the store of another version, and return whether all tables of a store are there.

    Where they are, a later version is a damaged number, and some tables may be missing.
    """
    with closing(_open(":memory:")) as new:
        new.executescript(SCHEMA)
        tables, expected = _tables(db), _tables(new)
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if 0 < version < SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by an earlier retree (schema {version}, here {SCHEMA_VERSION}), "
            "whose cells have other keys: move it away or delete it, or choose another file with "
            "store=PATH."
        )
    if version > SCHEMA_VERSION and not tables <= expected:
        raise StoreError(
            f"{path} was written by a newer retree (schema {version}, here {SCHEMA_VERSION}): "
            "update retree, or choose another file with store=PATH."
        )
    if tables and not tables & expected:
        raise StoreError(_ANOTHER.format(path))
    return tables <= expected


def _check(db: sqlite3.Connection) -> str:
    return str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])


def _can_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _unusable(path: Path) -> str:
    return f"Cannot use the store {path}: choose a writable file with store=PATH"
