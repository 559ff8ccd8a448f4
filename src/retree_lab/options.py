"""Records of a configuration as dataclasses; unknown, missing and wrong keys are refused.

A field says by its type what it takes; ``Annotated[int, Bounds(1, 10)]`` also bounds a number, and
`Line` is a text of one line.
Rules over several keys belong into the record's ``__post_init__``.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union

from retree.errors import RetreeError, brief, unknown_name
from retree_lab.yaml_files import located

T = TypeVar("T")
_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "a text",
    tuple: "a list",
    Mapping: "a mapping",
    type(None): "null",
}


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The lowest and the highest value that a number may be."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False  # Whether it must be more than `least`
    unit: str = ""

    def read(self, value: Any, what: str, hint: Any) -> Any:
        """Return a number of the type `hint` that lies inside."""
        is_low = not _fits(hint, value) or not self.least <= value < math.inf
        if is_low or (self.above and value == self.least):
            words = "above" if self.above else "of at least"
            bound = f" {words} {self.least:,}" if self.least > -math.inf else ""
            raise RetreeError(
                f"{what} must be {_WORDS[hint]}{self.unit}{bound}, not {brief(value)}."
            )
        if value > self.most:
            raise RetreeError(f"{what} must be at most {self.most:,}, not {value:,}.")
        return value


class _OneLine:
    def read(self, value: Any, what: str, hint: Any) -> str:
        if not isinstance(value, hint):
            raise RetreeError(f"{what} must be {_WORDS[hint]}, not {brief(value)}.")
        return " ".join(value.split())


class _Name:
    def read(self, value: Any, what: str, hint: Any) -> str:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            quotes = ": write it in quotes" if isinstance(value, bool) else ""
            raise RetreeError(f"{what} must be {_WORDS[hint]}, not {brief(value)}{quotes}.")
        return str(value)


# A name, which YAML may read as a number.
Name = typing.Annotated[str, _Name()]
# A text without line breaks.
Line = typing.Annotated[str, _OneLine()]


@dataclasses.dataclass(frozen=True)
class _Place:
    """The place of an option: its name for messages, its file and keys."""

    what: str
    file: Path | None = None
    keys: tuple[str, ...] = ()

    def key(self, name: str) -> _Place:
        what = f"{self.what}{name}" if self.what.endswith(".") else f"{name} of {self.what}"
        return _Place(what, self.file, (*self.keys, name))

    def entry(self) -> _Place:
        return _Place(f"an entry of {self.what}", self.file, self.keys)

    def located(self) -> typing.ContextManager[None]:
        return located(self.file, self.keys)


def read_options(
    cls: type[T],
    content: Mapping[str, Any],
    what: str,
    file: Path | None = None,
    keys: Sequence[str] = (),
) -> T:
    """Return an object of the dataclass `cls` whose fields have the values of `content`.

    `cls`: a dataclass. Its fields are of bool, int, float, str, ``Literal``, `StrEnum`, other
    dataclasses, and of ``tuple[X, ...]``, ``Mapping[str, X]`` and unions of these; ``Any`` takes
    every value.
    `what`: names the record in messages; with a point at its end it stands before keys.
    `file`, `keys`: where `content` stands; messages then name the line of the wrong key.
    """
    return _read(cls, content, _Place(what, file, tuple(keys)))


def _read(cls: type[T], content: Mapping[str, Any], place: _Place) -> T:
    assert dataclasses.is_dataclass(cls)
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    name = place.what.removesuffix(".")
    for key in content:
        if key not in fields:
            with place.key(str(key)).located():
                raise unknown_name(f"key of {name}", str(key), fields)
    with place.located():
        if lacking := [key for key, field in fields.items() if _is_lacking(field, content)]:
            raise RetreeError(f"{name} lacks {' and '.join(lacking)}; add it.")
        hints = _hints(cls)
        values = {key: _convert(hints[key], v, place.key(key)) for key, v in content.items()}
        return typing.cast("T", cls(**values))


@cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(cls, include_extras=True)


def _is_lacking(field: dataclasses.Field[Any], content: Mapping[str, Any]) -> bool:
    has_default = {field.default, field.default_factory} != {dataclasses.MISSING}
    return field.name not in content and not has_default


def _convert(hint: Any, value: Any, place: _Place) -> Any:
    """Return `value` as an object of the type `hint`; errors name the line of its key."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        with place.located():
            return args[1].read(value, place.what, args[0])
    if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
        return _read(typing.cast("type[Any]", hint), value, place)
    if origin in (Union, types.UnionType):
        return _convert(_choose(args, value), value, place)
    with place.located():
        if origin is Literal or (isinstance(hint, type) and issubclass(hint, StrEnum)):
            choices = args or tuple(hint)
            if value not in choices:
                raise unknown_name(place.what, str(value), choices)
            return hint(value) if args == () else value
        if not _fits(hint, value):
            raise RetreeError(f"{place.what} must be {_describe(hint)}, not {brief(value)}.")
    if origin is tuple:
        return tuple(_convert(args[0], v, place.entry()) for v in value)
    if origin is Mapping:
        return {str(k): _convert(args[1], v, place.key(str(k))) for k, v in value.items()}
    return value


def _choose(hints: tuple[Any, ...], value: Any) -> Any:
    """Return the first of the types of a union that `value` may be of, else its first type."""
    return next((hint for hint in hints if _fits(hint, value)), hints[0])


def _fits(hint: Any, value: Any) -> bool:
    """Whether `value` is of the type `hint`, whatever it has inside."""
    outer = typing.get_origin(hint) or hint
    if outer is typing.Annotated:
        return _fits(typing.get_args(hint)[0], value)
    if outer is Any:
        return True
    if outer is Literal:
        return value in typing.get_args(hint)
    if outer is tuple:
        return isinstance(value, list | tuple)
    if dataclasses.is_dataclass(outer):
        return isinstance(value, Mapping)
    if isinstance(value, bool):
        return outer is bool
    return isinstance(value, int | float if outer is float else outer)


def _describe(hint: Any) -> str:
    return _WORDS.get(typing.get_origin(hint) or hint, "a mapping")
