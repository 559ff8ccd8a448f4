"""Sentences of a paper as checks of its tables, read from the claims of its configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from retree.errors import RetreeError, refuse_unknown
from retree_lab.statistics.metrics import find_metric
from retree_lab.yaml_files import Name, located, read_options

# Stands for the row of means of a table that publishes one.
MEAN = "MEAN"


Relation = Literal["<", "<=", ">", ">="]


@dataclass(frozen=True, kw_only=True)
class Check:
    """The numbers that all checks look at."""

    item: str  # The table whose numbers are checked
    metric: str  # The metric of these numbers
    of: tuple[Name, ...]  # Keys of the methods that the claim is about
    # Keys of the data sets that the claim is about, by default all of the item's.
    datasets: tuple[Name, ...] = ()
    # The published names of these methods and data sets, by key, where they are not the keys.
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        find_metric(self.metric)

    def label(self, key: str) -> str:
        """Return the published name of a data set or method."""
        return self.labels.get(key, key)


@dataclass(frozen=True, kw_only=True)
class Comparing(Check):
    """The check that ``some of `of` relation factor * all of `than` + plus``."""

    than: tuple[Name, ...] | float  # Keys of the methods to compare with, or a number
    relation: Relation  # ``<``, ``<=``, ``>`` or ``>=``
    every: bool = False  # Whether the relation must hold for every method in `of`, not just one
    factor: float = 1.0  # What the right-hand side is multiplied by
    plus: float = 0.0  # What is then added to it: with ``>=``, -5 is "at most five points less"
    # What is compared: the ``mean`` over the folds, its ``std``, or ``spread``, std over mean.
    statistic: Literal["mean", "std", "spread"] = "mean"


@dataclass(frozen=True, kw_only=True)
class CountCheck(Comparing):
    """The check that the relation holds on `at_least` and `at_most` so many data sets."""

    at_least: int | None = None  # The lowest number of data sets on which it must hold
    at_most: int | None = None  # The highest number; give one or both

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at_least is None and self.at_most is None:
            raise RetreeError("a check of kind count needs at_least or at_most; add one.")


@dataclass(frozen=True, kw_only=True)
class MeanCheck(Comparing):
    """Whether the relation holds between means over the data sets, `geometric` or arithmetic."""

    geometric: bool = False  # Whether to compare geometric means


@dataclass(frozen=True, kw_only=True)
class WithinCheck(Check):
    """Whether the reproduced numbers lie near the published ones."""

    points: float | None = None  # The largest difference, in the units of the metric
    # The largest difference as a share of the published number; give one of the two.
    share: float | None = None
    at_least: int | None = None  # In how many cells, by default all

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.points is None) == (self.share is None):
            raise RetreeError("a check of kind within needs either points or share; give one.")


@dataclass(frozen=True, kw_only=True)
class MeanOfCellsCheck(Check):
    """Whether the row of means in `item` is the mean of the cells in the table `cells`."""

    cells: str  # The item with the cells whose mean is checked


@dataclass(frozen=True, kw_only=True)
class ParameterCheck(Check):
    """The check of the values of a tuned parameter that the data sets choose."""

    parameter: str  # The name of the parameter
    low: float  # The lowest value that counts
    high: float  # The highest value that counts
    at_least: int | None = None  # For at least this many data sets and methods
    # Instead: whether a value from `low` to `high` must be among the most frequent choices.
    most_frequent: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.at_least is None) != self.most_frequent:
            raise RetreeError(
                "a check of kind parameter needs either at_least or most_frequent; give one."
            )


@dataclass(frozen=True, kw_only=True)
class StarsCheck(Check):
    """The check on how many data sets a method has a star against its pair.

    A star says that it is significantly better by the paired t-test over the folds, as the paper
    tests it; the item is a table of pairs.
    """

    at_least: int  # For at least this many data sets and methods


CHECKS: dict[str, type[Check]] = {
    "count": CountCheck,
    "mean": MeanCheck,
    "within": WithinCheck,
    "mean_of_cells": MeanOfCellsCheck,
    "parameter": ParameterCheck,
    "stars": StarsCheck,
}


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, with the check it amounts to."""

    name: str  # A short name
    place: str  # Where the paper makes it
    text: str  # What it says
    check: Check | None = None  # How it is checked on the published and on the reproduced tables
    # Instead of a check: a test (``file::function``) of a property that no table shows.
    test: str | None = None
    refuted: bool = False  # Whether the test shows the opposite of what the paper says
    tolerance: str = ""  # What the test allows, in words: "exact", or how close is close enough
    # Whether the test finds the published figures to their last digit; left out if the claim has
    # no figure.
    to_published_digits: bool | None = None
    unchecked: str | None = None  # Instead of either: why the claim cannot be checked
    # Whether the claim is ours, not the paper's. It is then not counted among the paper's claims.
    ours: bool = False
    # Whether the check has a threshold, or another choice, that the paper leaves open, such as how
    # much "far lower" is. The paper's tables cannot contradict a choice of ours.
    our_choice: bool = False
    # If it holds here, but not for the paper's reason: what is known about the reason.
    other_reason: str = ""


Names = Callable[[str], Mapping[str, str]]


def read_claims(
    entries: Any,
    items: Mapping[str, Mapping[str, Any]],
    names: Names,
    labels: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> tuple[Claim, ...]:
    """Return the claims of a paper's configuration.

    `entries`: what a `file` of claims holds. Each has ``name``, ``place`` and ``text``, and a
    ``check`` (``kind`` and the fields of the kind, methods by their keys), a ``test`` or the reason
    why it is ``unchecked``.
    `names`: returns, for an item, the published names of its methods, and of the rows that it
    defines itself, by their keys.
    `labels`: the published names of data sets that are called otherwise here.
    """
    entries = entries or []
    with located(file, []):
        if not (isinstance(entries, list) and all(isinstance(e, Mapping) for e in entries)):
            raise RetreeError("claims are a list, each with name, place and text; write - name: A.")
    claims = []
    for i, entry in enumerate(entries):
        what = f"Claim {entry.get('name', '?')}"
        given = {key: value for key, value in entry.items() if key != "check"}
        claim = read_options(Claim, given, what, file, [str(i)])
        with located(file, [str(i)]):
            _check_claim(claim, entry)
        if "check" in entry:
            with located(file, [str(i), "check"]):
                check = _read_check(what, entry["check"], items, names, labels or {})
            claim = replace(claim, check=check)
        claims.append(claim)
    return tuple(claims)


def _check_claim(claim: Claim, entry: Mapping[str, Any]) -> None:
    if sum(key in entry for key in ("check", "test", "unchecked")) != 1:
        raise RetreeError(
            f"Claim {claim.name} needs either a check or a test, or the reason why it is "
            "unchecked; give one."
        )
    if claim.test is not None and not claim.tolerance:
        raise RetreeError(
            f"Claim {claim.name} has a test of unknown tolerance; add tolerance: exact, or what "
            "the test allows."
        )
    for key in ("refuted", "tolerance", "to_published_digits"):
        if key in entry and claim.test is None:
            raise RetreeError(f"Claim {claim.name} has {key} but no test; give one.")


def _read_check(
    claim: str,
    given: Any,
    items: Mapping[str, Mapping[str, Any]],
    names: Names,
    labels: Mapping[str, str],
) -> Check:
    """Return a check whose names, of items, methods and data sets, all exist."""
    try:
        if not isinstance(given, Mapping):
            raise RetreeError(f"check must be a mapping, not {given!r}.")
        kind = str(given.get("kind", ""))
        refuse_unknown("kind of check", CHECKS, kind)
        content = {key: value for key, value in given.items() if key != "kind"}
        check = read_options(CHECKS[kind], content, f"a check of kind {kind}")
        if check.labels:
            raise RetreeError("labels come from the paper; remove them.")
        refuse_unknown("item", items, check.item, getattr(check, "cells", check.item))
        wanted, than = names(check.item), getattr(check, "than", ())
        refuse_unknown("method", wanted, *check.of, *(than if isinstance(than, tuple) else ()))
        listed = items[check.item].get("datasets") or items[check.item].get("rows") or ()
        refuse_unknown("data set", [*listed, MEAN], *check.datasets)
    except RetreeError as error:
        raise type(error)(f"{claim}: {error}") from error
    datasets = check.datasets or tuple(map(str, listed))
    return replace(check, datasets=datasets, labels={**labels, **wanted})
