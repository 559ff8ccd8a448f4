"""Data sets of the study: those of OpenML's tasks, checked against the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from retree import paths
from retree.datasets import Dataset
from retree.datasets.canonical import ordered_sha256
from retree.datasets.catalogue import SERVERS
from retree.datasets.openml_tasks import load_task

from .datasets import PREFIX

# Planning, rendering and the tests of one process load the same sets again.
_READ: dict[tuple[Path, str], Dataset] = {}


def load_set(name: str, sources: Sequence[str] | None) -> Dataset:
    """Return the data set of a task; one that is bundled is read and hashed once."""
    place = paths.project_dir(), name
    if (known := _READ.get(place)) is None:
        online = sources is None or bool(set(sources) & set(SERVERS))
        X, y, source = load_task(int(name.removeprefix(PREFIX)), online)
        known = Dataset(name, X, y, source, ordered_sha256(X, y), "")
        if source == "bundled":
            _READ[place] = known
    # Pandas copies what of it is written to.
    return replace(known, X=known.X.copy(deep=False), y=known.y.copy(deep=False))
