"""A bundle: the results of a paper with all that others need to check them, as one archive."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

from retree.errors import RetreeError

METADATA = "ro-crate-metadata.json"
# Of all files together; the largest paper has 60 MB.
MOST_BYTES = 2**31


def sha256(content: bytes) -> str:
    """Return the checksum of a file as bundles note it."""
    return hashlib.sha256(content).hexdigest()


def unpack_bundle(path: Path, folder: Path) -> Path:
    """Write the files of a bundle to `folder`, and return where its results are."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise RetreeError(
                    f"{path} unpacks to more than {MOST_BYTES:,} bytes: do not use it."
                )
            crate = json.loads(archive.read(METADATA))
            for file in _files(crate):
                if sha256(archive.read(file["@id"])) != file["sha256"]:
                    raise RetreeError(f"{path} was edited ({file['@id']}): get it again.")
            archive.extractall(folder)
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise RetreeError(f"{path} is no bundle of retree ({error}): get it again.") from error
    return folder / "results"


def _files(crate: dict[str, Any]) -> list[dict[str, Any]]:
    return [entity for entity in crate["@graph"] if entity["@type"] == "File"]
