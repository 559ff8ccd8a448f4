"""The data sets that come with retree; the order of their rows is the one that counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from retree import paths
from retree.datasets.sources import folder

_REMEDY = "restore it with 'git checkout -- data/sets', or install retree again"


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table ``options["file"]`` of ``data/sets``, every cell as text."""
    return folder.read(paths.sets_dir(), options["file"], _REMEDY)
