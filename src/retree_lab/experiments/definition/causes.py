"""Published numbers that a paper's file names: why they do not agree, which are counted apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from retree.errors import RetreeError
from retree_lab.options import Bounds, Line, Name
from retree_lab.statistics.metrics import find_metric


class Cause(StrEnum):
    """The reason why a published number is not ours."""

    MISPRINT = "misprint"
    DATA = "other data"
    PROGRAM = "other program"
    PROTOCOL = "protocol"
    INTERPRETATION = "interpretation"
    OPEN = "open"


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Published numbers by their labels; what is not named is any."""

    items: tuple[Name, ...] = ()  # Tables, as in ``published.csv``; left out, all
    datasets: tuple[Name, ...] = ()  # Published names of data sets; left out, all
    methods: tuple[Name, ...] = ()  # Published names of methods; left out, all
    metrics: tuple[Name, ...] = ()  # Metrics; left out, all

    def __post_init__(self) -> None:
        if not (self.items or self.datasets or self.methods or self.metrics):
            raise RetreeError("numbers are named by items, datasets, methods or metrics; add one.")
        for metric in self.metrics:
            find_metric(metric)

    @property
    def by_column(self) -> Mapping[str, tuple[str, ...]]:
        """The names, by the column of a rendered table."""
        columns = {"item": self.items, "dataset": self.datasets}
        columns |= {"method": self.methods, "metric": self.metrics}
        return {column: names for column, names in columns.items() if names}


@dataclass(frozen=True, kw_only=True)
class CauseEntry:
    """One entry of a paper's list of causes."""

    # ``misprint``, ``other data``, ``other program``, ``protocol``, ``interpretation`` or ``open``
    cause: Cause
    numbers: tuple[Numbers, ...]  # Those that it is the cause of
    evidence: Line  # A sentence on what shows it; if the cause is open, on what is known
    program: str = ""  # Which one, if the cause is another program

    def __post_init__(self) -> None:
        if (self.cause == Cause.PROGRAM) != bool(self.program):
            raise RetreeError(
                "the cause is another program only where `program` names which one; add it, or "
                "the cause is open."
            )
        if not self.numbers:
            raise RetreeError("numbers are empty; name at least one.")


class Origin(StrEnum):
    """The reason why numbers are counted apart from those of the paper's own methods."""

    PROGRAM = "other program"  # The authors ran somebody else's
    FIT = "chosen by fit"  # Our interpretation, or the data set, was chosen by these very numbers


@dataclass(frozen=True, kw_only=True)
class Apart:
    """Numbers that are counted apart."""

    origin: Origin  # ``other program`` or ``chosen by fit``
    numbers: tuple[Numbers, ...]


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How many accuracies and errors a paper publishes, where its tables here are a part of it."""

    numbers: Annotated[int, Bounds(1)]
    what: Line  # What they are of

    def __str__(self) -> str:
        return f"{self.numbers:,} ({self.what})"


def of_erratum(erratum: Mapping[str, Any]) -> CauseEntry:
    """Return a known misprint as an entry of the list of causes."""
    keys = {"table": "items", "dataset": "datasets", "method": "methods", "metric": "metrics"}
    named = {key: (str(erratum[name]),) for name, key in keys.items() if name in erratum}
    evidence = str(erratum["reason"])
    return CauseEntry(cause=Cause.MISPRINT, numbers=(Numbers(**named),), evidence=evidence)
