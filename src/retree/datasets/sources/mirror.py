"""A folder of data files, named by the environment variable ``RETREE_MIRROR``.

It holds ``index.csv`` (columns ``name`` and ``sha256`` of the uncompressed file, among others) and
``<name>.csv.gz`` (header row, class column last, empty cells missing).
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree.datasets.files import parse_table, unzip
from retree.errors import DataError

VARIABLE = "RETREE_MIRROR"


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table of data set `name` from the mirror folder, every cell as text.

    Parameters
    ----------
    name : str
        For messages only.
    options : dict
        ``file`` is the name in the mirror.

    Raises
    ------
    DataError
        If the variable is not set, or the folder, its index or the file is missing or damaged.
    """
    folder = _folder()
    path = folder / f"{options['file']}.csv.gz"
    expected = _index(folder).get(options["file"])
    if expected is None:
        raise DataError(f"{folder / 'index.csv'} has no row {options['file']!r} for {name!r}.")
    content = unzip(path)
    if hashlib.sha256(content).hexdigest() != expected:
        raise DataError(f"{path} does not have the sha256 of index.csv; copy the mirror again.")
    return parse_table(content, path)


def _folder() -> Path:
    value = os.environ.get(VARIABLE)
    if not value:
        raise DataError(f"{VARIABLE} is not set; set it to a folder with index.csv and data files.")
    folder = Path(value).resolve()
    if not folder.is_dir():
        raise DataError(f"{VARIABLE} names {folder}, which is not a folder; correct it.")
    return folder


def _index(folder: Path) -> dict[str, str]:
    path = folder / "index.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return {row["name"]: row["sha256"] for row in csv.DictReader(file)}
    except FileNotFoundError:
        raise DataError(f"{path} is missing; set {VARIABLE} to the folder that holds it.") from None
    except (OSError, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} is not an index with columns name and sha256: {error}.") from error
