"""Which run is computing which cells, so that several runs on one store share the work.

A claim is a lease: its run renews it while it lives. Where the run is gone, others take its cells
over: on the same machine at once, from another one when the lease has lapsed. No lease counts for
longer than a minute after it was seen first, whatever the clock of its machine says.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from typing import NamedTuple

LEASE_SECONDS = 60.0
_RENEWALS = 4
CLAIMS_SCHEMA = """
CREATE TABLE IF NOT EXISTS claims (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL
) WITHOUT ROWID;
"""


class Claimed(NamedTuple):
    """The cells that a run asked for: taken, or computed by another run."""

    mine: set[str]  # The keys that are now claimed by this run
    others: dict[str, str]  # Those that another run is computing, with that run
    done: set[str]  # Those that another run has computed since this one looked


class Claims:
    """The claims of a run; leaving the context gives them up.

    `runs`: the run that each cell was stored by when this run looked, by key.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], runs: Mapping[str, int]) -> None:
        self._connect, self._known = connect, runs
        self.owner = f"{platform.node()} {os.getpid()} {uuid.uuid4().hex[:8]}"
        # When a lease of another run was seen first, by its cell, its run, and the time it ends.
        self._seen: dict[tuple[object, ...], float] = {}
        self._db, self._ended = connect(), threading.Event()
        self._renewing = threading.Thread(target=self._renew, daemon=True)
        self._renewing.start()

    def __enter__(self) -> Claims:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        # The last connection to close tidies up the file, so it should be this run's.
        self._renewing.join(timeout=5)
        with suppress(sqlite3.Error), self._db as db:
            db.execute("DELETE FROM claims WHERE owner = ?", (self.owner,))
        self._db.close()

    def take(self, keys: Iterable[str]) -> Claimed:
        """Claim the `keys` that nobody else computes, or has computed meanwhile."""
        wanted = list(keys)
        marks = ",".join("?" * len(wanted))
        with self._db as db:
            db.execute("BEGIN IMMEDIATE")
            stored = dict(
                db.execute(f"SELECT key, run FROM cells WHERE key IN ({marks})", wanted).fetchall()
            )
            query = f"SELECT key, owner, until FROM claims WHERE key IN ({marks})"
            held = {
                key: str(owner)
                for key, owner, until in db.execute(query, wanted).fetchall()
                if owner != self.owner and self._counts(key, owner, until)
            }
            done = {key for key, run in stored.items() if run != self._known.get(key)}
            mine = set(wanted) - held.keys() - done
            until = time.time() + LEASE_SECONDS
            rows = [(key, self.owner, until) for key in sorted(mine)]
            db.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", rows)
        return Claimed(mine, {key: held[key] for key in held.keys() - done}, done)

    def _counts(self, key: str, owner: object, until: object) -> bool:
        """Return whether a lease of another run has not lapsed, and its run is not gone."""
        if not isinstance(until, float) or until <= time.time() or _is_gone(str(owner)):
            return False
        seen = self._seen.setdefault((key, owner, until), time.monotonic())
        return time.monotonic() < seen + LEASE_SECONDS

    def _renew(self) -> None:
        with suppress(sqlite3.Error), closing(self._connect()) as db:
            while not self._ended.wait(LEASE_SECONDS / _RENEWALS):
                with suppress(sqlite3.OperationalError), db:
                    until = time.time() + LEASE_SECONDS
                    db.execute("UPDATE claims SET until = ? WHERE owner = ?", (until, self.owner))


def _is_gone(owner: str) -> bool:
    """Return whether the process of a run on this machine has ended, or never was one."""
    machine, process = process_of(owner)
    if machine != platform.node():
        return False
    try:
        os.kill(int(process), 0)
    except PermissionError:
        return False
    except (ProcessLookupError, ValueError, OverflowError):
        return True
    return False


def process_of(owner: str) -> tuple[str, str]:
    """Return the machine and the number of the process of a run, as its claims name them."""
    machine, process, *_ = *owner.rsplit(" ", 2), "", ""
    return machine, process
