"""Options of a configuration as a dataclass; unknown, missing and wrong ones are refused."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union

from retree.errors import RetreeError, unknown_name

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


def read_options(cls: type[T], content: Mapping[str, Any], what: str) -> T:
    """Return an object of the dataclass `cls` whose fields have the values of `content`.

    `cls`: a dataclass. Its fields are of bool, int, float, str, ``Literal``, other dataclasses, and
    of ``tuple[X, ...]``, ``Mapping[str, X]`` and unions of these; ``Any`` takes every value.
    """
    assert dataclasses.is_dataclass(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for key in content:
        if key not in fields:
            raise unknown_name(f"option of {what}", str(key), fields)
    if lacking := [name for name, field in fields.items() if _is_lacking(field, content)]:
        raise RetreeError(f"{what} lacks {' and '.join(lacking)}; add it.")
    hints = typing.get_type_hints(cls)
    values = {key: _convert(hints[key], v, f"{key} of {what}") for key, v in content.items()}
    return typing.cast("T", cls(**values))


def _is_lacking(field: dataclasses.Field[Any], content: Mapping[str, Any]) -> bool:
    has_default = {field.default, field.default_factory} != {dataclasses.MISSING}
    return field.name not in content and not has_default


def _convert(hint: Any, value: Any, what: str) -> Any:
    """Return `value` as an object of the type `hint`."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
        return read_options(typing.cast("type[Any]", hint), value, what)
    if origin is Literal:
        if value not in args:
            raise unknown_name(what, str(value), args)
        return value
    if origin in (Union, types.UnionType):
        return _convert(_choose(args, value), value, what)
    if not _fits(hint, value):
        raise RetreeError(f"{what} must be {_describe(hint)}, not {value!r}.")
    if origin is tuple:
        return tuple(_convert(args[0], v, f"an entry of {what}") for v in value)
    if origin is Mapping:
        return {str(k): _convert(args[1], v, f"{k} of {what}") for k, v in value.items()}
    return value


def _choose(hints: tuple[Any, ...], value: Any) -> Any:
    """Return the first of the types of a union that `value` may be of, else its first type."""
    return next((hint for hint in hints if _fits(hint, value)), hints[0])


def _fits(hint: Any, value: Any) -> bool:
    """Whether `value` is of the type `hint`, whatever it has inside."""
    outer = typing.get_origin(hint) or hint
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
