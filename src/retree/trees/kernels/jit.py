"""The one decorator of the kernels, and the folder their machine code is kept in."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

config: Any = numba.config
_HERE = Path(__file__).resolve().parent


_IMPORT = re.compile(r"^from retree\.trees\.kernels\.(\w+) import", re.MULTILINE)


@cache
def source_hash(source: Path) -> str:
    """Return the hash of a kernel file and of all kernel files that it imports, transitively."""
    found: dict[Path, bytes] = {}
    todo = [source]
    while todo:
        path = todo.pop()
        if path not in found:
            found[path] = path.read_bytes()
            todo += [_HERE / f"{name}.py" for name in _IMPORT.findall(found[path].decode())]
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + b"\0" + found[path])
    return digest.hexdigest()


@cache
def _cache_dir(source: Path) -> str:
    """Return a writable folder for the machine code of the kernels in the file `source`.

    numba looks only at a kernel's own file to see whether its machine code is stale, not at the
    files of the kernels it calls, so every state of those sources gets a folder of its own.
    """
    name = f"numba-{source_hash(source)[:16]}"
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


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on its first call and keep the machine code for later processes.

    Never with ``fastmath``: it would break tests for NaN and infinity and move last bits, so ties
    would fall differently from machine to machine.
    """
    folder = _cache_dir(Path(function.__code__.co_filename))
    before, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
