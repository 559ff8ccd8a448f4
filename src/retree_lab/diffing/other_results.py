"""The results in a bundle, which are compared with in place of the committed ones."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any

from retree.errors import RetreeError

METADATA = "ro-crate-metadata.json"
# Of all files together; the largest paper has 60 MB.
MOST_BYTES = 2**30
# What a damaged archive, or one of another making, raises when it is read.
_DAMAGED = (
    *(OSError, EOFError, LookupError, TypeError, ValueError, AttributeError, RuntimeError),
    *(zlib.error, struct.error, zipfile.BadZipFile),
)


def sha256(content: bytes) -> str:
    """Return the checksum of a file as bundles note it."""
    return hashlib.sha256(content).hexdigest()


def unpack_bundle(path: Path, folder: Path) -> Path:
    """Write the files of a bundle to `folder`, and return where its results are.

    They are those that its metadata list with their checksums, each once, and no others.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise RetreeError(
                    f"{path} unpacks to more than {MOST_BYTES:,} bytes: do not use it."
                )
            listed = _checksums(json.loads(archive.read(METADATA)))
            names = [entry.filename for entry in entries]
            if odd := sorted({*names} ^ {METADATA, *listed}) or _repeated(names):
                raise RetreeError(f"{path} was edited ({odd[0]}): get it again.")
            for name, checksum in listed.items():
                content = archive.read(name)
                if sha256(content) != checksum or not _is_inside(name):
                    raise RetreeError(f"{path} was edited ({name}): get it again.")
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
    except _DAMAGED as error:
        raise RetreeError(f"{path} is no bundle of retree ({error}): get it again.") from error
    return folder / "results"


def _checksums(crate: dict[str, Any]) -> dict[str, str]:
    """Return the checksums of the files that metadata list."""
    files = [entity for entity in crate["@graph"] if entity["@type"] == "File"]
    if repeated := _repeated([file["@id"] for file in files]):
        raise ValueError(f"{repeated[0]} is listed twice")
    return {str(file["@id"]): str(file["sha256"]) for file in files}


def _repeated(names: list[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _is_inside(name: str) -> bool:
    """Whether a name is written in one way only, and leads to a place below the folder."""
    path = PurePosixPath(name)
    return path.as_posix() == name and not path.is_absolute() and ".." not in path.parts
