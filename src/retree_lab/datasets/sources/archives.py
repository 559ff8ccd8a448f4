"""Files of other people's archives: in a zip file of the repository, on the mirror, or far away.

Whatever the place, a file counts only if it has the hash of an index.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import requests

from retree.errors import AwayError, DataError, RefusedError
from retree_lab.datasets.loading import Dataset
from retree_lab.datasets.sources import folder
from retree_lab.datasets.sources.web import OFFLINE, BoundedSession, is_offline
from retree_lab.plain_files import write_atomically
from retree_lab.study.catalogue import SERVERS

# Planning, rendering and the tests of one process load the same sets again.
_READ: dict[tuple[Path, str], Dataset] = {}


def read_once(place: Path, name: str, read: Callable[[], Dataset]) -> Dataset:
    """Return the data set `name` of the folder `place`; if it is bundled, it is read once."""
    if (dataset := _READ.get((place, name))) is None:
        dataset = read()
        if dataset.source == "bundled":
            _READ[place, name] = dataset
    # Pandas copies what of it is written to.
    return replace(dataset, X=dataset.X.copy(deep=False), y=dataset.y.copy(deep=False))


def asks_servers(sources: Sequence[str] | None) -> bool:
    """Return whether `sources`, None for all, have a server among them."""
    return sources is None or bool(set(sources) & set(SERVERS))


def first_intact(
    file: str, sha256: str, sources: Mapping[str, Callable[[], bytes]], of: str = ""
) -> tuple[bytes, str]:
    """Return the content of `file`, and the first of `sources` whose copy has the hash.

    `sources`: by name, what reads a copy. `of`: the data set that the file is of.
    """
    reasons: list[str] = []
    kind: type[DataError] = AwayError
    for source, read in sources.items():
        try:
            content = read()
        except DataError as error:
            reasons.append(str(error))
            continue
        if hashlib.sha256(content).hexdigest() == sha256:
            return content, source
        reasons.append(f"{file} from {source} does not have the sha256 of the index.")
        kind = RefusedError
    raise kind(" ".join([f"{file}{of and f' of {of}'} is unavailable.", *reasons]))


def zipped(path: Path, name: str) -> bytes:
    """Return a file of a zip file that comes with retree."""
    try:
        with zipfile.ZipFile(path) as sets:
            return sets.read(name)
    except KeyError:
        raise DataError(f"It is not among the bundled files of {path.name}.") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read ({error}); restore it.") from error


def mirror() -> Path:
    """Return the folder of the mirror."""
    value = os.environ.get(folder.MIRROR)
    if not value:
        raise DataError(f"{folder.MIRROR} is not set.")
    return Path(value)


def download(path: Path, address: str, owner: str, online: bool) -> Path:
    """Return `path`, fetched from `address` unless it is there; a failure is not tried again.

    `owner`: who is asked, as a sentence names them. `online`: whether they may be.
    """
    if not online:
        raise DataError(f"{owner[:1].upper()}{owner[1:]} is not contacted: data.offline is set.")
    if not path.exists():
        if is_offline():
            raise DataError(f"{OFFLINE} is set, so {owner} is not contacted.")
        if failure := _fetched(path, address):
            raise DataError(failure)
    return path


@cache
def _fetched(path: Path, address: str) -> str:
    """Fetch a file, once per process; return why that failed, "" if it did not."""
    try:
        reply = BoundedSession().get(address)
        reply.raise_for_status()
    except requests.RequestException as error:
        return f"{address} could not be fetched ({type(error).__name__}); set {folder.MIRROR}."
    write_atomically(path, reply.content)
    return ""
