"""Record the calls of the engine, so that `replay.cpp` can repeat them on another processor.

The file has one call after another: its function's name, its arguments, its status, its arguments
as the call left them, and its results. Numbers are little-endian, and counts and sizes are int64.
A number is an array without dimensions, and a rule is one of bytes. An array is its type, its
number of dimensions, its shape, and its bytes, or the arrays that it bundles.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from retree import engine

FLOAT, INTEGER, BYTES = (engine._TYPES.index(name) for name in ("float64", "int64", "uint8"))
Function = tuple[Callable[..., int], list[Any], bool]


@contextmanager
def recording(folder: Path) -> Iterator[None]:
    """Write all calls to ``calls.bin`` in `folder`, and the names of their functions beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    plain, names = engine._function, set()
    with (folder / "calls.bin").open("wb") as file:

        def function(name: str) -> Function:
            names.add(name)
            return _recorded(name, plain(name), file)

        engine._function = function
        try:
            yield
        finally:
            engine._function = plain
    lines = "".join(f"CALL(retree_{name})\n" for name in sorted(names))
    (folder / "calls.inc").write_text(lines)


def _recorded(name: str, plain: Function, file: BinaryIO) -> Function:
    """Return what calls the same function and writes what goes in and what comes out."""
    call, converters, has_result = plain

    def recorded(*given: Any) -> int:
        arguments = given[: len(converters)]
        encoded = f"retree_{name}".encode()
        file.write(struct.pack("<q", len(encoded)) + encoded + _many(arguments))
        status = call(*given)
        results = _results(given[-1]) if has_result else []
        file.write(struct.pack("<q", status) + _many(arguments) + _many(results))
        return status

    return recorded, converters, has_result


def _results(result: int) -> list[Any]:
    """Return the arrays of a result as the engine has them."""
    every = engine._Array.from_address(engine._library().retree_result_views(result))
    return list((engine._Array * every.shape[0]).from_address(every.data)) if every.data else []


def _many(values: Sequence[Any]) -> bytes:
    return struct.pack("<q", len(values)) + b"".join(map(_value, values))


def _value(value: Any) -> bytes:
    """Return a number, or an array as the engine sees it, as the file has it."""
    if isinstance(value, float):
        return struct.pack("<5qd", FLOAT, 0, 0, 0, 0, value)
    if isinstance(value, int):
        return struct.pack("<5qQ", INTEGER, 0, 0, 0, 0, value % 2**64)
    if isinstance(value, engine.Fields):
        return struct.pack("<5q", BYTES, 1, len(value), 0, 0) + value
    view = engine._Array.from_buffer_copy(value) if isinstance(value, bytes) else value
    size = math.prod(view.shape[: view.ndim])
    head = struct.pack("<5q", view.type, view.ndim, *view.shape)
    if view.type == engine._VIEWS:
        return head + b"".join(map(_value, (engine._Array * size).from_address(view.data)))
    return head + ctypes.string_at(view.data, size * np.dtype(engine._TYPES[view.type]).itemsize)
