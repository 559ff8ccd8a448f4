"""Folders of data files: the bundled sets, whose row order is the one that counts, and a mirror.

It holds ``index.csv`` (columns ``name`` and ``sha256`` of the uncompressed file, among others) and
``<name>.csv.gz`` (header row, class column last, empty cells missing).
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import DataError, RefusedError
from retree_lab import paths
from retree_lab.plain_files import read_gz, read_rows

MIRROR = "RETREE_MIRROR"  # the environment variable that names a mirror's folder
_BUNDLED_REMEDY = "restore it with 'git checkout -- data/sets', or install retree again"
_MIRROR_REMEDY = f"copy the mirror again, or correct {MIRROR}"


def fetch_bundled(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table ``options["file"]`` of ``data/sets``, every cell as text."""
    return read(paths.sets_dir(), options["file"], _BUNDLED_REMEDY)


def fetch_mirrored(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table ``options["file"]`` of the mirror, every cell as text."""
    value = os.environ.get(MIRROR)
    if not value:
        raise DataError(f"{MIRROR} is not set; set it to a folder with index.csv and data files.")
    path = Path(value).resolve()
    if not path.is_dir():
        raise DataError(f"{MIRROR} names {path}, which is not a folder; correct it.")
    return read(path, options["file"], _MIRROR_REMEDY)


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
        return {row["name"]: row["sha256"] for row in read_rows(path)}
    except FileNotFoundError:
        raise DataError(f"{path} is missing; {remedy}.") from None
    except (OSError, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"{path} is not an index with columns name and sha256 ({error}); {remedy}."
        ) from error


def parse_table(content: bytes, path: Path) -> pd.DataFrame:
    """Return a csv as a frame of texts, where only the empty cell is missing.

    `path` is where the content came from, for the DataError that content of no csv raises.
    """
    try:
        return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, na_values=[""])
    except ValueError as error:
        raise DataError(f"{path} is not a csv ({error}); copy it again.") from error
