"""From a catalogue entry to verified raw content: the cache, or the first source that works."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from retree.datasets import cache, checksums
from retree.datasets.canonical import canonicalise
from retree.datasets.catalogue import SOURCES, Entry
from retree.datasets.sources import generator, mirror, openml, scikit_learn, uci
from retree.errors import DataError, unknown_name

DEFAULT_SOURCES = ("mirror", "openml", "uci")

_FETCH: dict[str, Callable[[str, Mapping[str, Any]], pd.DataFrame]] = {
    "mirror": mirror.fetch,
    "openml": openml.fetch,
    "uci": uci.fetch,
    "scikit-learn": scikit_learn.fetch,
    "generator": generator.fetch,
}
_log = logging.getLogger(__name__)


class Content(NamedTuple):
    """Canonical raw content and the source it came from."""

    X: pd.DataFrame
    y: pd.Series
    source: str


def acquire(entry: Entry, sources: Sequence[str] | None = None, *, force: bool = False) -> Content:
    """Return the verified raw content of a set from the first source that has it.

    Parameters
    ----------
    entry : Entry
        A set with sources of its own.
    sources : sequence of str, optional
        Sources to try, in order; default mirror, openml, uci. A set with none of these among its
        sources is made on the spot whatever is asked for.
    force : bool, default=False
        Fetch anew although the content is cached.

    Raises
    ------
    DataError
        If every source fails (one sentence each), or a cached file is damaged.
    UnknownNameError
        If a source has an unknown name.
    """
    reasons = []
    for source in _choose(entry, sources):
        if not force and (content := cached(entry, source)) is not None:
            return content
        try:
            return fetch(entry, source)
        except DataError as error:
            _log.info("%s", error)
            reasons.append(str(error))
    if "generator" in entry.sources:
        reasons.append('A fresh draw needs no download: ask for sources=["generator"].')
    raise DataError(" ".join([f"Data set {entry.name!r} cannot be had.", *reasons]))


def cached(entry: Entry, source: str) -> Content | None:
    """Return the content of a set from a source if it is cached.

    Raises
    ------
    DataError
        If the file is damaged; it is then set aside, so that the next call fetches anew.
    """
    path = cache.path_of(entry, source)
    if not path.exists():
        return None
    assert entry.raw is not None
    try:
        X, y = canonicalise(cache.read(path), entry.raw)
        checksums.check_shape(entry, source, y)
        checksums.check_values(entry, source, X, y)
    except DataError as error:
        aside = cache.set_aside(path)
        raise DataError(
            f"The cached copy of {entry.name!r} from {source} was damaged and is set aside as"
            f" {aside} ({str(error).rstrip('.')}); call again to fetch it anew."
        ) from error
    return Content(X, y, source)


def fetch(entry: Entry, source: str, *, accept: bool = False) -> Content:
    """Fetch the raw content of a set from one source, verify it and cache it.

    Parameters
    ----------
    entry : Entry
        A set with sources of its own.
    source : str
        One of the entry's sources.
    accept : bool, default=False
        Track the checksum of this content instead of comparing with the tracked ones; rows and
        class counts must be right all the same.

    Raises
    ------
    DataError
        If the source fails, or gives something else than the catalogue and the checksums say.
    """
    if source not in entry.sources:
        raise DataError(f"{entry.name!r} has no source {source} (only {', '.join(entry.sources)}).")
    assert entry.raw is not None
    options = entry.sources[source]
    table = _FETCH[source](entry.name, options)
    try:
        X, y = canonicalise(table, entry.raw, options)
        checksums.check_shape(entry, source, y)
        if accept:
            checksums.record(entry, source, X, y)
        else:
            checksums.check_values(entry, source, X, y)
    except DataError as error:
        raise DataError(
            f"Content of {entry.name!r} from {source} is refused, because {error};"
            f" {_way_out(entry, source, error)}."
        ) from error
    if source != "generator":
        cache.write(entry, source, X, y)
    return Content(X, y, source)


def _way_out(entry: Entry, source: str, error: DataError) -> str:
    command = f"retree data fetch {entry.name} --source"
    ways = [f"try '{command} {s}'" for s in entry.sources if s not in (source, "generator")]
    if isinstance(error, checksums.ValuesDifferError):
        ways.append(f"accept it with '{command} {source} --accept'")
    return " or ".join(ways) or "look at the source's file"


def _choose(entry: Entry, sources: Sequence[str] | None) -> Sequence[str]:
    for source in sources or ():
        if source not in SOURCES:
            raise unknown_name("source", source, SOURCES)
    if not set(entry.sources).intersection(DEFAULT_SOURCES):
        return list(entry.sources)
    return DEFAULT_SOURCES if sources is None else sources
