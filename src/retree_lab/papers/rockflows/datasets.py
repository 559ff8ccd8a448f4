"""The unprocessed data sets of ROCKFlows (Parisi 2016), by name, from an index of their files."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from retree_lab import paths
from retree_lab.plain_files import read_rows

PREFIX = "rockflows-"
BY = "-by-"  # followed by a column that is predicted instead of the class


@dataclass(frozen=True)
class SetFiles:
    """A data set of the repository: its table, and the folds that it is tested on."""

    rows: int  # 0 if no copy is known
    classes: int  # How many have rows
    class_column: int  # Counted from 0; -1 is the last one
    arff: str  # The hash of the table's file, "" if no copy is known
    folds: str  # The hash of the file of the published folds
    # How sorted the rows are by class: 1 wholly, 0 in random order; NaN if no copy is known
    sorted_by_class: float
    left_out: str  # Why it is not computed, "" if it is


def set_names() -> Collection[str]:
    """Return the names of all data sets."""
    return known_sets()


def label(name: str) -> str:
    """Return the name that the repository has for the data set called `name` here."""
    return name.removeprefix(PREFIX).partition(BY)[0]


def file_rows(name: str) -> list[int]:
    """Return the rows of the one file of a data set; [] if it is unknown."""
    rows = known_sets()[name].rows
    return [rows] if rows else []


def index_dir() -> Path:
    """Return the folder of the index and of the bundled files."""
    return paths.project_dir() / "data" / "rockflows"


@cache
def known_sets() -> dict[str, SetFiles]:
    """Return the files of each data set by its name here."""
    return {
        PREFIX + row["set"]: SetFiles(
            int(row["rows"] or 0),
            int(row["classes"] or 0),
            int(row["class_column"]),
            row["arff"],
            row["folds"],
            float(row["sorted"] or "nan"),
            row["left_out"],
        )
        for row in read_rows(index_dir() / "index.csv")
    }
