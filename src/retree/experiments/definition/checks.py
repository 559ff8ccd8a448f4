"""Sentences of a paper as checks of its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

RELATIONS = ("<", "<=", ">", ">=")
STATISTICS = ("mean", "std", "spread")
# Stands for the row of means of a table that publishes one.
MEAN = "MEAN"


@dataclass(frozen=True, kw_only=True)
class Check:
    """What all checks look at."""

    item: str  # The table whose numbers are checked
    metric: str  # Of its metrics, the one that is
    of: tuple[str, ...]  # Keys of the methods that the sentence is about
    # Keys of the data sets that it is about, in the configuration by default all of the item's.
    datasets: tuple[str, ...] = ()
    # The published names of these methods and data sets, by key, where they are not the keys.
    labels: Mapping[str, str] = field(default_factory=dict)

    def label(self, key: str) -> str:
        """Return the published name of a data set or method."""
        return self.labels.get(key, key)


@dataclass(frozen=True, kw_only=True)
class Comparing(Check):
    """That ``some of `of` relation factor * all of `than```."""

    than: tuple[str, ...] | float  # Keys of the methods to compare with, or a number
    relation: str
    every: bool = False  # Whether not some but every one of `of` has to stand in the relation
    factor: float = 1.0  # What the right-hand side is multiplied with
    # What is compared: the ``mean`` over the folds, its ``std``, or ``spread``, std over mean.
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
    """Whether the reproduced numbers lie near the published ones."""

    points: float | None = None  # The greatest difference, in the units of the metric
    # The greatest difference as a share of the published number; one of the two is given.
    share: float | None = None
    at_least: int | None = None  # In how many cells, by default in all


@dataclass(frozen=True, kw_only=True)
class MeanOfCellsCheck(Check):
    """Whether the row of means in `item` is the mean of the cells in the table `cells`."""

    cells: str


@dataclass(frozen=True, kw_only=True)
class ParameterCheck(Check):
    """Which values of a tuned parameter the data sets choose."""

    parameter: str
    low: float  # Its value lies between them, both included
    high: float
    at_least: int | None = None  # For so many data sets and methods
    # Instead, no other value is chosen as often as those between `low` and `high`.
    most_frequent: bool = False


@dataclass(frozen=True, kw_only=True)
class StarsCheck(Check):
    """On how many data sets a method has a star against the one that it is paired with.

    A star says that it is significantly better by the paired t-test over the folds, as the paper
    tests it; the item is a table of pairs.
    """

    at_least: int  # For so many data sets and methods


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
    """A sentence of a paper, with the check it amounts to."""

    name: str  # A short name, where it stands in the paper, and what it says
    place: str
    text: str
    check: Check | None = None  # How it is checked on the published and on the reproduced tables
    # Instead of a check, the test (``file::function``) of a property that no table shows.
    test: str | None = None
    refuted: bool = False  # Whether the test shows the contrary of what the paper says
    tolerance: str = ""  # What the test allows, in words: "exact", or how near is near enough
    # Whether the test finds the published figures to their last digit; None if the claim has no
    # figure.
    to_published_digits: bool | None = None
    unchecked: str | None = None  # Instead of either, why the sentence cannot be checked
    # Whether the sentence is not the paper's but a statement of this reproduction, which does not
    # count among the paper's claims.
    ours: bool = False
    # Whether the check has a threshold, or another choice, that the paper's words leave open, as
    # how much "far lower" is. The paper's tables cannot contradict what is ours.
    our_choice: bool = False
    # If the claim is reproduced for another reason than the paper's, that reason.
    other_reason: str = ""
