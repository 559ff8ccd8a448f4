"""What ``paper.yaml`` may hold, checked before anything is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.statistics.metrics import find_metric
from retree.study.available import available
from retree.study.methods import method_keys
from retree.yaml_files import line_of

REQUIRED = ("title", "authors", "reference", "items")
KEYS = (
    *(*REQUIRED, "name", "doi", "grid", "names", "shared", "audit", "errata"),
    *("called", "published_protocol", "tolerance", "our_data", "drawn_anew", "margins"),
    "not_judged",
)
ERRATUM = ("table", "dataset", "method", "metric", "reason")
# Names of files that reports write beside those of the items, whatever their letters' case.
TAKEN = (
    *("readme", "index", "claims", "audit", "cells", "replicates", "provenance", "power"),
    *("distances", "chance"),
)
LISTS = ("datasets", "methods", "metrics")


def check_paper(content: Mapping[str, Any], file: Path) -> None:
    """Refuse a paper that lacks something, or names what does not exist."""
    _check_keys(content, KEYS, REQUIRED, file, ())
    for key in ("title", "called", "authors", "reference", "not_judged"):
        if not isinstance(content.get(key, ""), str):
            raise _error(file, [key], f"{key} must be a text, not {content[key]!r}")
    if not re.fullmatch(r"[\w &.,'-]{1,60}", content.get("called") or "A"):
        what = "called is a name of at most 60 letters, digits, spaces and & . , ' -; shorten it"
        raise _error(file, ["called"], what)
    _check_grid(content.get("grid") or {}, file)
    nameable = [*method_keys(file.parent), *available("dataset")]
    _check_known("method or data set", content.get("names") or {}, nameable, file, ["names"])
    for key in ("our_data", "drawn_anew"):
        names = content.get(key) or ()
        if not isinstance(names, list | tuple):
            raise _error(file, [key], f"{key} must be a list of data sets: write [A, B]")
        _check_known("data set", names, available("dataset"), file, [key])
    items = content["items"]
    if not isinstance(items, Mapping) or not items:
        raise _error(file, ["items"], "items must be tables or figures by name; add one")
    for name, item in items.items():
        _check_item(name, item, file)
    tables = {str(item.get("published_in", name)) for name, item in items.items()} | {*items}
    _check_errata(content.get("errata") or (), tables, file)


def with_texts(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item whose data sets and methods are texts, also where YAML reads numbers."""
    lists = {key: [str(name) for name in item.get(key) or ()] for key in ("datasets", "methods")}
    return {**item, **{key: names for key, names in lists.items() if key in item}}


def _check_item(name: Any, item: Any, file: Path) -> None:
    place = ["items", name]
    if not re.fullmatch(r"[\w-]+", str(name)):
        what = f"{name!r} is to name files; take letters, digits, _ and -"
        raise _error(file, place, what)
    if str(name).casefold() in TAKEN:
        raise _error(file, place, f"{name} is a file that reports write; call the item otherwise")
    if not isinstance(item, Mapping):
        raise _error(file, place, f"{name} needs kind and caption below it; add them")
    if lacking := [key for key in ("kind", "caption") if not item.get(key)]:
        raise _error(file, place, f"{name} lacks {' and '.join(lacking)}; add it")
    for key in (key for key in LISTS if key in item):
        if not isinstance(item[key], list | tuple):
            raise _error(file, [*place, key], f"{key} of {name} must be a list: write [A, B]")
        if not item[key]:
            raise _error(file, [*place, key], f"{key} of {name} is empty; name at least one")
    _check_names(item, file, place)


def _check_grid(grid: Any, file: Path) -> None:
    if not isinstance(grid, Mapping):
        raise _error(file, ["grid"], "grid must have a list of values for each parameter")
    for name, values in grid.items():
        if not isinstance(values, list | tuple) or not values:
            raise _error(file, ["grid", name], f"{name} must be a list of values: write [A, B]")


def _check_errata(errata: Any, tables: Iterable[str], file: Path) -> None:
    if not isinstance(errata, list | tuple):
        raise _error(file, ["errata"], "errata must be a list: write - table: NAME, and a reason")
    for erratum in errata:
        if not isinstance(erratum, Mapping) or not erratum.get("reason"):
            raise _error(file, ["errata"], f"{erratum!r} lacks reason; say why the value is wrong")
        _check_keys(erratum, ERRATUM, (), file, ["errata"])
        named = [erratum["table"]] if "table" in erratum else []
        _check_known("table", named, tables, file, ["errata"])
        if {*erratum} == {"reason"}:
            raise _error(file, ["errata"], "an erratum names table, dataset, method or metric")


def _check_names(item: Mapping[str, Any], file: Path, place: Sequence[str]) -> None:
    methods = method_keys(file.parent)
    known = {"datasets": ("data set", available("dataset")), "methods": ("method", methods)}
    for key, (kind, valid) in known.items():
        _check_known(kind, item.get(key) or (), valid, file, [*place, key])
        names = [str(name) for name in item.get(key) or ()]
        if twice := [name for name in names if names.count(name) > 1]:
            raise _error(file, [*place, key], f"{twice[0]} is there twice; keep one")
    if protocol := item.get("protocol"):
        _check_known("protocol", [protocol], available("protocol"), file, [*place, "protocol"])
    if item.get("baseline") and item.get("methods"):
        keys = item["baseline"] if isinstance(item["baseline"], list) else [item["baseline"]]
        _check_known("baseline", keys, item["methods"], file, [*place, "baseline"])
    for metric in item.get("metrics") or ():
        try:
            find_metric(str(metric))
        except RetreeError as error:
            raise type(error)(f"{_where(file, [*place, 'metrics'])}: {error}") from error


def _check_keys(
    content: Mapping[str, Any],
    valid: Sequence[str],
    required: Sequence[str],
    file: Path,
    place: Sequence[str],
) -> None:
    for key in content:
        _check_known("key", [key], valid, file, [*place, str(key)])
    if lacking := [key for key in required if content.get(key) in (None, "")]:
        raise RetreeError(f"{file} lacks {' and '.join(lacking)}: add it.")


def _check_known(
    kind: str, names: Iterable[Any], valid: Iterable[str], file: Path, place: Sequence[str]
) -> None:
    for name in names:
        if str(name) not in valid:
            error = unknown_name(kind, str(name), valid)
            raise type(error)(f"{_where(file, place)}: {error}")


def _error(file: Path, place: Sequence[str], what: str) -> RetreeError:
    return RetreeError(f"{_where(file, place)}: {what}.")


def _where(file: Path, place: Sequence[str]) -> str:
    return f"{file}, line {line_of(file, place)}"
