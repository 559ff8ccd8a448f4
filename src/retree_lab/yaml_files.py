"""YAML files as plain values, with the line of every key for error messages."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from retree.errors import RetreeError, brief, needs_extra
from retree_lab.plain_files import check_plain, decode, split_lines

with needs_extra("reading a YAML file"):
    import yaml

MOST_MEGABYTES = 4

_FLOAT = re.compile(r"[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)[eE][-+]?\d+$")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads ``1e-3`` as a number and a date as text, and refuses a key that is there twice."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, pattern) for tag, pattern in some if not tag.endswith(":timestamp")]
        for first, some in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag.endswith(":str") and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"{brief(key.value)} is there twice", problem_mark=key.start_mark
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
