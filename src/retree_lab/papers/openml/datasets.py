"""The tasks of OpenML's study 1 whose data are known, as data sets called ``openml-<task>``."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from retree_lab import paths
from retree_lab.plain_files import read_rows

PREFIX = "openml-"


def set_names() -> Collection[str]:
    """Return the names of all data sets."""
    return [f"{PREFIX}{task}" for task in index()]


def label(name: str) -> str:
    """Return the number and the name of the task called `name` here."""
    task = name.removeprefix(PREFIX)
    return f"{task} {index()[task]['name']}"


def file_rows(name: str) -> list[int]:
    """Return the rows of the one file of a data set."""
    return [int(index()[name.removeprefix(PREFIX)]["rows"])]


def is_known_by_name(name: str) -> bool:
    """Return whether a task's data set is known by its name, and not by matching results."""
    return index()[name.removeprefix(PREFIX)]["known_by"] == "name"


@cache
def index() -> dict[str, dict[str, str]]:
    """Return the rows of the index of tasks by the task's number."""
    rows = read_rows(paths.project_dir() / "data" / "openml" / "index.csv")
    return {row["task"]: row for row in rows}
