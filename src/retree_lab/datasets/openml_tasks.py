"""The classification tasks of OpenML: their data, in the order that decides the split.

The order of rows, classes and levels is that of the ARFF file, as OpenML and Weka read it.
``data/openml/index.csv`` lists known tasks. The file of a task is, in this order, one that comes
with retree, one of the mirror (``arff/<task>.arff``), or the server's, which is fetched once and
then kept.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from retree.errors import AwayError, DataError, RefusedError
from retree_lab import paths
from retree_lab.datasets.arff import read_arff
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.datasets.sources import folder, openml
from retree_lab.plain_files import read_plain, read_rows

MOST_MEGABYTES = 256


@dataclass(frozen=True)
class KnownTask:
    """A task of the index.

    Its data set is known ``by_name``, or its file was found by published results that it gives.
    """

    task: int
    name: str
    file: str  # The file it was read from, in the repository that the index names
    rows: int
    sha256: str  # Of the content, see `content_sha256`
    by_name: bool
    # Whether the file's target is a number; its classes are then P below the mean and N from it on,
    # and its features have the six decimals with which Weka wrote them.
    binarised: bool


@cache
def known_tasks() -> dict[int, KnownTask]:
    """Return the tasks of the index by their numbers."""
    tasks = (
        KnownTask(
            int(row["task"]),
            row["name"],
            row["file"],
            int(row["rows"]),
            row["sha256"],
            row["known_by"] == "name",
            row["target"] == "number",
        )
        for row in read_rows(folder_of_tasks() / "index.csv")
    )
    return {task.task: task for task in tasks}


def folder_of_tasks() -> Path:
    """Return the folder of the index and of the files that come with retree."""
    return paths.project_dir() / "data" / "openml"


def load_task(number: int, online: bool = True) -> tuple[pd.DataFrame, pd.Series, str]:
    """Return features and classes of an OpenML task, and where its file is from.

    `online`: whether the server may be asked.

    Raises
    ------
    DataError
        If no source has the file, or it is not that of the task.
    """
    reasons = []
    for source, path in _files(number):
        if path is not None and path.exists():
            return *_read(number, path), source
        reasons.append(_absent(source, path))
    if not online:
        raise AwayError(f"Task {number} of OpenML is unavailable. {' '.join(reasons)}")
    try:
        kept = openml.kept_file(f"task-{number}", lambda: openml.fetch_task(number))
    except AwayError as error:
        why = " ".join([*reasons, str(error)])
        raise AwayError(f"Task {number} of OpenML is unavailable. {why}") from error
    table = pd.read_parquet(kept)
    X, y = _classes(table, False, kept.name)
    _check(number, X, y, f"The file of the server ({kept.name})")
    return X, y, "openml"


def content_sha256(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the hash of all values, levels and classes, in their order; names do not count."""
    return ordered_sha256(X.set_axis(range(X.shape[1]), axis=1), y)


def _files(number: int) -> list[tuple[str, Path | None]]:
    mirror = os.environ.get(folder.MIRROR)
    copies = (
        [Path(mirror) / "arff" / f"{number}.arff{end}" for end in ("", ".gz")] if mirror else []
    )
    file = next((path for path in copies if path.exists()), None)
    return [("bundled", folder_of_tasks() / f"{number}.arff.gz"), ("mirror", file)]


def _absent(source: str, path: Path | None) -> str:
    if source == "bundled":
        return "It does not come with retree."
    if not os.environ.get(folder.MIRROR):
        return f"{folder.MIRROR} is not set."
    return f"The folder arff of {os.environ[folder.MIRROR]} does not have it."


def _read(number: int, path: Path) -> tuple[pd.DataFrame, pd.Series]:
    task = known_tasks().get(number)
    table = read_arff(read_plain(path, MOST_MEGABYTES), path.name)
    X, y = _classes(table, task is not None and task.binarised, path.name)
    _check(number, X, y, str(path))
    return X, y


def _classes(table: pd.DataFrame, binarised: bool, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and classes; the last column is the target."""
    if table.shape[1] < 2 or not len(table):
        raise DataError(f"{name} needs rows, features and a class; use another file.")
    X, y = table.iloc[:, :-1], table.iloc[:, -1].rename("class")
    if y.dtype.kind == "f":
        if not binarised:
            raise DataError(f"The last column of {name} is a number, not a class; move the class.")
        # A row without a target is not below the mean either.
        is_low = y < math.fsum(y.dropna()) / y.count()
        dtype = pd.CategoricalDtype(pd.Index(["P", "N"], dtype=str))
        X, y = _six_decimals(X), pd.Series(np.where(is_low, "P", "N"), name="class").astype(dtype)
    if y.isna().any():
        raise DataError(f"{int(y.isna().sum())} rows of {name} have no class; remove them.")
    return X, y


def _six_decimals(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table with numbers as Weka writes them, halves away from zero."""

    def written(column: pd.Series) -> pd.Series:
        return np.sign(column) * np.floor(column.abs() * 1e6 + 0.5) / 1e6

    return X.apply(lambda column: written(column) if column.dtype.kind == "f" else column)


def _check(number: int, X: pd.DataFrame, y: pd.Series, what: str) -> None:
    """Refuse content that differs from the index; tasks that it lacks are not checked."""
    task = known_tasks().get(number)
    if task is None or content_sha256(X, y) == task.sha256:
        return
    lacks = f"it has {len(y)} rows, not {task.rows}"
    why = lacks if len(y) != task.rows else "its values, levels or classes are others"
    raise RefusedError(
        f"{what} is not the file of task {number} ({task.name}) of OpenML, since {why}; put that "
        "file there."
    )
