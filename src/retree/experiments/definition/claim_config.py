"""The claims of a paper, read from its configuration and checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.experiments.definition.checks import (
    KINDS,
    MEAN,
    RELATIONS,
    STATISTICS,
    Check,
    Claim,
    Comparing,
    CountCheck,
    ParameterCheck,
    WithinCheck,
)
from retree.statistics.metrics import find_metric

Names = Callable[[str], Mapping[str, str]]


def read_entries(content: Any) -> list[Mapping[str, Any]]:
    """Return what a file of claims holds, a list of mappings; an empty file has none."""
    entries = content or []
    if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
        raise RetreeError("claims are a list, each with name, place and text; write - name: A.")
    return entries


def read_claims(
    entries: Iterable[Mapping[str, Any]],
    items: Mapping[str, Mapping[str, Any]],
    names: Names,
    labels: Mapping[str, str] | None = None,
) -> tuple[Claim, ...]:
    """Return the claims of a paper's configuration.

    `entries`: each has ``name``, ``place`` and ``text``, and a ``check`` (``kind`` and the fields
    of the kind, methods by their keys), a ``test`` or the reason why it is ``unchecked``.
    `names`: returns, for an item, the published names of its methods, and of the rows that it
    defines itself, by their keys.
    `labels`: the published names of data sets that are called otherwise here.
    """
    return tuple(_claim(entry, items, names, labels or {}) for entry in entries)


def _claim(
    entry: Mapping[str, Any],
    items: Mapping[str, Mapping[str, Any]],
    names: Names,
    labels: Mapping[str, str],
) -> Claim:
    given = {f.name: entry[f.name] for f in dataclasses.fields(Claim) if f.name in entry}
    content = given.pop("check", None)
    if lacking := [key for key in ("name", "place", "text") if key not in given]:
        raise RetreeError(f"Claim {entry.get('name', '?')} lacks {' and '.join(lacking)}; add it.")
    if sum(key in entry for key in ("check", "test", "unchecked")) != 1:
        raise RetreeError(
            f"Claim {entry['name']} needs either a check or a test, or the reason why it is "
            "unchecked; give one."
        )
    _check_test(entry)
    if content is None:
        return Claim(**given)
    try:
        return Claim(**given, check=_check(dict(content), items, names, labels))
    except RetreeError as error:
        raise type(error)(f"Claim {entry['name']}: {error}") from error


def _check_test(entry: Mapping[str, Any]) -> None:
    if "test" in entry and not entry.get("tolerance"):
        raise RetreeError(
            f"Claim {entry['name']} has a test of unknown tolerance; add tolerance: exact, or what "
            "the test allows."
        )
    for key in ("refuted", "tolerance", "to_published_digits"):
        if key in entry and "test" not in entry:
            raise RetreeError(f"Claim {entry['name']} has {key} but no test; give one.")


def _check(
    content: dict[str, Any],
    items: Mapping[str, Mapping[str, Any]],
    names: Names,
    labels: Mapping[str, str],
) -> Check:
    kind = _known("kind of check", content.pop("kind", ""), KINDS)
    fields = [f for f in dataclasses.fields(KINDS[kind]) if f.name != "labels"]
    for key in content:
        _known(f"key of a check of kind {kind}", key, [f.name for f in fields])
    required = [f.name for f in fields if f.default is dataclasses.MISSING]
    if lacking := [name for name in required if name not in content]:
        raise RetreeError(f"a check of kind {kind} needs {' and '.join(lacking)}; add it.")
    item = _known("item", content["item"], items)
    if "cells" in content:
        _known("item", content["cells"], items)
    known = names(item)
    for key in {"of", "than"} & set(content):
        if not isinstance(content[key], int | float):
            content[key] = tuple(_known("method", str(m), known) for m in content[key])
    listed = items[item].get("datasets") or items[item].get("rows") or ()
    for name in content.get("datasets", ()):
        _known("data set", name, [*listed, MEAN])
    content["datasets"] = tuple(content.get("datasets", listed))
    find_metric(str(content["metric"]))
    check = KINDS[kind](**content, labels={**labels, **known})
    _check_values(check)
    return check


def _check_values(check: Check) -> None:
    if isinstance(check, Comparing):
        _known("relation", check.relation, RELATIONS)
        _known("statistic", check.statistic, STATISTICS)
    if isinstance(check, CountCheck) and check.at_least is None and check.at_most is None:
        raise RetreeError("a check of kind count needs at_least or at_most; add one.")
    if isinstance(check, WithinCheck) and (check.points is None) == (check.share is None):
        raise RetreeError("a check of kind within needs either points or share; give one.")
    if isinstance(check, ParameterCheck) and (check.at_least is None) != check.most_frequent:
        raise RetreeError(
            "a check of kind parameter needs either at_least or most_frequent; give one."
        )


def _known(kind: str, name: str, valid: Iterable[str]) -> str:
    valid = list(valid)
    if name not in valid:
        raise unknown_name(kind, name, valid)
    return name
