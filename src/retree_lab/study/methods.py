"""Methods as configured: a file for each family, and a study's own beside retree's.

Each of retree's estimators is a method too, with its defaults, unless a file has one of that key.

A method may name another one as its ``base`` and then says only what differs. It takes over all
but ``name`` and ``about``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import retree
from retree.errors import RetreeError, refuse_unknown
from retree_lab import paths
from retree_lab.study.folders import METHODS, check_name
from retree_lab.study.registry import ESTIMATORS
from retree_lab.yaml_files import line_of, list_yaml, located, read_mapping

OWN = ("name", "about")
# Estimators without a declared version, by the keys of their methods.
UNDECLARED = {"c45_rules": "C45RulesClassifier", "cart_regressor": "CartRegressor"}


class MethodEntry(NamedTuple):
    """A method as it stands in a file, its base not yet merged."""

    content: dict[str, Any]
    file: Path | None  # None for an estimator with its defaults


def method_entries(study: Path | None = None) -> Mapping[str, MethodEntry]:
    """Return all methods by key: retree's, and those in the folder ``methods`` of a study."""
    folders = [paths.conf_dir() / "method", *([study / METHODS] if study else [])]
    files = [file for folder in folders for file in list_yaml(folder)]
    return _read(tuple((file, file.stat().st_mtime_ns) for file in files))


def method_keys(study: Path | None = None) -> list[str]:
    """Return the keys of all methods, sorted."""
    return sorted(method_entries(study))


def method_content(key: str, study: Path | None = None) -> dict[str, Any]:
    """Return the configuration of a method: its bases merged in, its ``key`` and its ``file``."""
    return content_in(method_entries(study), key)


def content_in(entries: Mapping[str, MethodEntry], key: str) -> dict[str, Any]:
    """Return the configuration of one of the methods that `method_entries` has read."""
    refuse_unknown("method", entries, key)
    merged: dict[str, Any] = {}
    for entry in reversed(_lineage(key, entries)):
        merged = {name: value for name, value in merged.items() if name not in OWN}
        merged |= entry.content
    merged.pop("base", None)
    file = entries[key].file
    return {"key": key, "file": None if file is None else str(file), "name": key, **merged}


def method_file(key: str, study: Path | None = None) -> Path | None:
    """Return the file that a method stands in, None for an estimator with its defaults."""
    return method_entries(study)[key].file


@lru_cache(maxsize=64)
def _read(files: tuple[tuple[Path, int], ...]) -> Mapping[str, MethodEntry]:
    entries: dict[str, MethodEntry] = {}
    for file, _ in files:
        for key, content in read_mapping(file).items():
            with located(file, [key]):
                check_name(key)
            where = f"{file}, line {line_of(file, [key])}" if key in entries else str(file)
            if not isinstance(content, dict):
                raise RetreeError(
                    f"{where}: {key} must be a method, with estimator or base below it, not "
                    f"{content!r}."
                )
            if key in entries:
                raise RetreeError(
                    f"{where}: {entries[key].file} has a method {key} already; rename one."
                )
            entries[key] = MethodEntry(content, file)
    return MappingProxyType(_defaults() | entries)


def _defaults() -> dict[str, MethodEntry]:
    """Return retree's estimators with their defaults."""
    classes = {key: each.target.rpartition(":")[2] for key, each in ESTIMATORS.items()}
    named = {key: (key, cls) for key, cls in classes.items() if cls in retree.__all__}
    named |= {key: (f"retree.{cls}", cls) for key, cls in UNDECLARED.items()}
    return {
        key: MethodEntry({"estimator": estimator, "name": cls.removesuffix("Classifier")}, None)
        for key, (estimator, cls) in named.items()
    }


def _lineage(key: str, entries: Mapping[str, MethodEntry]) -> list[MethodEntry]:
    """Return the method called `key`, its base, and so on down to one that has none."""
    chain = [key]
    while (base := entries[chain[-1]].content.get("base")) is not None:
        with located(entries[chain[-1]].file, [chain[-1], "base"]):
            refuse_unknown(f"base of {chain[-1]}", entries, str(base))
            if base in chain:
                circle = " -> ".join([*chain, base])
                raise RetreeError(f"a method cannot be its own base ({circle}); change one.")
        chain.append(str(base))
    return [entries[name] for name in chain]
