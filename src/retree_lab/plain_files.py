"""Files of strangers: looked at before they are opened, since a pipe or a device never ends.

A packed file of one megabyte may unpack into many gigabytes, so that is bounded, too. Nobody ever
sees half of a file that is written. Tables that people bring as csv (data, published numbers,
folds) are all read in one way.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import stat
import uuid
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from retree.errors import DataError, RetreeError, brief

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
        raise RetreeError(f"{path} is not a plain file: put the data themselves there.")
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
            f"{path.parent} cannot be written ({error.strerror}): make it writable, or copy it "
            "elsewhere. RETREE_DATA names the folder of downloaded data."
        ) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(
            f"{path} cannot be written ({error.strerror or error}); free some space."
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a csv that comes with retree, by the names of its columns."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class CsvTable(NamedTuple):
    """A csv as texts: as many in each row as in the head."""

    head: list[str]
    rows: list[list[str]]
    lines: list[int]  # In which line of the file each row begins


def read_csv(
    content: bytes, name: object, separator: str = ",", row_names: bool | None = None
) -> CsvTable:
    """Return the table of a csv in UTF-8; blanks around cells without quotes are left out.

    An empty last field of all rows is dropped, as of lines that end with a comma.
    `name`: what messages call the file. `row_names`: whether the first field of each row is its
    name, and in the header missing or empty; None where the user has no such choice.

    Raises
    ------
    DataError
        If a row has more or fewer fields than the header, or two columns have one name.
    """
    records = [*read_records(decode(content, name), name, separator)]
    if not records:
        raise DataError(f"{name} is empty: write a header line, and a line for each row.")
    lines, (head, *rows) = [line for line, _ in records[1:]], [cells for _, cells in records]
    is_longer = bool(rows) and all(len(row) == len(head) + 1 for row in rows)
    if is_longer and row_names:
        head = ["", *head]
    elif is_longer and not any(row[-1] for row in rows):
        head = [*head, ""]
    _check_widths(head, rows, lines, name, is_longer and row_names is False)
    if len(head) > 1 and not any(cells[-1] for cells in (head, *rows)):
        head, rows = head[:-1], [row[:-1] for row in rows]
    if row_names:
        head, rows = head[1:], [row[1:] for row in rows]
    _check_names(head, name, separator, row_names)
    return CsvTable(head, rows, lines)


def read_records(text: str, name: object, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, behind the line that it begins in."""
    if '"' not in text:
        for number, row in enumerate(split_lines(text), 1):
            if row.strip():
                yield number, [cell.strip() for cell in row.split(separator)]
        return
    cells: list[str] = []
    line = start = 1
    for match in _field(separator).finditer(text):
        quoted, plain, end = match.groups()
        if plain is not None and plain.lstrip().startswith('"'):
            raise DataError(
                f'{name}, line {line}: a quote is never closed, or text follows it; write "" for '
                "one inside of quotes."
            )
        cells.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        line += len(split_lines(match[0])) - 1
        if end != separator:
            if cells != [""] or quoted is not None:
                yield start, cells
            cells, start = [], line


@cache
def _field(separator: str) -> re.Pattern[str]:
    """Return the pattern of a field in quotes or without, and of what ends it."""
    mark = re.escape(separator)
    quoted = r' *"([^"]*(?:""[^"]*)*)" *'
    return re.compile(rf"(?:{quoted}|([^{mark}\r\n]*))({mark}|\r\n|\r|\n|\Z)")


def _check_widths(
    head: list[str], rows: list[list[str]], lines: list[int], name: object, has_names: bool
) -> None:
    """Refuse a row of more or fewer fields; `has_names`: each may begin with its name."""
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(head):
            names = ", or say row_names: true if lines begin with row names" if has_names else ""
            raise DataError(
                f"{name}, line {line}: there are {len(row)} fields, but {len(head)} in the header; "
                f"correct it{names}."
            )


def _check_names(head: list[str], name: object, separator: str, row_names: bool | None) -> None:
    """Refuse columns without a name, or of one name."""
    other = next((mark for mark in ";\t," if mark in "".join(head[:1])), "")
    if len(head) == 1 and other:
        key = f", or say separator: {other!r}" * (row_names is not None)
        raise DataError(
            f"{name} has one column, {brief(head[0])}, and may be separated by {other!r}: put "
            f"{separator!r} between fields{key}."
        )
    if "" in head:
        at = head.index("") + 1
        key = " (or say row_names: true, if it holds row names)" * (at == 1 and row_names is False)
        raise DataError(f"{name}: column {at} has no name: write one into the first line{key}.")
    if twice := [label for label, n in Counter(head).items() if n > 1]:
        raise DataError(f"{name} has two columns called {brief(twice[0])}: rename one.")
