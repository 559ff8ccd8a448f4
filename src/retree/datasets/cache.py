"""Fetched content in canonical form, as ``<data folder>/cache/<set>.<source>.csv.gz``."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pandas as pd

from retree import paths
from retree.datasets.canonical import cell_texts
from retree.datasets.catalogue import CatalogueEntry
from retree.datasets.files import parse_table, write_atomically
from retree.plain_files import read_gz


def path_of(entry: CatalogueEntry, source: str) -> Path:
    """Return where the content of a set from a source is cached."""
    return paths.data_dir() / "cache" / f"{entry.name}.{source}.csv.gz"


def write(entry: CatalogueEntry, source: str, X: pd.DataFrame, y: pd.Series) -> None:
    """Cache canonical content; the same content always gives the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*X.columns, "class"])
    writer.writerows(zip(*cell_texts(X, y), strict=True))
    write_atomically(path_of(entry, source), gzip.compress(text.getvalue().encode(), mtime=0))


def read(path: Path) -> pd.DataFrame:
    """Return the table of a cache file, every cell as text."""
    return parse_table(read_gz(path), path)
