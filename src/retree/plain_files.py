"""Files of strangers: looked at before they are opened, since a pipe or a device never ends."""

from __future__ import annotations

from pathlib import Path

from retree.errors import RetreeError

MEGABYTE = 2**20


def check_plain(path: Path, megabytes: int) -> None:
    """Refuse a path that is no file, or a file that is larger than `megabytes`."""
    size = path.stat().st_size
    if not path.is_file():
        raise RetreeError(f"{path} is no plain file: put the data themselves there.")
    if size > megabytes * MEGABYTE:
        raise RetreeError(
            f"{path} has {size / MEGABYTE:,.0f} MB, and at most {megabytes:,} are read: make it "
            "smaller."
        )
