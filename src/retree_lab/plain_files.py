"""Files of strangers: looked at before they are opened, since a pipe or a device never ends.

A packed file of one megabyte may unpack into many gigabytes, so that is bounded, too. Nobody ever
sees half of a file that is written.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import uuid
import zlib
from pathlib import Path

from retree.errors import DataError, RetreeError

MEGABYTE = 2**20
# What a packed file may have once it is unpacked; the largest bundled table has 4 MB.
MOST_BYTES = 2**28
# A finite number as all programs write it; Python's `float` takes more.
NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*", re.ASCII)
_LINE_END = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, which only CR, LF or both end, unlike `str.splitlines`."""
    return _LINE_END.split(text)


def decode(content: bytes, name: object, line: int = 1) -> str:
    """Return a text in UTF-8; DataError says in which line it is none.

    `name`: what messages call the file; `line`: where `content` begins in it.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += len(split_lines(content[: error.start].decode("latin-1"))) - 1
        raise DataError(f"{name}, line {line} is not in UTF-8: save it as UTF-8.") from None
    if "\0" in text:
        line += len(split_lines(text.partition("\0")[0])) - 1
        raise DataError(f"{name}, line {line} has a NUL character: save it as a text in UTF-8.")
    return text


def check_plain(path: Path, megabytes: int) -> None:
    """Refuse a path that is no file, or a file that is larger than `megabytes`."""
    status = path.stat()
    size = status.st_size
    if not stat.S_ISREG(status.st_mode):
        raise RetreeError(f"{path} is no plain file: put the data themselves there.")
    if size > megabytes * MEGABYTE:
        raise RetreeError(
            f"{path} has {size / MEGABYTE:,.0f} MB, and at most {megabytes:,} are read: make it "
            "smaller."
        )


def read_gz(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the uncompressed content of a gz file of at most so many bytes, or raise DataError."""
    try:
        with gzip.open(path) as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise DataError(f"{path} does not exist.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}); copy it again.") from error
    if len(content) > most:
        raise DataError(f"{path} is larger than {most:,} bytes when unpacked; do not use it.")
    return content


def read_plain(path: Path, megabytes: int) -> bytes:
    """Return the content of a plain file, unpacked if it is called ``.gz``, of bounded size."""
    check_plain(path, megabytes)
    return read_gz(path, megabytes * MEGABYTE) if path.suffix == ".gz" else path.read_bytes()


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
