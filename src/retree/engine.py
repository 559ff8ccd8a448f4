"""The compiled engine: its library, its functions, and its errors as exceptions.

The loops over rows, columns and nodes are in ``src/engine``, in C++ behind a C interface. A Python
package such as `retree.trees.c45` calls the functions of the folder with the same name.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

INTERFACE = 7

_NAME = {"win32": "retree_engine.dll", "darwin": "retree_engine.dylib"}.get(
    sys.platform, "retree_engine.so"
)
_TYPES = ("float64", "int32", "int64", "uint8", "uint64", "int8")
_DTYPES = [np.dtype(name) for name in _TYPES]
_CODES = {dtype: code for code, dtype in enumerate(_DTYPES)} | {np.dtype(np.bool_): 3}
_VIEWS = len(_TYPES)
_OK, _INVALID, _NO_MEMORY, _INTERRUPTED = range(4)
_OTHER_VERSION = (
    "The compiled engine in {} has another version: run `make engine`, or install retree again."
)
_DECLARATION = re.compile(r"RETREE_EXPORT\s+int32_t\s+(retree_\w+)\(([^)]*)\);")
_RULE = re.compile(r"typedef\s+struct\s+(retree_\w+_rule)\s*{([^}]*)}")
_CHOICES = re.compile(r"typedef\s+enum\s+retree_(\w+)\s*{([^}]*)}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class _Array(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("shape", ctypes.c_int64 * 3),
        ("ndim", ctypes.c_int32),
        ("type", ctypes.c_int32),
    )


# Packing takes a fifth of the time of filling an `_Array`; the layout is the same.
_LAYOUT = struct.Struct("@Pqqqii")
_PACK = _LAYOUT.pack
_NO_LENGTHS = (0, 0, 0)


class View(bytes):
    """One or several arrays in the form that the engine reads; `arrays` keeps them alive."""

    arrays: tuple[Any, ...]

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "Addresses of arrays are valid in one process only: copy or pickle the arrays "
            "themselves."
        )


class Fields(bytes):
    """The fields of a rule as the engine reads them."""


_SCALARS = {"double": ctypes.c_double, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64}


def call(name: str, *arguments: Any) -> tuple[NDArray[Any], ...]:
    """Call a function of the engine and return its result, a tuple of read-only arrays.

    `name`: the function's name in ``src/engine/include`` without ``retree_``.
    `*arguments`: in the order of the declaration, without the result. Arrays are C-contiguous and
    of the type that the engine expects; those that it fills are changed in place. A rule is passed
    as an object whose attributes have the names of its fields.
    """
    function, converters, has_result = _function(name)
    if len(converters) != len(arguments):
        raise TypeError(f"{name} takes {len(converters)} arguments, got {len(arguments)}.")
    given = [convert(value) for convert, value in zip(converters, arguments, strict=True)]
    if not has_result:
        _raise_if(function(*given))
        return ()
    result = _library().retree_result_new()
    if not result:
        raise MemoryError
    try:
        _raise_if(function(*given, result))
        return tuple(_take_arrays(result))
    finally:
        _library().retree_result_free(result)


def view(array: NDArray[Any]) -> View:
    """Return an array as an argument of `call` or `bundle`, to be passed many times."""
    made = View(_view(array))
    made.arrays = (array,)
    return made


def bundle(*arrays: NDArray[Any] | View) -> View:
    """Return several arrays as one argument of `call`, to be passed many times.

    `*arrays`: C-contiguous, in the order that the function's header gives; later changes are seen.
    """
    views = b"".join([_view(array) for array in arrays])
    made = View(_PACK(np.frombuffer(views, np.uint8).ctypes.data, len(arrays), 0, 0, 1, _VIEWS))
    # With what has their memory: of an array of its own a caller could have numpy take another.
    made.arrays = (*arrays, *[getattr(array, "base", None) for array in arrays], views)
    return made


def _view(array: NDArray[Any] | View) -> bytes:
    """Return `array` in the form that the engine reads."""
    if isinstance(array, View):
        return array
    flags, shape = array.flags, array.shape[:3]
    if not (flags.c_contiguous and flags.aligned):
        raise ValueError("The engine needs C-contiguous, aligned arrays: copy with np.array.")
    rest = _NO_LENGTHS[len(shape) :]
    try:
        return _PACK(array.ctypes.data, *shape, *rest, array.ndim, _CODES[array.dtype])
    except KeyError:
        types = ", ".join(_TYPES)
        message = f"The engine takes no arrays of {array.dtype}: convert it to one of {types}."
        raise ValueError(message) from None


def _take_arrays(result: int) -> Iterator[NDArray[Any]]:
    """Yield the arrays of a result, read-only, in memory that `frozen` does not copy."""
    every = ctypes.string_at(_library().retree_result_views(result), _LAYOUT.size)
    first, count, *_ = _LAYOUT.unpack(every)
    for address, *shape, n_dims, code in _LAYOUT.iter_unpack(
        ctypes.string_at(first, count * _LAYOUT.size)
    ):
        size, dtype = shape[:n_dims], _DTYPES[code]
        content = ctypes.string_at(address, math.prod(size) * dtype.itemsize)
        yield np.ndarray(size, dtype, content)


def _raise_if(status: int) -> None:
    if status == _OK:
        return
    if status == _INVALID:
        raise ValueError(_library().retree_last_error().decode())
    if status == _NO_MEMORY:
        raise MemoryError(
            "There is not enough memory for this: use fewer rows, columns or classes."
        )
    if status == _INTERRUPTED:
        raised = [ctypes.c_void_p() for _ in range(3)]
        _library().retree_take_raised(*(ctypes.byref(part) for part in raised))
        # Raises what the signal's handler raised, by default KeyboardInterrupt.
        ctypes.pythonapi.PyErr_Restore(*raised)
    raise RuntimeError(_library().retree_last_error().decode())


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "retree_array": _view,
    "double": float,
    "int64_t": int,
    "uint64_t": int,
}


@cache
def _function(name: str) -> tuple[Any, list[Any], bool]:
    """Return a function, the converters of its arguments, and whether it has a result."""
    kinds = [parameter.split()[-2] for parameter in _declarations()[f"retree_{name}"].split(",")]
    function = getattr(_library(), f"retree_{name}")
    function.argtypes = [_SCALARS.get(kind, ctypes.c_void_p) for kind in kinds]
    function.restype = ctypes.c_int32
    converters = [_converter(kind) for kind in kinds if kind != "retree_result"]
    return function, converters, len(converters) < len(kinds)


def _converter(kind: str) -> Callable[[Any], Any]:
    if kind in _rules():
        return partial(_fields, *_rules()[kind])
    return _CONVERTERS[kind]


def _fields(layout: struct.Struct, names: Sequence[str], rule: Any) -> Fields:
    """Pack the attributes of `rule` that are named like the fields."""
    return Fields(layout.pack(*(getattr(rule, name) for name in names)))


@cache
def _rules() -> dict[str, tuple[struct.Struct, list[str]]]:
    """Return the layout and the field names of each rule that the headers declare."""
    rules = {}
    for name, body in _declarations_like(_RULE):
        fields = [field.split() for field in body.split(";") if field.strip()]
        codes = "".join("d" if kind == "double" else "q" for kind, _ in fields)
        rules[name] = struct.Struct(f"@{codes}"), [field for _, field in fields]
    return rules


def choices(name: str) -> dict[str, int]:
    """Return the numbers of the choices that a header declares, by their lower-case names.

    `name`: the enumeration's name in ``src/engine/include`` without ``retree_``. The prefix that
    all names share is left out.
    """
    entries = [entry.split("=") for entry in dict(_declarations_like(_CHOICES))[name].split(",")]
    words = [key.strip().lower().split("_") for key, _ in entries]
    n_shared = [len({*each}) == 1 for each in zip(*words, strict=False)].index(False)
    numbers = (int(number) for _, number in entries)
    return dict(zip(("_".join(each[n_shared:]) for each in words), numbers, strict=True))


@cache
def _declarations() -> dict[str, str]:
    """Return the parameters of each function as the headers declare them."""
    return {name: given.replace("*", " ") for name, given in _declarations_like(_DECLARATION)}


def _declarations_like(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the name and the body of every declaration in the headers that fits the pattern."""
    return [name for text in _headers() for name in pattern.findall(text)]


@cache
def _headers() -> list[str]:
    """Return the texts of the headers without comments."""
    headers = (_folder() / "include").rglob("*.h")
    return [_COMMENT.sub("", header.read_text(encoding="utf-8")) for header in headers]


@cache
def _library() -> Any:
    try:
        library = ctypes.CDLL(str(_folder() / _NAME))
    except OSError as error:
        raise ImportError(
            f"The compiled engine cannot be loaded ({error}): run `make engine`, or install retree "
            "again."
        ) from error
    if library.retree_interface() != INTERFACE:
        raise ImportError(_OTHER_VERSION.format(_folder()))
    library.retree_last_error.restype = ctypes.c_char_p
    library.retree_result_new.restype = ctypes.c_void_p
    library.retree_result_free.argtypes = [ctypes.c_void_p]
    library.retree_result_views.argtypes = [ctypes.c_void_p]
    library.retree_result_views.restype = ctypes.c_void_p
    api = ctypes.pythonapi
    names = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch")
    library.retree_set_python(*(ctypes.cast(getattr(api, n), ctypes.c_void_p) for n in names))
    return library


class Source(NamedTuple):
    """A file in ``src/engine``: the sha256 of its content, and the files that it includes."""

    digest: str
    includes: tuple[str, ...]


def sources() -> dict[str, Source]:
    """Return the files in ``src/engine`` that the library was built from, by name."""
    path = _folder() / "sources.txt"
    if not path.exists():
        raise ImportError(_OTHER_VERSION.format(_folder()))
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {name: Source(digest, tuple(includes)) for digest, name, *includes in lines}


@cache
def _folder() -> Path:
    """Return the folder of the library and its headers: ``RETREE_ENGINE``, or next to this file."""
    folder = Path(os.environ.get("RETREE_ENGINE") or Path(__file__).parent / "_engine")
    if not (folder / _NAME).exists():
        raise ImportError(
            "The compiled engine of retree is missing: run `make setup` in a checkout, or "
            "`pip install retree`."
        )
    return folder
