"""Committed cells of one table on some data sets, from a folder of results or an address.

Taking in whole papers takes minutes, of which a comparison on a few data sets needs a thousandth.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Collection
from pathlib import Path

import requests

from retree.errors import RetreeError
from retree_lab.datasets.files import write_atomically
from retree_lab.datasets.servers import is_offline
from retree_lab.experiments.storing.exports import CELLS, PROVENANCE, REPLICATES
from retree_lab.plain_files import read_gz

SECONDS = 30.0
FILES = (CELLS, REPLICATES, PROVENANCE)


def is_address(place: str) -> bool:
    """Whether results are named by an address, not by a folder."""
    return place.startswith(("http://", "https://"))


def part_of_results(
    place: str, paper: str, item: str, datasets: Collection[str], keep: Path
) -> Path:
    """Return a folder of results that has the committed cells of an item on some data sets.

    `place`: a folder ``results``, or its address.
    `keep`: the folder of parts, and of what is fetched.

    Raises
    ------
    RetreeError
        If nothing of the paper is there.
    """
    files = {name: _file(place, paper, name, keep) for name in FILES}
    files = {name: file for name, file in files.items() if file.is_file()}
    if CELLS not in files:
        raise RetreeError(
            f"{place} has no results of {paper}: say committed=PATH or committed=ADDRESS, of the "
            "folder results of the repository."
        )
    digest = hashlib.sha256(repr((item, sorted(datasets))).encode())
    for file in files.values():
        digest.update(file.read_bytes())
    folder = keep / "parts" / digest.hexdigest()[:16]
    if not (folder / paper / CELLS).is_file():
        # The cells last: a folder that has them is whole.
        for name, file in reversed(files.items()):
            rows = file.read_bytes() if name == PROVENANCE else _rows(file, item, datasets)
            write_atomically(folder / paper / name, rows)
    return folder


def _file(place: str, paper: str, name: str, keep: Path) -> Path:
    """Return where a file of a paper's results is, if there is one."""
    if not is_address(place):
        return Path(place) / paper / name
    address = f"{place.rstrip('/')}/{paper}/{name}"
    file = keep / "fetched" / hashlib.sha256(address.encode()).hexdigest()[:16] / name
    if not file.is_file() and (content := _fetched(address)) is not None:
        write_atomically(file, content)
    return file


def _fetched(address: str) -> bytes | None:
    if is_offline():
        raise RetreeError(f"{address} is not asked, since RETREE_OFFLINE is set: unset it.")
    try:
        reply = requests.get(address, timeout=SECONDS)
        if reply.status_code == requests.codes.not_found:
            return None
        reply.raise_for_status()
    except requests.RequestException as error:
        raise RetreeError(
            f"{address} cannot be fetched ({error}): try again, or name a folder."
        ) from error
    return reply.content


def _rows(file: Path, item: str, datasets: Collection[str]) -> bytes:
    """Return an archive with the rows of an item on some data sets."""
    head, *lines = read_gz(file).split(b"\n")
    names = head.decode().split(",")
    at, wanted = [names.index(name) for name in ("items", "dataset")], {*map(str.encode, datasets)}
    kept = []
    for line in lines:
        fields = line.split(b",", max(at) + 1)
        # A quoted field may hold commas, so that such a row stays.
        if b'"' in b"".join(fields[: max(at) + 1]) or (
            len(fields) > max(at)
            and fields[at[1]] in wanted
            and item.encode() in fields[at[0]].split()
        ):
            kept.append(line)
    return gzip.compress(b"\n".join([head, *kept, b""]), compresslevel=1, mtime=0)
