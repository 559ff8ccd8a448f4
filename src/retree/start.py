"""The start of the command ``retree``, and what SIGINT and SIGTERM do to it."""

from __future__ import annotations

import gc
import io
import locale
import os
import signal
import stat
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from retree.errors import MissingExtraError, needs_extra

# How long unwinding may take: then the process ends anyway, and its workers with it.
SECONDS = 2.0
INTERRUPTED = "Interrupted. Finished work is stored; run the command again to continue."
_stopped: list[int] = []


def main() -> int:
    """Run the command line and return its exit code; a signal that ends it adds its number to 128.

    A signal ends a command within three seconds, even while modules are imported or if cleaning up
    hangs. The store never has half a cell.
    """
    _insist_on_utf8()
    # Modules and cells stay: to look for cycles among them again and again costs a tenth.
    gc.set_threshold(50_000, 20, 100)
    for name in ("stdout", "stderr"):
        # Closed by whoever started this: a file that is opened must not take its place.
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    if stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode):
        sys.stdout = _outlasting(sys.stdout)
    signal.signal(signal.SIGTERM, _stop)
    # Started in the background, a process ignores SIGINT; it stays so.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    try:
        with needs_extra("the command retree"):
            code = import_module("retree_lab.cli").main()
    except MissingExtraError as error:
        print(error, file=sys.stderr)
        return 2
    except BaseException:
        # An import that is interrupted fails with whatever its module makes of it.
        if not _stopped:
            raise
        print(INTERRUPTED, file=sys.stderr)
    return 128 + _stopped[0] if _stopped else code


class _Outlasting(io.FileIO):
    """A pipe that accepts writes even after its reader has closed it."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content) or 0
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(content)


def _outlasting(stream: TextIO) -> TextIO:
    """Return a stream on the same pipe whose reader may close it without ending the command."""
    stream.flush()
    pipe = io.BufferedWriter(_Outlasting(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(pipe, encoding=stream.encoding, errors=stream.errors)


def _insist_on_utf8() -> None:
    """Restart in UTF-8 mode if the locale has another encoding: all files are UTF-8."""
    is_utf8 = sys.flags.utf8_mode or locale.getencoding().lower() in ("utf-8", "utf8")
    if os.name == "posix" and not is_utf8:
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _stop(number: int, frame: FrameType | None) -> None:
    if _stopped:
        return
    _stopped.append(number)
    late = threading.Timer(SECONDS, _leave)
    late.daemon = True
    late.start()
    raise KeyboardInterrupt


def _leave() -> None:
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(128 + _stopped[0])
