"""Limits of a cell inside the process that computes it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from retree.experiments.definition.method import Limits

try:
    import resource
except ImportError:  # pragma: no cover
    resource = None  # type: ignore[assignment]
_SIZES = Path("/proc/self/statm")


class LimitError(BaseException):
    """A cell took more than it may; estimators that catch every `Exception` do not catch this."""


def too_long(limits: Limits) -> str:
    """Return why a cell over its time has no result."""
    return f"took longer than {limits.timeout:g} s (timeout)"


def too_large(limits: Limits) -> str:
    """Return why a cell over its memory has no result."""
    return f"needed more than {limits.memory:g} MB (memory)"


@contextmanager
def enforced(limits: Limits, cells: int) -> Iterator[None]:
    """Raise `LimitError` where what is inside takes more than `limits` for a number of `cells`.

    The engine polls for the alarm; other compiled code may see it late. Memory is that of the
    process on Linux, where the allocation that is too large fails; elsewhere it is not limited.
    """
    try:
        with _timed(limits, cells), _bounded(limits, cells):
            yield
    except Exception as error:
        # The errors of a study's own code come with its file and line.
        if limits.memory is None or not isinstance(error.__cause__ or error, MemoryError):
            raise
        raise LimitError(too_large(limits)) from error


@contextmanager
def _timed(limits: Limits, cells: int) -> Iterator[None]:
    # Only the main thread gets signals: others compute in a process of their own.
    if limits.timeout is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    is_over = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        is_over.set()
        raise LimitError(too_long(limits))

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limits.timeout * cells)
    hidden_by = None
    try:
        yield
    except Exception as error:
        if not is_over.is_set():
            raise
        hidden_by = error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Compiled code may drop what is raised in it, or raise an error of its own in its place.
    if is_over.is_set():
        raise LimitError(too_long(limits)) from hidden_by


@contextmanager
def _bounded(limits: Limits, cells: int) -> Iterator[None]:
    if limits.memory is None or resource is None or not _SIZES.exists():
        yield
        return
    kind: Any = resource.RLIMIT_DATA
    soft, hard = resource.getrlimit(kind)
    used = int(_SIZES.read_text().split()[5]) * resource.getpagesize()
    most = used + int(limits.memory * 1e6) * cells
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        yield
    finally:
        with suppress(ValueError):
            resource.setrlimit(kind, (soft, hard))
