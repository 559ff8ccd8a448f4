"""Sentences of a paper as checks: typed values, read from its configuration and held against it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.statistics.metrics import find_metric

RELATIONS = ("<", "<=", ">", ">=")
STATISTICS = ("mean", "std", "spread")
# Stands for the row of means of a table that publishes one.
MEAN = "MEAN"
Names = Callable[[str], Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class Check:
    """What all checks look at.

    Attributes
    ----------
    item : str
        The table whose numbers are checked.
    metric : str
        Of its metrics, the one that is.
    of : tuple of str
        Published names of the methods that the sentence is about.
    datasets : tuple of str
        The data sets that it is about, in the configuration by default all of the item's.
    """

    item: str
    metric: str
    of: tuple[str, ...]
    datasets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Comparing(Check):
    """That ``some of `of` relation factor * all of `than```.

    Attributes
    ----------
    than : tuple of str or float
        Published names of the methods to compare with, or a number.
    relation : str
        One of `RELATIONS`.
    every : bool
        Whether not some but every one of `of` has to stand in the relation.
    factor : float
        What the right-hand side is multiplied with.
    statistic : str
        What is compared: the ``mean`` over the folds, its ``std``, or ``spread``, std over mean.
    """

    than: tuple[str, ...] | float
    relation: str
    every: bool = False
    factor: float = 1.0
    statistic: str = "mean"


@dataclass(frozen=True, kw_only=True)
class CountCheck(Comparing):
    """On how many data sets the relation holds: `at_least` and `at_most` so many."""

    at_least: int | None = None
    at_most: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeanCheck(Comparing):
    """Whether the relation holds between means over the data sets, `geometric` or arithmetic."""

    geometric: bool = False


@dataclass(frozen=True, kw_only=True)
class WithinCheck(Check):
    """Whether the reproduced numbers lie near the published ones.

    Attributes
    ----------
    points : float or None
        The greatest difference, in the units of the metric.
    share : float or None
        The greatest difference as a share of the published number; one of the two is given.
    at_least : int or None
        In how many cells, by default in all.
    """

    points: float | None = None
    share: float | None = None
    at_least: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeanOfCellsCheck(Check):
    """Whether the row of means in `item` is the mean of the cells in the table `cells`."""

    cells: str


@dataclass(frozen=True, kw_only=True)
class ParameterCheck(Check):
    """Which values of a tuned parameter the data sets choose.

    Attributes
    ----------
    parameter : str
        Name of the parameter.
    low, high : float
        Its value lies between them, both included.
    at_least : int or None
        For so many data sets and methods.
    most_frequent : bool
        Instead, no other value is chosen as often as those between `low` and `high`.
    """

    parameter: str
    low: float
    high: float
    at_least: int | None = None
    most_frequent: bool = False


@dataclass(frozen=True, kw_only=True)
class StarsCheck(Check):
    """On how many data sets a method has a star against the one that it is paired with.

    A star says that it is significantly better by the paired t-test over the folds, as the paper
    tests it; the item is a table of pairs.

    Attributes
    ----------
    at_least : int
        For so many data sets and methods.
    """

    at_least: int


KINDS: dict[str, type[Check]] = {
    "count": CountCheck,
    "mean": MeanCheck,
    "within": WithinCheck,
    "mean_of_cells": MeanOfCellsCheck,
    "parameter": ParameterCheck,
    "stars": StarsCheck,
}


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, with the check it amounts to.

    Attributes
    ----------
    name, place, text : str
        A short name, where it stands in the paper, and what it says.
    check : Check or None
        How it is checked on the published and on the reproduced tables.
    test : str or None
        Instead of a check, the test (``file::function``) of a property that no table shows.
    refuted : bool
        Whether the test shows the contrary of what the paper says.
    tolerance : str
        What the test allows, in words: "exact", or how near is near enough.
    to_published_digits : bool or None
        Whether the test finds the published figures to their last digit; None if the claim has no
        figure.
    unchecked : str or None
        Instead of either, why the sentence cannot be checked.
    ours : bool
        Whether the sentence is not the paper's but a statement of this reproduction, which does not
        count among the paper's claims.
    our_choice : bool
        Whether the check has a threshold, or another choice, that the paper's words leave open, as
        how much "far lower" is. The paper's tables cannot contradict what is ours.
    other_reason : str
        If the claim is reproduced for another reason than the paper's, that reason.
    """

    name: str
    place: str
    text: str
    check: Check | None = None
    test: str | None = None
    refuted: bool = False
    tolerance: str = ""
    to_published_digits: bool | None = None
    unchecked: str | None = None
    ours: bool = False
    our_choice: bool = False
    other_reason: str = ""


def read_entries(content: Any) -> list[Mapping[str, Any]]:
    """Return what a file of claims holds, a list of mappings; an empty file has none.

    Raises
    ------
    RetreeError
        If it holds anything else.
    """
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

    Parameters
    ----------
    entries : iterable of dict
        Each has ``name``, ``place`` and ``text``, and a ``check`` (``kind`` and the fields of the
        kind, methods by their keys), a ``test`` or the reason why it is ``unchecked``.
    items : dict
        The paper's items, as configured.
    names : callable
        Returns, for an item, the published names of its methods, and of the rows that it
        defines itself, by their keys.
    labels : dict of str to str, optional
        The published names of data sets that are called otherwise here.

    Raises
    ------
    UnknownNameError
        If a kind, key, item, data set or method does not exist.
    RetreeError
        If a claim lacks something, or a value is not valid.
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
    fields = dataclasses.fields(KINDS[kind])
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
            content[key] = tuple(known[_known("method", str(m), known)] for m in content[key])
    listed = items[item].get("datasets") or items[item].get("rows") or ()
    for name in content.get("datasets", ()):
        _known("data set", name, [*listed, MEAN])
    content["datasets"] = tuple(labels.get(d, d) for d in content.get("datasets", listed))
    find_metric(str(content["metric"]))
    check = KINDS[kind](**content)
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
