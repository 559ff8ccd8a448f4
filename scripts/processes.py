"""Processes that ``make stress`` starts and signals, and what they leave behind. Linux only."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Where worker processes have their semaphores.
_SHARED = Path("/dev/shm")


def start(command: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start a command in a session of its own; its output is one text."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # What a shell starts in the background ignores SIGINT, and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )


def in_session(pid: int) -> list[int]:
    """Return the processes of a session that are alive."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(pid) and fields[0] != "Z":
            processes.append(int(folder.name))
    return processes


def workers_of(pid: int) -> list[int]:
    """Return the processes of a session that compute cells."""
    return [each for each in in_session(pid) if each != pid and _is_worker(each)]


def _is_worker(pid: int) -> bool:
    try:
        return b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def semaphores_of(pid: int) -> int:
    """Return how many semaphores of a run's workers there are."""
    return len(list(_SHARED.glob(f"*loky-{pid}-*")))


@contextmanager
def tmpfs(folder: Path, size: str) -> Iterator[Path | None]:
    """Yield a small file system, None where it cannot be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(command, capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
