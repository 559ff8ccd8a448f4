"""The one decorator of the kernels, and the folder their machine code is kept in."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

config: Any = numba.config
_HERE = Path(__file__).resolve().parent


def _cache_dir() -> str:
    """Return a writable folder named after the kernel sources.

    numba looks only at a kernel's own file to see whether its machine code is stale, not at the
    files of the kernels it calls, so every state of the sources gets a folder of its own.
    """
    digest = hashlib.sha256()
    for source in sorted(_HERE.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    name = f"numba-{digest.hexdigest()[:16]}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "retree"
    for root in filter(None, [config.CACHE_DIR, user]):
        folder = Path(root) / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return str(Path(tempfile.mkdtemp(prefix="retree-")) / name)


_CACHE_DIR = _cache_dir()


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on its first call and keep the machine code for later processes.

    Never with ``fastmath``: it would break tests for NaN and infinity and move last bits, so ties
    would fall differently from machine to machine.
    """
    before, config.CACHE_DIR = config.CACHE_DIR, _CACHE_DIR
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
