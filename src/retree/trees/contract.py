"""The contract of a class of estimators: what it takes, and how forests and exports may use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal


def _says(meaning: str, default: Any) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Contract:
    """Facts that a class of estimators declares by `declares`, or else inherits from its bases.

    ``docs/estimators.md`` has the fields in words, and the classes whose value is not the default.
    """

    classes: bool = _says("predicts classes, not numbers", True)
    categories: bool = _says("takes categorical columns", True)
    missing: bool = _says("takes missing values, also where they are not filled in", True)
    divides_missing: bool = _says(
        "divides a row whose tested value is missing; 2 if its parts are multiplied from the "
        "leaves up",
        False,
    )
    tests_levels: bool = _says("tests levels themselves, not numbers computed from them", True)
    weights: Literal["given", "scaled", "exact"] = _says(
        "takes weights as given, scaled to a mean of 1 if theirs is less, or exact: scaled, and "
        "rounded so that all their sums are exact",
        "given",
    )
    knows_first_class: bool = _says("knows the first declared class, also without rows", False)
    draws: bool = _says("draws random numbers while it grows", False)
    in_forests: bool = _says("grows in bags and boosting, on rows whose weights these set", False)
    exact_votes: bool = _says("votes in boosting with ties of the last bit, as Weka's do", False)
    keeps_draws: bool = _says("grows in a bag on its rows in their order, not on weights", False)


MEANINGS: Mapping[str, str] = {each.name: each.metadata["meaning"] for each in fields(Contract)}


def changed(**values: Any) -> Mapping[str, Any]:
    """Return what a class declares beside its bases, by fields of `Contract`."""
    return MappingProxyType(values)


def combine(cls: type) -> Contract:
    """Return the contract of a class: of each field what the nearest of its bases declares."""
    values: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        values |= vars(base).get("declares", {})
    return Contract(**values)
