"""The time limit of a cell inside the process that computes it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from retree_lab.experiments.definition.method import Limits


class LimitError(BaseException):
    """A cell took more than it may; estimators that catch every `Exception` do not catch this."""


def too_long(limits: Limits) -> str:
    """Return why a cell over its time has no result."""
    return f"took longer than {limits.timeout:g} s (timeout)"


@contextmanager
def enforced(limits: Limits, cells: int) -> Iterator[None]:
    """Raise `LimitError` where what is inside takes longer than `limits` for a number of `cells`.

    The engine polls for the alarm; other compiled code may see it late.
    """
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
