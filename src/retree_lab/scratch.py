"""Folders for files of one run, which the next run removes where nobody was left to tidy up.

Where a whole process group is killed by SIGKILL, its folder stays, and so do the semaphores of its
worker processes in ``/dev/shm``. Each folder says whose it is: process number, when that process
started, and on which boot of which machine or container, since numbers are given out again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "retree-"
_OWNER = "owner"
_PROCESSES = Path("/proc")
_SEMAPHORES = Path("/dev/shm")
_START = 19  # field of /proc/PID/stat, counted from the one after the command


def make_scratch() -> Path:
    """Return a new folder, after removing the folders of dead processes."""
    remove_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    # Not on every system can it be said who is alive.
    with suppress(OSError):
        (folder / _OWNER).write_text(_name(os.getpid()), encoding="utf-8")
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a new folder, which is removed in the end."""
    folder = make_scratch()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers() -> int:
    """Remove the folders of dead processes, and their semaphores; return how many files that were.

    What other users, containers or boots have left stays, since nothing is known about it.
    """
    n_removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Others tidy up at the same time, and files of other users cannot be read.
        with suppress(OSError, ValueError, LookupError):
            n_removed += _remove_if_dead(folder)
    return n_removed


def _remove_if_dead(folder: Path) -> int:
    owner = folder / _OWNER
    if folder.is_symlink() or owner.stat().st_uid != os.getuid():
        return 0
    name = owner.read_text(encoding="utf-8")
    pid = int(name.split()[0])
    if name.split()[2:] != _name(os.getpid()).split()[2:] or _is_alive(name):
        return 0
    left = [] if _exists(pid) else list(_SEMAPHORES.glob(f"sem.loky-{pid}-*"))
    files = [path for path in folder.rglob("*") if path.is_file() and path != owner]
    for semaphore in left:
        semaphore.unlink(missing_ok=True)
    shutil.rmtree(folder)
    return len(left) + len(files)


def _name(pid: int) -> str:
    """Return a unique name of a process: its number, start, boot, and number space."""
    stat = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    started = stat.rpartition(")")[2].split()[_START]
    boot = (_PROCESSES / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    space = (_PROCESSES / "self/ns/pid").readlink()
    return f"{pid} {started} {boot} {space}"


def _is_alive(name: str) -> bool:
    with suppress(OSError):
        return _name(int(name.split()[0])) == name
    return False


def _exists(pid: int) -> bool:
    return (_PROCESSES / str(pid)).exists()
