"""Splits that come with data: as a column, as a file, or as KEEL's files of each fold.

They are the place of each row in each split: 1, 2, … to train on, -1, -2, … to test on, in
that order, and 0 where a split leaves a row out; shape (n_rows, n_splits).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import DataError
from retree_lab.datasets.own_tables import read_table
from retree_lab.plain_files import decode, read_csv, read_plain
from retree_lab.study.folders import path_inside

FOLD = "{fold}"
MOST_MEGABYTES = 16  # of a file of folds, unpacked
Places = NDArray[np.int32]


def changed(path: Path) -> int:
    """Return the time of a file's last change."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        raise DataError(f"{path} does not exist") from None


@lru_cache(maxsize=64)
def read_places(path: Path, n_rows: int, changed: int) -> tuple[Places, int]:
    """Return the places of rows in the splits of a file, and how many folds a repeat has.

    A csv has a line for each row after a header, and a column for each repeat: the fold, from 0 on,
    in which the row is tested on. Any other file has numbers of rows, from 0 on: a line of those to
    train on, a line of those to test on, and so on.
    """
    content = read_plain(path, MOST_MEGABYTES)
    if ".csv" not in path.suffixes:
        places = _numbered(decode(content, path.name), path, n_rows)
        return places, places.shape[1]
    try:
        rows = [[cell or "nan" for cell in row] for row in read_csv(content, str(path)).rows]
        table = np.array(rows, dtype=np.float64)
    except ValueError as error:
        raise DataError(f"{path} cannot be read ({error}): write fold numbers.") from error
    if len(table) != n_rows:
        raise DataError(f"{path} has {len(table)} rows, but the data set has {n_rows}")
    given = table[~np.isnan(table)]
    if not len(given) or (given % 1 != 0).any() or given.min() < 0:
        raise DataError(
            f"{path} must number folds from 0, or be empty for rows that are not tested."
        )
    folds = int(given.max()) + 1
    for column in table.T:
        if set(column[~np.isnan(column)]) != set(range(folds)):
            raise DataError(
                f"{path} lacks a fold in one of its columns: number them from 0 without gaps."
            )
    return np.hstack([places_of_folds(column, folds) for column in table.T]), folds


def places_of_folds(fold: NDArray[Any], folds: int) -> Places:
    """Return the places of rows that are tested on in one `fold` each, or in none."""
    is_test = fold[:, None] == np.arange(folds)
    places = np.where(is_test, -is_test.cumsum(axis=0), (~is_test).cumsum(axis=0))
    return places.astype(np.int32)


def _numbered(text: str, path: Path, n_rows: int) -> Places:
    lines = [line.replace(",", " ").split() for line in text.splitlines() if line.strip()]
    if not lines or len(lines) % 2:
        raise DataError(f"{path} needs two lines for each split: training rows, then test rows.")
    places = np.zeros((n_rows, len(lines) // 2), np.int32)
    for number, line in enumerate(lines):
        rows = np.array([int(entry) if entry.isdecimal() else n_rows for entry in line])
        column = places[:, number // 2]
        if rows.max() >= n_rows or column[rows].any() or len(set(line)) < len(line):
            raise DataError(
                f"{path}, line {number + 1}, must have row numbers from 0 to {n_rows - 1}, "
                "each once in a split: correct it."
            )
        column[rows] = (-1 if number % 2 else 1) * np.arange(1, len(rows) + 1)
    return places


def read_folds(study: Path, pattern: str, **how: Any) -> tuple[pd.DataFrame, Places]:
    """Return the table that the test files of all folds make, and the places of its rows.

    `pattern`: what the files are called, with ``{fold}`` for 1, 2, …. If it has ``tst``, files
    with ``tra`` there may list the training rows, as KEEL's do: they say in which order these come.
    """
    tables: list[pd.DataFrame] = []
    while (path := _file_of(study, pattern, len(tables) + 1)).is_file():
        tables.append(read_table(path, **how))
        if not tables[-1].dtypes.equals(tables[0].dtypes):
            raise DataError(f"{path.name} declares other columns than fold 1; correct it.")
    if len(tables) < 2:
        raise DataError(f"there is no {path.name}: number the files of the folds from 1.")
    table = pd.concat(tables, ignore_index=True)
    table.attrs = tables[0].attrs
    fold = np.repeat(np.arange(len(tables)), list(map(len, tables)))
    places = places_of_folds(fold, len(tables))
    for k in range(len(tables)):
        path = _file_of(study, pattern.replace("tst", "tra"), k + 1)
        if "tst" in pattern and path.is_file():
            train = _find_rows(read_table(path, **how), table[fold != k], path.name)
            places[train, k] = np.arange(1, len(train) + 1)
    return table, places


def _file_of(study: Path, pattern: str, fold: int) -> Path:
    return path_inside(study, pattern.replace(FOLD, str(fold)))


def _find_rows(train: pd.DataFrame, others: pd.DataFrame, name: str) -> list[int]:
    """Return the numbers of training rows, in their order, among the rows of the other folds."""
    numbers: dict[Hashable, deque[int]] = defaultdict(deque)
    for number, row in zip(others.index, _rows(others), strict=True):
        numbers[row].append(number)
    rows = _rows(train)
    if sorted(map(str, rows)) != sorted(map(str, _rows(others))):
        raise DataError(
            f"{name} has other rows than the other folds test on; use the "
            "files as KEEL publishes them."
        )
    return [numbers[row].popleft() for row in rows]


def _rows(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    filled = table.astype(object).where(table.notna(), None)
    return list(filled.itertuples(index=False, name=None))
