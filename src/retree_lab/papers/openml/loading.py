"""Data sets of the study: OpenML's tasks, checked against the index."""

from __future__ import annotations

from collections.abc import Sequence

from retree_lab import paths
from retree_lab.datasets import Dataset
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.datasets.openml_tasks import load_task
from retree_lab.datasets.sources.archives import asks_servers, read_once

from .datasets import PREFIX


def load(name: str, sources: Sequence[str] | None) -> Dataset:
    """Return the data set of a task; one that is bundled is read and hashed once."""
    return read_once(paths.project_dir(), name, lambda: _read(name, asks_servers(sources)))


def _read(name: str, online: bool) -> Dataset:
    X, y, source = load_task(int(name.removeprefix(PREFIX)), online)
    return Dataset(name, X, y, source, ordered_sha256(X, y), "")
