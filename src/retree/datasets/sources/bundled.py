"""The data sets that come with retree; the order of their rows is the one that counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from retree import paths
from retree.datasets.sources import folder

_REMEDY = "restore it with 'git checkout -- data/sets', or install retree again"


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table of a bundled data set, every cell as text.

    Parameters
    ----------
    name : str
        Not used: the messages name the file.
    options : dict
        ``file`` is the name in ``data/sets``.

    Raises
    ------
    DataError
        If the file is missing or damaged.
    """
    return folder.read(paths.sets_dir(), options["file"], _REMEDY)
