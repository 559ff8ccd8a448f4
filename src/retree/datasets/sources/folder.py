"""A folder of data files, as the bundled sets and a mirror are.

It holds ``index.csv`` (columns ``name`` and ``sha256`` of the uncompressed file, among others) and
``<name>.csv.gz`` (header row, class column last, empty cells missing).
"""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pandas as pd

from retree.datasets.files import parse_table
from retree.errors import DataError, RefusedError
from retree.plain_files import read_gz


def read(folder: Path, file: str, remedy: str) -> pd.DataFrame:
    """Return the table `file` of a folder, every cell as text."""
    path = folder / f"{file}.csv.gz"
    expected = digests(folder, remedy).get(file)
    if expected is None:
        raise DataError(f"{folder / 'index.csv'} has no row {file!r}; {remedy}.")
    content = read_gz(path)
    if hashlib.sha256(content).hexdigest() != expected:
        raise RefusedError(f"{path} does not have the sha256 of index.csv; {remedy}.")
    return parse_table(content, path)


def digests(folder: Path, remedy: str) -> dict[str, str]:
    """Return the sha256 of each uncompressed file of a folder, as its index has it."""
    path = folder / "index.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return {row["name"]: row["sha256"] for row in csv.DictReader(file)}
    except FileNotFoundError:
        raise DataError(f"{path} is missing; {remedy}.") from None
    except (OSError, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"{path} is not an index with columns name and sha256 ({error}); {remedy}."
        ) from error
