"""The table of a data set as one source gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from retree.errors import DataError
from retree_lab.datasets import servers
from retree_lab.datasets.sources import computed, folder, openml, uci
from retree_lab.study.catalogue import SERVERS, CatalogueEntry

_FETCH: dict[str, Callable[[str, Mapping[str, Any]], pd.DataFrame]] = {
    "mirror": folder.fetch_mirrored,
    "openml": openml.fetch,
    "uci": uci.fetch,
    "bundled": folder.fetch_bundled,
    "scikit-learn": computed.fetch_scikit_learn,
    "generator": computed.fetch_generated,
}


def fetch_table(entry: CatalogueEntry, source: str) -> pd.DataFrame:
    """Return the table of a set as `source` gives it, not yet in canonical form."""
    if source not in entry.sources:
        raise DataError(f"{entry.name!r} has no source {source} (only {', '.join(entry.sources)}).")
    if source in SERVERS:
        servers.require(source)
    return _FETCH[source](entry.name, entry.sources[source])
