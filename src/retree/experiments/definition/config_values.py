"""Checks and forms that several parts of the configuration share."""

from __future__ import annotations

from typing import Any

from retree import paths
from retree.errors import RetreeError
from retree.yaml_files import read_mapping


def read_defaults(group: str, name: str) -> dict[str, Any]:
    """Return a file of a group of retree's own configuration."""
    return read_mapping(paths.conf_dir() / group / f"{name}.yaml")


def one_line(text: object) -> str:
    """Return a text without its line breaks."""
    return " ".join(str(text).split())


def check_integer(name: str, value: Any, least: int) -> None:
    """Raise a `RetreeError` unless `value` is an integer of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise RetreeError(f"{name} must be an integer of at least {least}, not {value!r}.")
