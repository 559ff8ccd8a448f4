"""Whether a server gives the rows of a bundled data set: asked once, then kept beside the cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from retree import paths
from retree.datasets.canonical import canonicalise
from retree.datasets.catalogue import CatalogueEntry
from retree.datasets.differences import find_difference, relabelled
from retree.datasets.fetching import fetch_table
from retree.datasets.files import write_atomically
from retree.datasets.sources import bundled
from retree.errors import DataError

Reference = Callable[[], tuple[pd.DataFrame, pd.Series]]


@dataclass(frozen=True)
class SourceCheck:
    """What the comparison of a source with the bundled rows found.

    Attributes
    ----------
    source : str
        The source.
    date : str
        When it was asked.
    bundled : str
        The sha256 of the bundled file that it was compared with.
    difference : str
        How it differs, in half a sentence; "" if it has the same rows.
    first : sequence of str
        The first differences.
    """

    source: str
    date: str
    bundled: str
    difference: str = ""
    first: Sequence[str] = ()

    @property
    def agrees(self) -> bool:
        """Whether the source has the bundled rows."""
        return not self.difference


def check_source(
    entry: CatalogueEntry, source: str, reference: Reference, *, force: bool = False
) -> SourceCheck:
    """Return how a source compares with the bundled rows, by the record or by asking it.

    Parameters
    ----------
    entry : CatalogueEntry
        A bundled set.
    source : str
        Another one of its sources.
    reference : callable
        Returns the bundled content, a DataFrame and a Series; called once the source has answered.
    force : bool, default=False
        Ask the source although there is a record.

    Raises
    ------
    DataError
        If the source cannot be asked, or the record cannot be written.
    """
    if not force and (known := recorded(entry, source)) is not None:
        return known
    found = _compare(entry, source, reference)
    # A mirror is a folder of this machine: asking it again costs nothing.
    if source != "mirror":
        write_atomically(_path(entry, source), json.dumps(asdict(found), indent=1).encode())
    return found


def recorded(entry: CatalogueEntry, source: str) -> SourceCheck | None:
    """Return what was found when the source was last asked, None if the bundled file changed."""
    try:
        known = SourceCheck(**json.loads(_path(entry, source).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return known if known.bundled == bundled.digest(entry.sources["bundled"]) else None


def _compare(entry: CatalogueEntry, source: str, reference: Reference) -> SourceCheck:
    date = datetime.now(UTC).date().isoformat()
    digest = bundled.digest(entry.sources["bundled"])
    table = fetch_table(entry, source)
    assert entry.raw is not None
    try:
        X, y = canonicalise(table, entry.raw, entry.sources[source])
    except DataError as error:
        return SourceCheck(source, date, digest, str(error))
    ours = reference()
    y = relabelled(X, y, ours)
    difference = find_difference(X, y, ours)
    if difference is None:
        return SourceCheck(source, date, digest)
    return SourceCheck(source, date, digest, difference.summary(), difference.first)


def _path(entry: CatalogueEntry, source: str) -> Path:
    return paths.data_dir() / "cache" / f"{entry.name}.{source}.json"
