"""The data sets of Fernández-Delgado et al. (2014), as the files of the authors' archive.

``data/hundreds/index.csv`` lists the files; those that may be passed on and are small are in
``sets.zip``. The others come from the mirror or from the authors' archive. Whatever the source, a
file counts only if it has the hash of the index. A set of a training and a test file has the rows
of both, the training rows first; under its name with ``-rescaled`` those of the test file are
standardised by their own mean and deviation.
"""

from __future__ import annotations

import io
import math
import re
import tarfile
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
import pandas as pd

from retree.errors import DataError
from retree_lab import paths
from retree_lab.datasets import Dataset
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.datasets.sources.archives import (
    asks_servers,
    download,
    first_intact,
    mirror,
    read_once,
    zipped,
)
from retree_lab.plain_files import MOST_BYTES, read_gz

from .datasets import RESCALED, ArchiveFile, archive_dir, archived_sets, label

ADDRESS = "http://persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz"
_TRAIN, _TEST = "_train.arff", "_test.arff"


def load(name: str, sources: Sequence[str] | None) -> Dataset:
    """Return a data set of the archive; one that is bundled is unpacked and hashed once."""
    return read_once(archive_dir(), name, lambda: read_archived(name, sources))


def read_archived(name: str, sources: Sequence[str] | None = None) -> Dataset:
    """Return a data set of the archive.

    The codes of the classes are texts of equal length, so that they sort as the file declares.
    """
    online = asks_servers(sources)
    contents = [_content(label(name), file, online) for file in archived_sets()[name]]
    tables = [read_arff(content, name) for content, _ in contents]
    if name.endswith(RESCALED):
        tables[-1] = (tables[-1][0].apply(_standardised), tables[-1][1])
    X = pd.concat([features for features, _ in tables], ignore_index=True)
    y = pd.concat([classes for _, classes in tables], ignore_index=True)
    test_rows = len(tables[1][1]) if len(tables) > 1 else 0
    return Dataset(name, X, y, contents[-1][1], ordered_sha256(X, y), "", test_rows)


def read_arff(content: bytes, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and classes of an ARFF file of numbers whose last column is the class."""
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
    sources = {
        "bundled": lambda: zipped(archive_dir() / "sets.zip", file.name),
        "mirror": lambda: read_gz(mirror() / "sets" / folder / f"{file.name}.gz"),
        "archive": lambda: _fetched(file.name, online),
    }
    return first_intact(file.name, file.sha256, sources)


def _fetched(file: str, online: bool) -> bytes:
    path = paths.data_dir() / "cache" / "hundreds.tar.gz"
    download(path, ADDRESS, "the authors' archive", online)
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if PurePosixPath(member.name).name == file and (
                    content := archive.extractfile(member)
                ):
                    # A file that was cut here does not have its hash.
                    return content.read(MOST_BYTES)
    except (OSError, EOFError, tarfile.TarError) as error:
        raise DataError(f"{path} cannot be read ({error}); remove it.") from error
    raise DataError(f"{path} has no {file}.")
