"""From a catalogue entry to verified raw content: from the first source that has it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from retree.errors import AwayError, DataError, RefusedError, unknown_name
from retree_lab.datasets import checksums
from retree_lab.datasets.canonical import canonicalise
from retree_lab.datasets.differences import find_difference, relabelled
from retree_lab.datasets.fetching import fetch_table
from retree_lab.study.catalogue import SOURCES, CatalogueEntry

# Where the rows of a bundled set may also be had.
COPIES = ("mirror", "openml", "uci")
DEFAULT_SOURCES = ("bundled", *COPIES)

_log = logging.getLogger(__name__)


class Content(NamedTuple):
    """Canonical raw content and the source it came from."""

    X: pd.DataFrame
    y: pd.Series
    source: str


def acquire(entry: CatalogueEntry, sources: Sequence[str] | None = None) -> Content:
    """Return the verified raw content of a set from the first source that has it.

    The content of a bundled set is always the bundled rows in their order: another source counts
    if it has the same rows, and the next one is tried if it has not.

    `sources`: sources to try, in order; default bundled, mirror, openml, uci. A set with none of
    these among its sources is made on the spot whatever is asked for.
    """
    reasons: list[str] = []
    kind: type[DataError] = DataError if "bundled" in entry.sources else AwayError
    for source in _choose(entry, sources):
        try:
            return _from_source(entry, source)
        except DataError as error:
            _log.info("%s", error)
            reasons.append(str(error))
            kind = DataError if isinstance(error, RefusedError) else kind
    if "generator" in entry.sources:
        reasons.append('A fresh draw needs no download: ask for sources=["generator"].')
    raise kind(" ".join([f"Data set {entry.name!r} is unavailable.", *reasons]))


def compare(entry: CatalogueEntry, source: str) -> list[str]:
    """Return how a source differs from the bundled rows: in short, then the first differences.

    The list is empty if it has the same rows, whatever their order and the spelling of labels.
    """
    table = fetch_table(entry, source)
    assert entry.raw is not None
    try:
        X, y = canonicalise(table, entry.raw, entry.sources[source])
    except DataError as error:
        return [str(error)]
    ours = fetch(entry, "bundled")[:2]
    return find_difference(X, relabelled(X, y, ours), ours)


def fetch(entry: CatalogueEntry, source: str) -> Content:
    """Fetch the raw content of a set from one source, and verify it."""
    table = fetch_table(entry, source)
    assert entry.raw is not None
    try:
        X, y = canonicalise(table, entry.raw, entry.sources[source])
        checksums.check_shape(entry, source, y)
        checksums.check_values(entry, source, X, y)
    except DataError as error:
        others = ", ".join(s for s in entry.sources if s not in (source, "generator"))
        raise RefusedError(
            f"Content of {entry.name!r} from {source} is refused, because {error};"
            f" {f'try another source: {others}' if others else 'look at the file'}."
        ) from error
    return Content(X, y, source)


def _from_source(entry: CatalogueEntry, source: str) -> Content:
    if source in COPIES and "bundled" in entry.sources:
        if found := compare(entry, source):
            raise RefusedError(
                f"Content of {entry.name!r} from {source} is not that of the bundled set"
                f" ({found[0]}); see 'retree data verify {entry.name} --source {source}'."
            )
        return fetch(entry, "bundled")._replace(source=source)
    return fetch(entry, source)


def _choose(entry: CatalogueEntry, sources: Sequence[str] | None) -> Sequence[str]:
    for source in sources or ():
        if source not in SOURCES:
            raise unknown_name("source", source, SOURCES)
    if not set(entry.sources).intersection(DEFAULT_SOURCES):
        return list(entry.sources)
    return [s for s in DEFAULT_SOURCES if s in entry.sources] if sources is None else sources
