"""An experiment and what it is made of, as typed, immutable values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from retree.errors import RetreeError, refuse_unknown
from retree_lab.experiments.definition.claim_config import Claim, CountCheck
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Limits, Method, Seconds
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.statistics.agreement import Margins
from retree_lab.statistics.metrics import find_metric
from retree_lab.yaml_files import Bounds, Line, Name


@dataclass(frozen=True)
class OddSizes:
    """Numbers of nodes of binary trees, which are odd."""

    metric: str  # The metric with which the paper counts nodes
    # The data sets on which all trees are binary; none means all.
    datasets: tuple[str, ...] = ()
    members: int = 1  # Number of trees, if the published size is that of a forest


@dataclass(frozen=True)
class AuditPlan:
    """Facts about a paper's tables that an audit needs."""

    folds: int  # Folds of the cross-validation behind all published numbers
    repeats: int = 1  # Repeats of that cross-validation
    # For each table of means and metric, the table whose cells are averaged.
    means: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    odd: tuple[OddSizes, ...] = ()  # Sizes that must be odd numbers
    # For each method, the one next to it that has a star where the two differ significantly.
    marks: Mapping[str, str] = field(default_factory=dict)
    recount: tuple[str, ...] = ()  # Names of the claims whose numbers are recounted
    cut: bool = False  # Whether numbers are cut after their last digit instead of rounded

    @property
    def runs(self) -> int:
        """Return the number of results that a published number is the mean of."""
        return self.folds * self.repeats


def check_audit(plan: AuditPlan, items: Iterable[str], claims: Iterable[Claim]) -> None:
    """Refuse the plan of a paper's ``audit`` that names what does not exist."""
    used = {table for metrics in plan.means.values() for table in metrics.values()}
    refuse_unknown("item", list(items), *plan.means, *sorted(used))
    by_name = {claim.name: claim for claim in claims}
    refuse_unknown("claim", by_name, *plan.recount)
    for name in plan.recount:
        if not isinstance(by_name[name].check, CountCheck):
            raise RetreeError(f"audit.recount: claim {name} counts nothing; leave it out.")
        if by_name[name].our_choice:
            raise RetreeError(
                f"audit.recount: claim {name} is checked by a measure of our choice, so that the "
                "tables cannot contradict it; leave it out."
            )


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
    """Published numbers by their labels; a label that is left out matches any."""

    items: tuple[Name, ...] = ()  # Tables, as in ``published.csv``; by default all
    datasets: tuple[Name, ...] = ()  # Published names of data sets; by default all
    methods: tuple[Name, ...] = ()  # Published names of methods; by default all
    metrics: tuple[Name, ...] = ()  # Metrics; by default all

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
    numbers: tuple[Numbers, ...]  # The numbers that it explains
    evidence: Line  # A sentence on what shows it; for an open cause, on what is known
    program: str = ""  # The program, if the cause is another program

    def __post_init__(self) -> None:
        if (self.cause == Cause.PROGRAM) != bool(self.program):
            raise RetreeError(
                "the cause is another program only where `program` names which one; add it, or "
                "the cause is open."
            )
        if not self.numbers:
            raise RetreeError("numbers are empty; name at least one.")


class Origin(StrEnum):
    """The reason why numbers are counted apart from the paper's own methods."""

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


@dataclass(frozen=True)
class Execution:
    """The place where cells are computed."""

    name: str
    backend: Line  # Of joblib, see `check_backend`
    jobs: Annotated[int, Bounds(-1)]  # Batches at a time; -1: one for each core.
    address: str | None = None
    # Of each cell whose method has no limits of its own.
    timeout: Seconds | None = None

    @property
    def limits(self) -> Limits:
        """The limits of a cell whose method sets none."""
        return Limits(self.timeout)


@dataclass(frozen=True, kw_only=True)
class Program:
    """The programs that a paper ran, where ours are the algorithms as they are written."""

    item: str  # The table with their numbers
    instead: Mapping[Name, Name]  # By the key of a method as it is written, that of the program


@dataclass(frozen=True, kw_only=True)
class Original:
    """How a paper prints its title, and the like, in its own language."""

    language: Name  # As in HTML: ``zh`` is Chinese
    title: Line
    authors: Line = ""
    journal: Line = ""
    terms: Mapping[Line, Line] = field(default_factory=dict)  # Key terms, with their English ones


@dataclass(frozen=True, kw_only=True)
class PaperFile:
    """A paper or study, as ``paper.yaml`` describes it."""

    name: str = ""  # As one types it, that of the folder
    title: Line
    authors: Line
    reference: Line
    items: Mapping[str, Mapping[str, Any]]  # Tables and figures, as they are configured
    original: Original | None = None  # Left out, the paper is in English
    called: Line = ""  # What readers call it
    year: int | None = None  # Papers stand in the order of their years
    doi: str | None = None
    url: str | None = None  # Where it can be read, if it has no DOI
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # Values of tuned parameters
    # Published numbers that are known to be wrong, and why.
    errata: tuple[Mapping[str, Any], ...] = ()
    # By key, the labels of methods, as published, where these are not the names in ``conf/method``,
    # and those of data sets that have another one here.
    names: Mapping[str, Name] = field(default_factory=dict)
    # What the audit of the published tables has to know of them; None: there is no audit.
    audit: AuditPlan | None = None
    # Of all items that do not say otherwise.
    published_protocol: Literal["same", "other", "unknown"] | None = None
    not_judged: Line = ""  # Why their published numbers are not judged
    tolerance: Mapping[str, float] | None = None
    # Of scores by their names, as of a metric of a study, whether a smaller value is better.
    smaller_is_better: Mapping[str, bool] = field(default_factory=dict)
    # Data sets that are not the paper's, whose own ones are not known. Numbers on one of them are
    # not judged, and means over several by the spread between data sets.
    our_data: tuple[Name, ...] = ()
    # Data sets of the paper that are not available, and why: their published numbers stand beside
    # blanks.
    missing: Mapping[Name, Line] = field(default_factory=dict)
    # Data sets that the paper drew from a known distribution: each replicate draws its own.
    drawn_anew: tuple[Name, ...] = ()
    # Data sets of one file, a list for each file: as a sample of data sets they count as one.
    same_file: tuple[tuple[Name, ...], ...] = ()
    # Methods that the authors' own program ran, not somebody else's.
    own_methods: tuple[Name, ...] = ()
    margins: Margins = field(default_factory=Margins)  # Differences that do not matter
    program: Program | None = None  # Claims are judged with these programs too
    # Why numbers do not agree, besides known misprints; the first entry that names a number counts.
    causes: tuple[CauseEntry, ...] = ()
    # Numbers of other programs than the authors' own, or whose interpretation was chosen by fit.
    apart: tuple[Apart, ...] = ()
    # Left out, all its accuracies stand in its tables here, or some are second hand, so that nobody
    # knows how many there are.
    coverage: Coverage | None = None
    shared: Any = None  # Whatever aliases stand for

    @property
    def place(self) -> tuple[float, str]:
        """Sorts papers by year, those without one last."""
        return (math.inf if self.year is None else self.year, self.called)

    @property
    def how_published(self) -> dict[str, Any]:
        """The options of all items that do not set their own, by key."""
        keys = ("published_protocol", "not_judged", "tolerance")
        return {key: value for key in keys if (value := getattr(self, key)) not in (None, "")}

    def why_not_judged(self, item: str) -> str:
        """Return why the published numbers of an item are not judged, "" if they are."""
        return str({**self.how_published, **self.items[item]}.get("not_judged", ""))


@dataclass(frozen=True, kw_only=True)
class Paper(PaperFile):
    """A paper: the content of its file, and of the files beside it."""

    folder: Path  # Where all this comes from
    # What is known about a data set, method or item, by key or published name.
    remarks: Mapping[str, str] = field(default_factory=dict)
    # What was tried where a published number is not reproduced, by topic.
    tried: Mapping[str, str] = field(default_factory=dict)
    published: Path | None = None
    # By item, the published names of its methods and of the rows that it defines, by key.
    methods: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()  # Sentences of the paper as checks


@dataclass(frozen=True)
class Experiment:
    """One composed experiment: items of a paper, or a sweep that the command line asks for.

    Rendered files go to `results`, and cells to `store`; `committed` is the folder of results that
    cells are restored from and that nothing poorer is written to, None if there is no such.
    `overrides` are what was asked for on the command line.
    """

    paper: Paper
    items: tuple[Item, ...]
    protocol: Protocol
    execution: Execution
    sources: tuple[str, ...]
    results: Path
    store: Path
    dataset: str | None
    method: Method
    committed: Path | None = None
    overrides: tuple[str, ...] = ()
    is_sweep: bool = False
    # Whether paper, sources of data and items are those of the configuration, unrestricted.
    as_configured: bool = False
