"""From a catalogue entry to verified raw content: from the first source that has it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from retree.errors import AwayError, DataError, RefusedError, refuse_unknown
from retree_lab import paths
from retree_lab.datasets import generators, rule_sets
from retree_lab.datasets.canonical import canonicalise, find_difference, relabelled, sorted_sha256
from retree_lab.datasets.sources import folder, openml, uci
from retree_lab.plain_files import read_rows
from retree_lab.study.catalogue import SOURCES, CatalogueEntry

_COLUMNS = ("dataset", "source", "n_instances", "n_features", "sha256")


def check_shape(entry: CatalogueEntry, source: str, y: pd.Series) -> None:
    """Raise DataError if rows or class counts are not as in the catalogue.

    A generator draws its class counts, so for it only rows and names of classes are compared.
    """
    assert entry.raw is not None
    expected = dict(entry.raw.classes)
    rows = sum(expected.values())
    if len(y) != rows:
        raise DataError(f"it has {len(y)} rows, not {rows}")
    counts = dict(Counter(y))
    if set(counts) != set(expected) or (source != "generator" and counts != expected):
        raise DataError(f"its classes are {_counts(counts)}, not {_counts(expected)}")


def check_values(entry: CatalogueEntry, source: str, X: pd.DataFrame, y: pd.Series) -> None:
    """Raise DataError if the content has none of the checksums tracked for the set."""
    generated = source == "generator"
    rows = [row for row in _read() if row["dataset"] == entry.name]
    valid = {row["sha256"] for row in rows if (row["source"] == "generator") == generated}
    if not valid:
        raise DataError("data/checksums.csv has no checksum of it")
    if sorted_sha256(X, y) not in valid:
        raise DataError("its values differ from the tracked checksum")


def _read() -> list[dict[str, str]]:
    path = paths.checksums_file()
    try:
        rows = read_rows(path)
    except FileNotFoundError:
        return []
    if any(set(row) != set(_COLUMNS) or None in row.values() for row in rows):
        raise DataError(f"{path} does not have the columns {', '.join(_COLUMNS)}; restore it.")
    return rows


def _counts(classes: dict[str, int]) -> str:
    return ", ".join(f"{name}={classes[name]}" for name in sorted(classes))


_FUNCTIONS: dict[str, Callable[..., tuple[Any, Any]]] = {
    name: made
    for module in (generators, rule_sets)
    for name, made in vars(module).items()
    if name.startswith("make_")
}


def fetch_generated(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the sample of ``options["function"]`` called with ``options["arguments"]``."""
    function = options["function"]
    refuse_unknown(f"generator of data set {name}", _FUNCTIONS, function)
    X, y = _FUNCTIONS[function](**options["arguments"])
    return pd.DataFrame(X).assign(**{"class": y})


def fetch_scikit_learn(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the set of ``options["function"]``, corrected to the copy that the catalogue means.

    ``options["cells"]`` lists row, column (both from 0) and value of the cells in which
    scikit-learn's copy differs.
    """
    # Its import takes a tenth of the start of a command.
    from sklearn import datasets

    X, y = getattr(datasets, options["function"])(return_X_y=True)
    for row, column, value in options["cells"]:
        X[row, column] = value
    return pd.DataFrame(X).assign(**{"class": y})


_FETCH: dict[str, Callable[[str, Mapping[str, Any]], pd.DataFrame]] = {
    "mirror": folder.fetch_mirrored,
    "openml": openml.fetch,
    "uci": uci.fetch,
    "bundled": folder.fetch_bundled,
    "scikit-learn": fetch_scikit_learn,
    "generator": fetch_generated,
}


def fetch_table(entry: CatalogueEntry, source: str) -> pd.DataFrame:
    """Return the table of a set as `source` gives it, not yet in canonical form."""
    if source not in entry.sources:
        raise DataError(f"{entry.name!r} has no source {source} (only {', '.join(entry.sources)}).")
    return _FETCH[source](entry.name, entry.sources[source])


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
        check_shape(entry, source, y)
        check_values(entry, source, X, y)
    except DataError as error:
        others = ", ".join(s for s in entry.sources if s not in (source, "generator"))
        raise RefusedError(
            f"Content of {entry.name!r} from {source} is refused, because {error};"
            f" {f'try another source: {others}' if others else 'look at the file'}."
        ) from error
    return Content(X, y, source)


def _from_source(entry: CatalogueEntry, source: str) -> Content:
    if source in COPIES and "bundled" in entry.sources:
        if difference := compare(entry, source):
            raise RefusedError(
                f"Content of {entry.name!r} from {source} differs from the bundled set"
                f" ({difference[0]}); see 'retree data verify {entry.name} --source {source}'."
            )
        return fetch(entry, "bundled")._replace(source=source)
    return fetch(entry, source)


def _choose(entry: CatalogueEntry, sources: Sequence[str] | None) -> Sequence[str]:
    refuse_unknown("source", SOURCES, *sources or ())
    if not set(entry.sources).intersection(DEFAULT_SOURCES):
        return list(entry.sources)
    return [s for s in DEFAULT_SOURCES if s in entry.sources] if sources is None else sources
