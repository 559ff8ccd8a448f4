"""A store that SQLite cannot read any more: it makes room for a new one, and stays."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from retree.provenance import now


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is damaged; its subclasses are about something else."""
    return type(error) is sqlite3.DatabaseError


def put_away(path: Path, error: Exception) -> str:
    """Give a damaged file another name, and return what happened."""
    stamp = now().translate({ord(sign): None for sign in "-:+"})
    moved = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    for end in ("", "-wal", "-shm"):
        if (part := Path(f"{path}{end}")).exists():
            part.rename(f"{moved}{end}")
    return f"{path} was damaged ({error}) and is set aside as {moved.name}"


def put_away_if_damaged(path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
    """Set aside a file that is no store, or whose first pages are damaged, and say so on stderr."""
    if not path.exists():
        return
    try:
        with closing(connect()) as db:
            db.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        print(f"{put_away(path, error)}; the cells are computed anew.", file=sys.stderr)
