"""The committed cells in the store: each export is taken in whole, once, and asked from then on."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.planning.grids import Chosen, ChosenPoints
from retree_lab.experiments.planning.keys import KEY_DIGITS
from retree_lab.experiments.storing.exports import (
    BEST_TEST,
    BLOBS,
    CELLS,
    CHOICE,
    DONE,
    FAILED,
    INTEGERS,
    NESTED,
    REALS,
    REPLICATES,
    SELECTED,
    TEXT,
    TEXTS,
    Columns,
    Export,
    content_hash,
)
from retree_lab.experiments.storing.outcomes import NO_SCORES, StoredCell

_COLUMNS = ("folder", "file", *TEXTS, *INTEGERS, *REALS, "scores", *BLOBS, *CHOICE)
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS exports (folder TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS committed (
    folder TEXT NOT NULL, file TEXT NOT NULL, {", ".join(f"{name} TEXT" for name in TEXTS)},
    {", ".join(f"{name} INTEGER" for name in INTEGERS)},
    {", ".join(f"{name} REAL" for name in REALS)},
    scores TEXT, predictions BLOB, tree BLOB, selected TEXT, n_points INTEGER,
    checksum INTEGER NOT NULL, PRIMARY KEY (folder, file, key)
) WITHOUT ROWID;
"""
_INSERT = f"INSERT OR REPLACE INTO committed VALUES ({','.join('?' * (len(_COLUMNS) + 1))})"
_SELECT = f"SELECT {','.join(_COLUMNS)}, checksum FROM committed"
_AT = {name: i for i, name in enumerate(_COLUMNS)}
_VALUES = itemgetter(*(_AT[name] for name in StoredCell._fields[1:11]))
_KEY_STATUS = itemgetter(_AT["key"], _AT["status"])


def drop_former(db: sqlite3.Connection) -> None:
    """Drop the committed cells of a store that has them in the order of earlier versions."""
    former = "SELECT 1 FROM sqlite_master WHERE name = 'committed_by_folder'"
    if db.execute(former).fetchone():
        with db:
            db.execute("BEGIN IMMEDIATE")
            # Another run may have done so in between.
            if db.execute(former).fetchone():
                db.execute("DROP TABLE committed")
                db.execute("DELETE FROM exports")


def taken_in(db: sqlite3.Connection, folders: Sequence[Path]) -> list[Path]:
    """Return the `folders` whose files are as they were when a store took them in."""
    try:
        contents = dict(db.execute("SELECT folder, content FROM exports").fetchall())
    except sqlite3.OperationalError:
        # A store that is only looked at may be older than these tables.
        contents = {}
    return [path for path in folders if contents.get(str(path.resolve())) == content_hash(path)]


class CommittedCells:
    """The committed cells that a store has taken in of some folders; the first counts first.

    `folders`: ``results/<paper>`` of each paper.
    """

    def __init__(self, db: sqlite3.Connection, folders: Sequence[Path]) -> None:
        self._db, self._folders = db, {str(path.resolve()): path for path in folders}
        # Those of which a row was found that is not as it was written.
        self.damaged: set[Path] = set()

    def find(self, keys: Sequence[str]) -> dict[str, StoredCell]:
        """Return the committed cells among `keys`, done or failed."""
        full = {key[:KEY_DIGITS]: key for key in keys}
        cells: dict[str, StoredCell] = {}
        for row in self._believed(f"key IN ({','.join('?' * len(full))})", list(full)):
            short, status = _KEY_STATUS(row)
            former = cells.get(full[short])
            better = former is None or (former.error is not None and status == DONE)
            if better and status in (DONE, FAILED):
                cells[full[short]] = _stored(row)
        return cells

    def blobs(self, key: str) -> tuple[bytes | None, bytes | None]:
        """Return the packed predictions and tree of a cell, None where they are not committed."""
        where = "key = ? AND predictions IS NOT NULL"
        for row in self._believed(where, [key[:KEY_DIGITS]]):
            return row[_AT["predictions"]], row[_AT["tree"]]
        return None, None

    def table(self, folder: Path, *columns: str, where: str = "TRUE") -> pd.DataFrame:
        """Return columns of the finished cells of a paper, without replicates."""
        query = (
            f"SELECT {','.join(columns)} FROM committed "
            f"WHERE folder = ? AND file = '{CELLS}' AND status = '{DONE}' AND {where}"
        )
        rows = self._db.execute(query, (str(folder.resolve()),)).fetchall()
        table = pd.DataFrame(rows, columns=list(columns))
        return table.astype({name: TEXT for name in columns if name in TEXTS})

    def places(self, prefix: str) -> list[tuple[str, str, str, str, str]]:
        """Return folder, items, data set, method and key of the cells whose key begins so."""
        query = (
            f"SELECT folder, items, dataset, method, key FROM committed WHERE file = '{CELLS}' "
            "AND folder = ? AND key >= ? AND key < ? || 'g' ORDER BY key"
        )
        start = prefix[:KEY_DIGITS]
        by_folder = (self._db.execute(query, (name, start, start)) for name in self._folders)
        return [row for rows in by_folder for row in rows]

    def times(self, folder: Path) -> list[tuple[str, str, str, int, float, float]]:
        """Return data set, items, method, count, and sums of seconds and of rows x features."""
        query = (
            "SELECT dataset, items, method, COUNT(*), SUM(fit_seconds), "
            "SUM(1.0 * n_train * n_features) FROM committed "
            f"WHERE folder = ? AND file = '{CELLS}' AND status = '{DONE}' "
            "GROUP BY dataset, items, method"
        )
        return self._db.execute(query, (str(folder.resolve()),)).fetchall()

    def chosen(self, folder: Path) -> ChosenPoints:
        """Return the points of the replicates of a paper."""
        query = (
            f"SELECT dataset, method, repeat, fold, point, {SELECTED}, n_points, key "
            f"FROM committed WHERE folder = ? AND file = '{REPLICATES}'"
        )
        rows = self._db.execute(query, (str(folder.resolve()),)).fetchall()
        points: dict[tuple[str, str, int, int], dict[str, int]] = {}
        for dataset, method, repeat, fold, point, selected, n_points, _ in rows:
            at_place = points.setdefault((dataset, method, repeat, fold), {"n_points": n_points})
            at_place |= dict.fromkeys(selected.split(), point)
        chosen = {
            place: Chosen(at_place.get(BEST_TEST, -1), at_place.get(NESTED), at_place["n_points"])
            for place, at_place in points.items()
        }
        return ChosenPoints(chosen, frozenset(row[-1] for row in rows))

    def _believed(self, where: str, values: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of the folders that are as they were written."""
        query = f"{_SELECT} WHERE folder = ? AND file IN ('{CELLS}', '{REPLICATES}') AND {where}"
        for name, folder in self._folders.items():
            for row in self._db.execute(query, (name, *values)):
                if _checksum(row[:-1]) == row[-1]:
                    yield row
                else:
                    self.damaged.add(folder)


def write_export(db: sqlite3.Connection, export: Export, numbers: Sequence[int]) -> None:
    """Write the cells of an export in place of the cells that were taken in before.

    `numbers`: those of its runs in the store.
    """
    name = str(export.folder.resolve())
    db.execute("DELETE FROM committed WHERE folder = ?", (name,))
    for file, columns in export.tables.items():
        db.executemany(_INSERT, _rows(name, file, columns, numbers))
    db.execute("INSERT OR REPLACE INTO exports VALUES (?, ?)", (name, content_hash(export.folder)))


def _rows(name: str, file: str, columns: Columns, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
    count = len(columns["key"])
    every: Columns = {"folder": [name] * count, "file": [file] * count, **columns}
    every["run"] = [None if run is None else numbers[run] for run in columns["run"]]
    nothing = [None] * count
    rows = zip(*(every.get(column, nothing) for column in _COLUMNS), strict=True)
    # In the order of the table, which is faster to write.
    return [(*row, _checksum(row)) for row in sorted(rows, key=lambda row: row[2])]


def _checksum(row: tuple[Any, ...]) -> int:
    return zlib.crc32(repr(row).encode("utf-8", "surrogatepass"))


def _stored(row: tuple[Any, ...]) -> StoredCell:
    error = row[_AT["reason"]] if row[_AT["status"]] == FAILED else None
    digest, run, scores = row[_AT["digest"]] or None, row[_AT["run"]], row[_AT["scores"]]
    scores = json.loads(scores) if scores else NO_SCORES
    return StoredCell._make((error, *_VALUES(row), digest, run, None, scores))
