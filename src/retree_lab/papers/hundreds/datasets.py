"""The data sets of Fernández-Delgado et al. (2014), by name, from the index of their archive.

A set of a training and a test file has a second name, with ``-rescaled``, see
``loading.py``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from retree_lab import paths
from retree_lab.plain_files import read_rows

PREFIX, RESCALED = "hundreds-", "-rescaled"


@dataclass(frozen=True)
class ArchiveFile:
    """A file of the archive."""

    name: str  # Its name and the hash of its content, "" if no copy is known
    sha256: str
    rows: int = 0  # How many rows it has, 0 if no copy is known
    # How many test rows the four folds that the authors published for it have, 0 without folds.
    fold_rows: int = 0


def set_names() -> Collection[str]:
    """Return the names of all data sets."""
    return archived_sets()


def archive_dir() -> Path:
    """Return the folder of the index and of the bundled files."""
    return paths.project_dir() / "data" / "hundreds"


@cache
def archived_sets() -> dict[str, tuple[ArchiveFile, ...]]:
    """Return the files of each data set by its name here, the training file first."""
    sets: dict[str, tuple[ArchiveFile, ...]] = {}
    for row in read_rows(archive_dir() / "index.csv"):
        name = PREFIX + row["set"]
        rows, fold_rows = int(row["rows"] or 0), int(row["fold_rows"] or 0)
        entry = ArchiveFile(row["file"], row["sha256"], rows, fold_rows)
        sets[name] = (*sets.get(name, ()), entry)
    return sets | {name + RESCALED: files for name, files in sets.items() if len(files) > 1}


def file_rows(name: str) -> list[int]:
    """Return the rows of each file of a data set, the training file first; [] if one is unknown."""
    rows = [file.rows for file in archived_sets()[name]]
    return rows if all(rows) else []


def label(name: str) -> str:
    """Return the name that the paper has for the data set called `name` here."""
    return name.removeprefix(PREFIX).removesuffix(RESCALED)
