"""A folder of data files, named by the environment variable ``RETREE_MIRROR``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from retree.datasets.sources import folder
from retree.errors import DataError

VARIABLE = "RETREE_MIRROR"
_REMEDY = f"copy the mirror again, or correct {VARIABLE}"


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table ``options["file"]`` of the mirror folder, every cell as text."""
    return folder.read(_folder(), options["file"], _REMEDY)


def _folder() -> Path:
    value = os.environ.get(VARIABLE)
    if not value:
        raise DataError(f"{VARIABLE} is not set; set it to a folder with index.csv and data files.")
    path = Path(value).resolve()
    if not path.is_dir():
        raise DataError(f"{VARIABLE} names {path}, which is not a folder; correct it.")
    return path
