"""Reading the data sets of ROCKFlows: bundled, from the mirror, or from the repository on GitHub.

A set has a table in an ARFF file and, in a file of its own, the four published splits of
Fernández-Delgado et al. (2014): training rows and test rows by number, a line each. Whatever the
source, a file counts only if it has the hash of the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retree.errors import DataError
from retree_lab import paths
from retree_lab.datasets import Dataset
from retree_lab.datasets.arff import read_arff
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.datasets.sources.archives import (
    asks_servers,
    download,
    first_intact,
    mirror,
    read_once,
    zipped,
)
from retree_lab.plain_files import read_plain

from . import datasets

TABLE, FOLDS = "Test-0.arff", "conxuntos_kfold.dat"
COMMIT = "cee2af1da8c9c9758a5078bf05d0bf7d6e469ea3"
ADDRESS = f"https://raw.githubusercontent.com/ROCKFlows/experiments-public/{COMMIT}/datasets"
_MEGABYTES = 16


def load(name: str, sources: Sequence[str] | None) -> Dataset:
    """Return a data set with its published splits; one that is bundled is read and hashed once."""
    return read_once(datasets.index_dir(), name, lambda: read_set(name, asks_servers(sources)))


def read_set(name: str, online: bool) -> Dataset:
    """Return a data set; rows without a class stay, since folds have them, too."""
    label, files = datasets.label(name), datasets.known_sets()[name]
    if files.left_out:
        raise DataError(f"{files.left_out[0].upper()}{files.left_out[1:]}.")
    content, source = find_file(label, TABLE, files.arff, online)
    table = read_arff(content, f"{TABLE} of {label}")
    target = table.columns[files.class_column]
    X, y = table.drop(columns=target), table[target].rename("class")
    splits = split_places(find_file(label, FOLDS, files.folds, online)[0], len(y))
    # A class that is missing has no text to be hashed.
    texts = y.cat.add_categories("?").fillna("?") if y.hasnans else y
    return Dataset(name, X, y, source, ordered_sha256(X, texts), "", groups=splits)


def split_places(content: bytes, n_rows: int) -> NDArray[np.int32]:
    """Return the place of each row in each split, as the splitter ``data_set`` reads it."""
    lines = [line.split() for line in content.decode().splitlines() if line.strip()]
    places = np.zeros((n_rows, len(lines) // 2), np.int32)
    for number, line in enumerate(lines):
        rows = np.array(line, np.intp)
        sign = -1 if number % 2 else 1
        places[rows, number // 2] = sign * np.arange(1, len(rows) + 1)
    return places


def find_file(label: str, file: str, sha256: str, online: bool) -> tuple[bytes, str]:
    """Return the content of a file of the data set called `label`, and where it came from."""
    inside = f"{label}/{file}"
    kept = paths.data_dir() / "cache" / "rockflows" / label / file
    sources = {
        "bundled": lambda: zipped(datasets.index_dir() / "sets.zip", inside),
        "mirror": lambda: _read(mirror() / "rockflows" / "datasets" / inside),
        "github": lambda: _read(download(kept, f"{ADDRESS}/{inside}", "GitHub", online)),
    }
    return first_intact(file, sha256, sources, of=label)


def _read(path: Path) -> bytes:
    if not path.exists():
        raise DataError(f"{path} does not exist.")
    try:
        return read_plain(path, _MEGABYTES)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}); copy it again.") from error
