"""The catalogue of data sets: one YAML file each in ``conf/dataset``.

A set that comes with retree has the source ``bundled``: that file defines its rows and their order,
and a mirror is looked up under the same file name. A set that follows from a rule, or comes with
scikit-learn, lists no public copy among its sources: it is made on the spot, and its checksum is
that of the public copy. A generator beside public copies gives a fresh draw, which is another
sample, so it is used only if asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retree import paths
from retree.errors import DataError, unknown_name
from retree.yaml_files import list_yaml, read_yaml

SOURCES = ("bundled", "mirror", "openml", "uci", "scikit-learn", "generator")
SERVERS = ("openml", "uci")


@dataclass(frozen=True)
class Raw:
    """What the content of a source looks like once it is canonical, before preparation."""

    features: tuple[str, ...]  # Names of the feature columns, in order
    categorical: frozenset[str]  # The features that are categories; the others are numbers
    missing: frozenset[str]  # Cell texts that mean "missing", beside the empty cell
    classes: Mapping[str, int]  # Rows of each class in the published sample


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
    # The transforms, in order, with their parameters.
    prepare: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def names() -> list[str]:
    """Return the names of all data sets, sorted."""
    return sorted(path.stem for path in list_yaml(_folder()))


def find(name: str) -> CatalogueEntry:
    """Return the entry called `name`."""
    if name in names():
        return _read(_folder() / f"{name}.yaml")
    entries = [_read(_folder() / f"{known}.yaml") for known in names()]
    for entry in entries:
        if name in entry.aliases:
            return entry
    raise unknown_name("dataset", name, [entry.name for entry in entries])


def root(entry: CatalogueEntry) -> CatalogueEntry:
    """Return the entry whose raw content `entry` is made of: its base, or itself."""
    return entry if entry.base is None else root(find(entry.base))


def _folder() -> Path:
    return paths.conf_dir() / "dataset"


def _read(path: Path) -> CatalogueEntry:
    content = read_yaml(path)
    try:
        if not isinstance(content, dict):
            raise TypeError("it is not a mapping")
        fields = {str(key): value for key, value in content.items()}
        if ("base" in fields) == ("raw" in fields):
            raise TypeError("it needs either 'base' or 'raw'")
        raw = _raw(**fields.pop("raw")) if "raw" in fields else None
        steps = tuple(next(iter(step.items())) for step in fields.pop("prepare"))
        aliases = tuple(fields.pop("aliases", ()))
        sources = _sources(fields.pop("sources", {}))
        return CatalogueEntry(raw=raw, prepare=steps, aliases=aliases, sources=sources, **fields)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise DataError(f"{path} is not a valid data set entry: {error}.") from error


def _sources(listed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sources in the order of `SOURCES`; a mirror holds what is bundled too."""
    options = dict(listed)
    if "bundled" in options:
        options.setdefault("mirror", options["bundled"])
    return dict(sorted(options.items(), key=lambda pair: SOURCES.index(pair[0])))


def _raw(
    features: list[str],
    classes: Mapping[str, int],
    categorical: list[str] | None = None,
    missing: list[str] | None = None,
) -> Raw:
    return Raw(tuple(features), frozenset(categorical or ()), frozenset(missing or ()), classes)
