"""What words of a page may lead to; each writer knows where that is."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ToPage:
    """A page of the paper's results: of an item, or ``claims``, ``audit`` or ``chance``."""

    name: str


@dataclass(frozen=True)
class ToFile:
    """A file in the folder of the paper's results."""

    name: str


@dataclass(frozen=True)
class ToAddress:
    """An address as it is."""

    address: str


@dataclass(frozen=True)
class ToFolds:
    """The folds that a number of an item is the mean of."""

    item: str  # Names as the item shows them
    dataset: str
    method: str
    params: str  # The point of the grid as JSON, as a table has it

    @property
    def place(self) -> str:
        """The name of the place on the page of the data set's folds."""
        end = "-nested" if is_nested(self.params) else ""
        return f"{self.item}-{slug(self.method)}{end}"


@dataclass(frozen=True)
class ToValues:
    """The values that a number of an item over several data sets is made of."""

    item: str
    table: int  # Which table of the page of values, from 1
    method: str = ""  # The column, "" for the whole table

    @property
    def place(self) -> str:
        """The name of the place on the page of the item's values."""
        return f"values-{self.table}{f'-{slug(self.method)}' if self.method else ''}"


@dataclass(frozen=True)
class ToRun:
    """The run that computed folds, as the column ``run`` counts them, on the same page."""

    number: int

    @property
    def place(self) -> str:
        """The name of the place on the page."""
        return f"computed-{self.number}"


@dataclass(frozen=True)
class ToMethod:
    """A configured method, by its key."""

    key: str


@dataclass(frozen=True)
class ToEstimator:
    """The description of an estimator, by its target as ``module:Class``."""

    target: str


@dataclass(frozen=True)
class ToSource:
    """The source of an estimator, by its target as ``module:Class``."""

    target: str


@dataclass(frozen=True)
class ToTest:
    """A test of retree, as pytest names it."""

    node: str


@dataclass(frozen=True)
class ToCommit:
    """A commit of retree, in full."""

    commit: str


Place = ToFolds | ToValues | ToRun
Reference = (
    ToPage | ToFile | ToAddress | ToMethod | ToEstimator | ToSource | ToTest | ToCommit | Place
)


def is_nested(params: str) -> bool:
    """Return whether `params`, as a table has them, are one point of the grid per fold."""
    return params.startswith("[")


def slug(name: str) -> str:
    """Return a name in lower-case letters, digits and hyphens, for files and places."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("+", " plus ")).strip("-")
