"""The catalogue of data sets: one YAML file each in ``conf/dataset``.

A set that comes with retree has the source ``bundled``: that file defines its rows and their order,
and a mirror is looked up under the same file name. A set that follows from a rule, or comes with
scikit-learn, lists no public copy among its sources: it is made on the spot, and its checksum is
that of the public copy. A generator beside public copies gives a fresh draw, which is another
sample, so it is used only if asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from retree.errors import DataError, unknown_name
from retree_lab import paths
from retree_lab.options import Name, read_options
from retree_lab.yaml_files import list_yaml, read_mapping

SOURCES = ("bundled", "mirror", "openml", "uci", "scikit-learn", "generator")
SERVERS = ("openml", "uci")


@dataclass(frozen=True)
class Raw:
    """The canonical content of a source, before preparation."""

    features: tuple[Name, ...]  # Names of the feature columns, in order
    classes: Mapping[str, int]  # Rows of each class in the published sample
    categorical: tuple[Name, ...] = ()  # The features that are categories; others are numbers
    missing: tuple[Name, ...] = ()  # Cell texts that mean "missing", beside the empty cell


@dataclass(frozen=True)
class CatalogueEntry:
    """One data set of the catalogue."""

    name: str  # The name used everywhere, what it is, and what to know of it
    title: str
    expect: Mapping[str, Any]  # ``n_instances``, ``n_features`` and ``classes`` after preparation
    note: str = ""
    aliases: tuple[str, ...] = ()  # Other names that `load` accepts
    # The set whose raw content this one is made of; it then has no `raw` and no `sources`.
    base: str | None = None
    # Where the raw content comes from: a mapping of options per source.
    sources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    raw: Raw | None = None  # The raw content to expect
    # The transforms, in order, each alone in a mapping of its name to its parameters.
    prepare: tuple[Mapping[str, Mapping[str, Any]], ...] = ()


def names() -> list[str]:
    """Return the names of all data sets, sorted."""
    return sorted(path.stem for path in list_yaml(_folder()))


def find(name: str) -> CatalogueEntry:
    """Return the entry called `name`."""
    if name in names():
        return _entry(name)
    entries = [_entry(known) for known in names()]
    for entry in entries:
        if name in entry.aliases:
            return entry
    raise unknown_name("dataset", name, [entry.name for entry in entries])


def root(entry: CatalogueEntry) -> CatalogueEntry:
    """Return the entry whose raw content `entry` is made of: its base, or itself."""
    return entry if entry.base is None else root(find(entry.base))


def _folder() -> Path:
    return paths.conf_dir() / "dataset"


def _entry(name: str) -> CatalogueEntry:
    path = _folder() / f"{name}.yaml"
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> CatalogueEntry:
    entry = read_options(CatalogueEntry, read_mapping(path), path.stem, path)
    if (entry.base is None) == (entry.raw is None):
        raise DataError(f"{path} needs either base or raw: give one.")
    options = dict(entry.sources)
    if "bundled" in options:
        # A mirror holds what is bundled, too.
        options.setdefault("mirror", options["bundled"])
    return replace(entry, sources={name: options[name] for name in SOURCES if name in options})
