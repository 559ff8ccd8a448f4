"""YAML files as plain values, with the line of every key, and as records of options.

A record is a dataclass. Unknown, missing and wrong keys are refused. A field says by its type what
it takes; ``Annotated[int, Bounds(1, 10)]`` also bounds a number, and `Line` is a text of one line.
Rules over several keys belong into the record's ``__post_init__``.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import os
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, Union

from retree.errors import RetreeError, brief, needs_extra, unknown_name
from retree_lab.plain_files import check_plain, decode, split_lines

with needs_extra("reading a YAML file"):
    import yaml

MOST_MEGABYTES = 4

_FLOAT = re.compile(r"[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)[eE][-+]?\d+$")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads ``1e-3`` as a number and a date as text, and refuses a key that appears twice."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, pattern) for tag, pattern in some if not tag.endswith(":timestamp")]
        for first, some in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag.endswith(":str") and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"{brief(key.value)} appears twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# Of YAML's own types those that JSON has, too: no dates, sets or bytes.
_PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")
_Loader.yaml_constructors = {
    tag: make
    for tag, make in yaml.SafeLoader.yaml_constructors.items()
    if tag is None or tag.rpartition(":")[2] in _PLAIN
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file; None if it is empty."""
    try:
        check_plain(path, MOST_MEGABYTES)
        return copy.deepcopy(_read(path, path.stat().st_mtime_ns))
    except FileNotFoundError:
        raise RetreeError(f"{path} does not exist: write it, or correct its name.") from None
    except OSError as error:
        raise RetreeError(f"{path} cannot be read ({error}): make it a text file.") from error


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the content of a YAML file of named values."""
    content = read_yaml(path)
    if not isinstance(content, dict) or not content:
        what = "is empty" if not content else f"holds a {type(content).__name__}"
        raise RetreeError(f"{path} {what}: write NAME: VALUE lines into it.")
    return {str(name): value for name, value in content.items()}


def list_yaml(folder: Path) -> tuple[Path, ...]:
    """Return the YAML files in a folder, sorted; none if there is no such folder."""
    try:
        entries = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    with entries:
        return _paths(folder, tuple(entry.name for entry in entries))


def line_of(path: Path, keys: Sequence[str]) -> int:
    """Return the line (from 1) of the key that `keys` lead to, or of the last one that is found."""
    node, line = yaml.compose(decode(path.read_bytes(), path), Loader=_Loader), 1
    for wanted in keys:
        entries = node.value if isinstance(node, yaml.SequenceNode) else []
        if wanted in map(str, range(len(entries))):
            node = entries[int(wanted)]
            line = node.start_mark.line + 1
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        pair_found = next((pair for pair in pairs if pair[0].value == wanted), None)
        if pair_found is None:
            break
        line, node = pair_found[0].start_mark.line + 1, pair_found[1]
    return line


@contextmanager
def located(file: Path | None, keys: Sequence[str]) -> Iterator[None]:
    """Let errors that name no file of its folder name `file`, and the line that `keys` lead to."""
    try:
        yield
    except RetreeError as error:
        if file is None or str(file.parent) in str(error):
            raise
        line = f", line {line_of(file, keys)}" if keys else ""
        raise type(error)(f"{file}{line}: {error}") from error


@lru_cache(maxsize=64)
def _paths(folder: Path, names: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(folder / name for name in sorted(names) if name.endswith(".yaml"))


@lru_cache(maxsize=512)
def _read(path: Path, changed: int) -> Any:
    text = decode(path.read_bytes(), path)
    if wrong := yaml.reader.Reader.NON_PRINTABLE.search(text):
        at = len(split_lines(text[: wrong.start()]))
        raise RetreeError(
            f"{path}, line {at} has the control character U+{ord(wrong[0]):04X}: remove it."
        )
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise RetreeError(f"{path}{line}: {error.problem}; correct it.") from error
    except yaml.YAMLError as error:
        raise RetreeError(f"{path} is not YAML ({error}); correct it.") from error
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        # PyYAML's own, of a number of 5,000 digits, of !!int "", or of too many levels.
        text = f"{path} has a value that cannot be read ({error}); correct it."
        raise RetreeError(text) from error


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
    return _read_record(cls, content, _Place(what, file, tuple(keys)))


def _read_record(cls: type[T], content: Mapping[str, Any], place: _Place) -> T:
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
        return _read_record(typing.cast("type[Any]", hint), value, place)
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
    """Return whether `value` is of the type `hint`, whatever it has inside."""
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
