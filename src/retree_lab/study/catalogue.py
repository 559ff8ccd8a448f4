"""The catalogue of data sets, one YAML file each in ``conf/dataset``, and their names elsewhere.

A set that comes with retree has the source ``bundled``: that file defines its rows and their order,
and a mirror is looked up under the same file name. A set that follows from a rule, or comes with
scikit-learn, lists no public copy among its sources: it is made on the spot, and its checksum is
that of the public copy. A generator beside public copies gives a fresh draw, which is another
sample, so it is used only if asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from retree.errors import DataError, unknown_name
from retree_lab import paths
from retree_lab.plain_files import read_rows
from retree_lab.study import catalogue
from retree_lab.study.available import available
from retree_lab.yaml_files import Name, list_yaml, read_mapping, read_options

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
    entries = [_entry(key) for key in names()]
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


class KnownSet(NamedTuple):
    """A well-known data set."""

    name: str  # As it is known
    rows: int
    key: str  # By which `retree_lab.datasets.load_dataset` finds it, "" if it is not here


def find_known(name: str) -> KnownSet | None:
    """Return the data set that papers call `name`, however they write it; None for no such.

    Examples
    --------
    >>> find_known("Breast-W").rows
    699
    """
    return _sets_by_name(paths.conf_dir()).get(plain_name(name))


def dataset_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the key of the data set that each name is for, the name itself if none is.

    Examples
    --------
    >>> dataset_keys(["Segment", "sonar", "no such set"])
    {'Segment': 'segment', 'sonar': 'sonar', 'no such set': 'no such set'}
    """
    keys = {*available("dataset")}
    sets = {name: None if name in keys else find_known(name) for name in names}
    return {name: (entry and entry.key) or name for name, entry in sets.items()}


def usual_names() -> dict[str, list[str]]:
    """Return the other names of each data set, by its key."""
    by_name: dict[str, list[str]] = {}
    for dataset in _sets_by_name(paths.conf_dir()).values():
        if dataset.key and dataset.name != dataset.key:
            by_name.setdefault(dataset.key, []).append(dataset.name)
    return {key: sorted(names, key=str.casefold) for key, names in by_name.items()}


def plain_name(name: str) -> str:
    """Return a data set's name without what people write differently."""
    return re.sub(r"[^a-z0-9]+", "", name.casefold())


@cache
def _sets_by_name(conf: Path) -> dict[str, KnownSet]:
    """Return all known sets by their plain names, the catalogue's first."""
    rows = read_rows(conf / "usual_names.csv")
    usual = [KnownSet(row["name"], int(row["rows"]), row["key"]) for row in rows]
    entries = [catalogue.find(name) for name in catalogue.names()]
    named = [(e.name, e) for e in entries], [(a, e) for e in entries for a in e.aliases]
    sets = [KnownSet(n, int(e.expect["n_instances"]), e.name) for some in named for n, e in some]
    return {plain_name(one.name): one for one in reversed([*sets, *usual])}
