"""The tracked checksums, and the check of content against catalogue and checksums."""

from __future__ import annotations

import csv
from collections import Counter

import pandas as pd

from retree.errors import DataError
from retree_lab import paths
from retree_lab.datasets.canonical import sorted_sha256
from retree_lab.study.catalogue import CatalogueEntry

_COLUMNS = ("dataset", "source", "n_instances", "n_features", "sha256")


def check_shape(entry: CatalogueEntry, source: str, y: pd.Series) -> None:
    """Raise DataError if rows or class counts are not those of the catalogue.

    A generator draws its class counts, so for it only rows and names of classes are compared.
    """
    assert entry.raw is not None
    expected = dict(entry.raw.classes)
    rows = sum(expected.values())
    if len(y) != rows:
        raise DataError(f"it has {len(y)} rows, not {rows}")
    found = dict(Counter(y))
    if set(found) != set(expected) or (source != "generator" and found != expected):
        raise DataError(f"its classes are {_counts(found)}, not {_counts(expected)}")


def check_values(entry: CatalogueEntry, source: str, X: pd.DataFrame, y: pd.Series) -> None:
    """Raise DataError if the content has none of the checksums tracked for the set."""
    generated = source == "generator"
    rows = [row for row in _read() if row["dataset"] == entry.name]
    valid = {row["sha256"] for row in rows if (row["source"] == "generator") == generated}
    if not valid:
        raise DataError("data/checksums.csv has no checksum of it")
    if sorted_sha256(X, y) not in valid:
        raise DataError("its values differ from the tracked checksum")


def _read() -> list[dict[str, str]]:
    path = paths.checksums_file()
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return []
    if any(set(row) != set(_COLUMNS) or None in row.values() for row in rows):
        raise DataError(f"{path} does not have the columns {', '.join(_COLUMNS)}; restore it.")
    return rows


def _counts(classes: dict[str, int]) -> str:
    return ", ".join(f"{name}={classes[name]}" for name in sorted(classes))
