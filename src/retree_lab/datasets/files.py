"""Reading and writing compressed tables; nobody ever sees half a file."""

from __future__ import annotations

import io
import os
import uuid
from pathlib import Path

import pandas as pd

from retree.errors import DataError


def parse_table(content: bytes, path: Path) -> pd.DataFrame:
    """Return a csv as a frame of texts, where only the empty cell is missing.

    `path` is where the content came from, for the DataError that content of no csv raises.
    """
    try:
        return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, na_values=[""])
    except ValueError as error:
        raise DataError(f"{path} is not a csv ({error}); copy it again.") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to a temporary file beside `path`, then put it in its place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        # Unlike `tempfile`, with the permissions that the user's umask gives to any file.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise DataError(
            f"{path.parent} cannot be written ({error.strerror}): permit it, or copy what is "
            "there. Downloaded data go where RETREE_DATA says."
        ) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(
            f"{path} cannot be written ({error.strerror or error}); make room."
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
