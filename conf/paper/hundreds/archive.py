"""The data sets of Fernández-Delgado et al. (2014), as the files of the authors' archive.

``data/hundreds/index.csv`` lists the files; those that may be passed on and are small are in
``sets.zip``. The others come from the mirror or from the authors' archive. Whatever the source, a
file counts only if it has the hash of the index. A set of a training and a test file has the rows
of both, the training rows first; under its name with ``-rescaled`` those of the test file are
standardised by their own mean and deviation.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd
import requests

from retree import paths
from retree.datasets import Dataset
from retree.datasets.canonical import ordered_sha256
from retree.datasets.catalogue import SERVERS
from retree.datasets.files import write_atomically
from retree.datasets.servers import OFFLINE, is_offline
from retree.datasets.sources import folder as folders
from retree.datasets.sources.bounded import BoundedSession
from retree.errors import AwayError, DataError, RefusedError
from retree.plain_files import MOST_BYTES, read_gz

from .datasets import RESCALED, ArchiveFile, archive_dir, archived_sets, label

ADDRESS = "http://persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz"
_TRAIN, _TEST = "_train.arff", "_test.arff"


# Planning, rendering and the tests of one process load the same sets again.
_UNPACKED: dict[tuple[Path, str], Dataset] = {}


def load_archived(name: str, sources: Sequence[str] | None) -> Dataset:
    """Return a data set of the archive; one that is bundled is unpacked and hashed once."""
    place = archive_dir(), name
    if (known := _UNPACKED.get(place)) is None:
        known = read_archived(name, sources)
        if known.source == "bundled":
            _UNPACKED[place] = known
    # Pandas copies what of it is written to.
    return replace(known, X=known.X.copy(deep=False), y=known.y.copy(deep=False))


def read_archived(name: str, sources: Sequence[str] | None = None) -> Dataset:
    """Return a data set of the archive.

    The codes of the classes are texts of equal length, so that they sort as the file declares.
    """
    online = sources is None or bool(set(sources) & set(SERVERS))
    contents = [_content(label(name), file, online) for file in archived_sets()[name]]
    tables = [read_arff(content, name) for content, _ in contents]
    if name.endswith(RESCALED):
        tables[-1] = (tables[-1][0].apply(_standardised), tables[-1][1])
    X = pd.concat([features for features, _ in tables], ignore_index=True)
    y = pd.concat([classes for _, classes in tables], ignore_index=True)
    test_rows = len(tables[1][1]) if len(tables) > 1 else 0
    return Dataset(name, X, y, contents[-1][1], ordered_sha256(X, y), "", test_rows)


def read_arff(content: bytes, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and classes of an ARFF file of numbers whose last attribute is the class."""
    head, _, rows = content.partition(b"@data")
    attributes = re.findall(r"(?m)^@attribute\s+'?([^'\s]+)'?\s+(\S.*?)\s*$", head.decode())
    try:
        table = np.loadtxt(io.BytesIO(rows), delimiter=",", ndmin=2)
        *names, (_, declared) = attributes
        classes = [float(text) for text in declared.strip("{}").split(",")]
        X = pd.DataFrame(table[:, :-1], columns=[name for name, _ in names])
        codes = [classes.index(value) for value in table[:, -1]]
    except ValueError as error:
        raise DataError(f"A file of {name} is not as expected ({error}); copy it again.") from error
    width = len(str(len(classes) - 1))
    return X, pd.Series([f"{code:0{width}d}" for code in codes], name="class", dtype=object)


def _standardised(column: pd.Series) -> pd.Series:
    """Return a column with mean 0 and standard deviation 1, to the six digits of the files."""
    mean = math.fsum(column) / len(column)
    std = math.sqrt(math.fsum((value - mean) ** 2 for value in column) / (len(column) - 1))
    return column.map(lambda value: float(f"{(value - mean) / (std or 1.0):.6g}"))


def _content(folder: str, file: ArchiveFile, online: bool) -> tuple[bytes, str]:
    """Return the content of a file and where it came from."""
    if not file.sha256:
        raise DataError(f"{file.name} is missing: no copy of it is known.")
    reasons = []
    kind: type[DataError] = AwayError
    for source, find in (("bundled", _bundled), ("mirror", _mirrored), ("archive", _fetched)):
        if source == "archive" and not online:
            reasons.append("The authors' archive is not asked: data.offline is set.")
            continue
        try:
            content = find(folder, file.name)
        except DataError as error:
            reasons.append(str(error))
            continue
        if hashlib.sha256(content).hexdigest() == file.sha256:
            return content, source
        reasons.append(f"{file.name} from {source} does not have the sha256 of the index.")
        kind = RefusedError
    raise kind(" ".join([f"{file.name} is unavailable.", *reasons]))


def _bundled(folder: str, file: str) -> bytes:
    path = archive_dir() / "sets.zip"
    try:
        with zipfile.ZipFile(path) as sets:
            return sets.read(file)
    except KeyError:
        raise DataError(f"It is not among the bundled files of {path.name}.") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read ({error}); restore it.") from error


def _mirrored(folder: str, file: str) -> bytes:
    value = os.environ.get(folders.MIRROR)
    if not value:
        raise DataError(f"{folders.MIRROR} is not set.")
    return read_gz(Path(value) / "sets" / folder / f"{file}.gz")


def _fetched(folder: str, file: str) -> bytes:
    path = paths.data_dir() / "cache" / "hundreds.tar.gz"
    if not path.exists() and (failure := _download(path)):
        raise DataError(failure)
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if PurePosixPath(member.name).name == file and (
                    found := archive.extractfile(member)
                ):
                    # A file that was cut here does not have its hash.
                    return found.read(MOST_BYTES)
    except (OSError, EOFError, tarfile.TarError) as error:
        raise DataError(f"{path} cannot be read ({error}); remove it.") from error
    raise DataError(f"{path} has no {file}.")


@cache
def _download(path: Path) -> str:
    """Fetch the authors' archive, once per process; return why that failed, "" if it did not."""
    if is_offline():
        return f"{OFFLINE} is set, so the authors' archive is not asked."
    try:
        reply = BoundedSession().get(ADDRESS)
        reply.raise_for_status()
    except requests.RequestException as error:
        return f"{ADDRESS} could not be fetched ({type(error).__name__}); set {folders.MIRROR}."
    write_atomically(path, reply.content)
    return ""
