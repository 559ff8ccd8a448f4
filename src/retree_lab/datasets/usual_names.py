"""Data sets by the names that papers call them: how many rows they have, and where they are here.

The one catalogue of names, for studies, `retree_lab.datasets.load`, ``retree audit`` and ``retree
identify``. Names are those of ``conf/dataset`` with their aliases, and those of
``conf/usual_names.csv``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from retree_lab import paths
from retree_lab.datasets import catalogue
from retree_lab.study.available import available


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
    return _known(paths.conf_dir()).get(plain_name(name))


def dataset_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the key of the data set that each name is for, the name itself if none is.

    Examples
    --------
    >>> dataset_keys(["Segment", "sonar", "no such set"])
    {'Segment': 'segment', 'sonar': 'sonar', 'no such set': 'no such set'}
    """
    keys = {*available("dataset")}
    sets = {name: None if name in keys else find_known(name) for name in names}
    return {name: (known and known.key) or name for name, known in sets.items()}


def usual_names() -> dict[str, list[str]]:
    """Return the other names of each data set, by its key."""
    found: dict[str, list[str]] = {}
    for known in _known(paths.conf_dir()).values():
        if known.key and known.name != known.key:
            found.setdefault(known.key, []).append(known.name)
    return {key: sorted(names, key=str.casefold) for key, names in found.items()}


def plain_name(name: str) -> str:
    """Return a data set's name without what people write differently."""
    return re.sub(r"[^a-z0-9]+", "", name.casefold())


@cache
def _known(conf: Path) -> dict[str, KnownSet]:
    """Return all known sets by their plain names; those of the catalogue come first."""
    with (conf / "usual_names.csv").open(encoding="utf-8") as file:
        usual = [KnownSet(r["name"], int(r["rows"]), r["key"]) for r in csv.DictReader(file)]
    entries = [catalogue.find(name) for name in catalogue.names()]
    named = [(e.name, e) for e in entries], [(a, e) for e in entries for a in e.aliases]
    own = [KnownSet(n, int(e.expect["n_instances"]), e.name) for some in named for n, e in some]
    return {plain_name(one.name): one for one in reversed([*own, *usual])}
