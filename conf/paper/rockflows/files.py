"""Reading the data sets of ROCKFlows: bundled, from the mirror, or from the repository on GitHub.

A set has a table in an ARFF file and, in a file of its own, the four published splits of
Fernández-Delgado et al. (2014): training rows and test rows by number, a line each. Whatever the
source, a file counts only if it has the hash of the index.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import requests
from numpy.typing import NDArray

from retree import paths
from retree.datasets import Dataset
from retree.datasets.arff import read_arff
from retree.datasets.canonical import ordered_sha256
from retree.datasets.catalogue import SERVERS
from retree.datasets.files import write_atomically
from retree.datasets.servers import OFFLINE, is_offline
from retree.datasets.sources import folder
from retree.datasets.sources.bounded import BoundedSession
from retree.errors import AwayError, DataError, RefusedError
from retree.plain_files import read_plain

from . import datasets

TABLE, FOLDS = "Test-0.arff", "conxuntos_kfold.dat"
COMMIT = "cee2af1da8c9c9758a5078bf05d0bf7d6e469ea3"
ADDRESS = f"https://raw.githubusercontent.com/ROCKFlows/experiments-public/{COMMIT}/datasets"
_MEGABYTES = 16

# Planning, rendering and the tests of one process load the same sets again.
_READ: dict[str, Dataset] = {}


def load_set(name: str, sources: Sequence[str] | None) -> Dataset:
    """Return a data set with its published splits; one that is bundled is read and hashed once."""
    if (known := _READ.get(name)) is None:
        known = read_set(name, sources is None or bool(set(sources) & set(SERVERS)))
        if known.source == "bundled":
            _READ[name] = known
    # Pandas copies what of it is written to.
    return replace(known, X=known.X.copy(deep=False), y=known.y.copy(deep=False))


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
    reasons = []
    kind: type[DataError] = AwayError
    for source, find in (("bundled", _bundled), ("mirror", _mirrored), ("github", _fetched)):
        if source == "github" and not online:
            reasons.append("GitHub is not asked: data.offline is set.")
            continue
        try:
            content = find(label, file)
        except DataError as error:
            reasons.append(str(error))
            continue
        if hashlib.sha256(content).hexdigest() == sha256:
            return content, source
        reasons.append(f"{file} from {source} does not have the sha256 of the index.")
        kind = RefusedError
    raise kind(" ".join([f"{file} of {label} is unavailable.", *reasons]))


def _bundled(label: str, file: str) -> bytes:
    path = Path(__file__).parent / "sets.zip"
    try:
        with zipfile.ZipFile(path) as sets:
            return sets.read(f"{label}/{file}")
    except KeyError:
        raise DataError(f"It is not among the bundled files of {path.name}.") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read ({error}); restore it.") from error


def _mirrored(label: str, file: str) -> bytes:
    value = os.environ.get(folder.MIRROR)
    if not value:
        raise DataError(f"{folder.MIRROR} is not set.")
    path = Path(value) / "rockflows" / "datasets" / label / file
    return _read(path) if path.exists() else _missing(path)


def _read(path: Path) -> bytes:
    try:
        return read_plain(path, _MEGABYTES)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}); copy it again.") from error


def _missing(path: Path) -> bytes:
    raise DataError(f"{path} does not exist.")


def _fetched(label: str, file: str) -> bytes:
    path = paths.data_dir() / "cache" / "rockflows" / label / file
    if path.exists():
        return _read(path)
    if is_offline():
        raise DataError(f"{OFFLINE} is set, so GitHub is not asked.")
    address = f"{ADDRESS}/{label}/{file}"
    try:
        reply = BoundedSession().get(address)
        reply.raise_for_status()
    except requests.RequestException as error:
        why = f"{address} could not be fetched ({type(error).__name__})"
        raise DataError(f"{why}; set {folder.MIRROR}.") from error
    write_atomically(path, reply.content)
    return reply.content
