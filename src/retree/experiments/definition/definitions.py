"""What an experiment is made of: typed, immutable values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar
from typing import Protocol as TypingProtocol

from retree.experiments.definition.audit_config import AuditPlan
from retree.experiments.definition.checks import Claim
from retree.experiments.definition.limits import Limits
from retree.experiments.definition.own_splits import DataTable, OwnSplit
from retree.statistics.agreement import Digits
from retree.statistics.equivalence import Margins
from retree.statistics.metrics import find_metric, find_scores
from retree.study.registry import Registered, find_estimator
from retree.study.scorers import stored_name

ACCURACY = "accuracy"
SAME = "same"
# How parameters are chosen: on the test rows, or inside the training rows.
BEST_TEST, NESTED = "best_test", "nested"
SPLITTERS = ("scikit-learn", "weka")


@dataclass(frozen=True)
class Method:
    """A method of a paper: an estimator, its fixed parameters, and the parameters to tune.

    Attributes
    ----------
    key : str
        Its name in configuration files.
    name, title : str
        The name in the paper's tables, and what it does.
    estimator : str or None
        Name in the registry; None if the method is `missing`.
    params : dict
        Parameters of the estimator; those of `tune` give way to the paper's grid.
    tune : tuple of str
        Parameters that the paper's grid varies, the slowest first.
    missing : str or None
        Why the method cannot be run, or None.
    transductive : bool
        Whether `fit` also gets the features of the test rows, as ``X_unlabelled``.
    about : dict
        Facts for tables that describe methods.
    limits : Limits
        What a cell of it may take; those of the execution count where it sets none.
    file : Path or None
        Where it is configured.
    version : int or None
        Declared for an estimator in a study's own Python file; None: its sources count.
    study : Path or None
        The folder of the study whose item has the method.
    reused : bool
        Whether its results are kept though its sources have moved since `version`, their state.
    """

    key: str
    name: str
    title: str = ""
    estimator: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    tune: tuple[str, ...] = ()
    missing: str | None = None
    transductive: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    file: Path | None = None
    version: int | str | None = None
    study: Path | None = None
    reused: bool = False

    @property
    def registered(self) -> Registered:
        """Where its estimator lives, and the estimator's version."""
        return find_estimator(str(self.estimator), self.home, self.version)

    @property
    def home(self) -> Path | None:
        """The folder of the code of a study's own estimators and metrics."""
        return self.study or (None if self.file is None else self.file.parent.parent)


class HasTestRows(DataTable, TypingProtocol):
    """A data set, however it is held, that knows how many of its rows are its test file's."""

    @property
    def test_rows(self) -> int:
        """How many rows, the last ones, are those of a test file; 0 without one."""


@dataclass(frozen=True)
class Protocol:
    """How rows are split. One fold means: train and score on all rows.

    `replicates` is how often all of it is done, each time with further seeds; an item says how many
    of them have a nested selection too. How much the replicates differ is how much one run is
    chance.

    With a `test_file` the one fold is the data set's own: its training file against its test file.
    `on` puts the number of test rows in its place.

    A split of a study's `own` takes the place of the cross-validation, with as many folds, and `on`
    says how many there are where that depends on the data.

    The `splitter` "weka" makes the folds of Weka's Experimenter (repeat r is run `seed` + r) and of
    its Explorer and command line (of that seed), see `retree.experiments.planning.weka_folds`.

    Cells that run `alone`, one after the other in the parent process, have times that can be
    compared with each other; they count for the `machine` they ran on, by default this one.
    """

    name: str
    folds: int
    repeats: int
    stratified: bool
    shuffle: bool
    seed: int
    inner_folds: int
    timed: bool = False
    machine: str | None = None
    replicates: int = 1
    splitter: str = SPLITTERS[0]
    test_file: bool | int = False
    own: OwnSplit | None = None

    @property
    def whole(self) -> bool:
        """Whether all rows are both training and test rows."""
        return self.folds == 1 and self.test_file is False and self.own is None

    def on(self, data: HasTestRows) -> Protocol:
        """Return the protocol as it splits the data set `data`.

        Raises
        ------
        ValueError
            If it cannot.
        """
        if self.own is not None:
            own, folds = self.own.resolve(self.folds, data)
            return replace(self, own=own, folds=folds)
        return replace(self, test_file=data.test_rows) if self.test_file is True else self

    def overlap(self, n_values: int) -> float:
        """Return the share of rows that folds test on, 0 if there is one fold.

        Parameters
        ----------
        n_values : int
            Values of a metric, one for each fold of all repeats on a data set.
        """
        if self.own is not None:
            return self.own.overlap(self.folds, n_values // self.repeats)
        return 1 / self.folds if self.folds > 1 else 0.0


@dataclass(frozen=True)
class Execution:
    """Where cells are computed.

    Attributes
    ----------
    name, backend : str
        What it is called, and one of `retree.experiments.running.execution.BACKENDS`.
    jobs : int
        Batches at a time; -1: one for each core. On SLURM, the number of its jobs.
    address : str or None
        Of a dask scheduler.
    limits : Limits
        Of each cell whose method has no limits of its own.
    options : dict
        What a SLURM job asks for, by the names of ``dask_jobqueue.SLURMCluster``.
    shard : tuple of int, optional
        Which part of the cells is computed, and of how many, counted from 1.
    """

    name: str
    backend: str
    jobs: int
    address: str | None = None
    limits: Limits = field(default_factory=Limits)
    options: Mapping[str, Any] = field(default_factory=dict)
    shard: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class ItemKind:
    """A kind of table or figure; its fields are the options that an item of the kind has.

    How it is shown is up to its subclass `retree.reports.kind.Kind`.
    """

    # Whether its numbers are of one point of a method's grid, so that a point has to be chosen.
    chooses: ClassVar[bool] = True
    # Whether it can show means of values that no test may be made of.
    takes_estimates: ClassVar[bool] = False

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics of its numbers, the main one first."""
        return tuple(getattr(self, "metrics", ()))

    def method_keys(self) -> Iterable[str]:
        """Return the keys of methods that the options name; the item must have these."""
        return ()

    def check(self, item: Item) -> None:
        """Raise a `retree.errors.RetreeError` if the kind cannot show `item`."""

    def check_data(self, item: Item, shapes: Mapping[str, tuple[int, int]]) -> None:
        """Raise one if it cannot show data sets of these shapes, before anything is computed."""


@dataclass(frozen=True)
class Item:
    """One table or figure of a paper, restricted to the wanted data sets and methods.

    Attributes
    ----------
    kind : ItemKind or None
        What is shown, with its options; None for one method on one data set.
    select, vary, file_per_dataset, replicates_of, nested_replicates, digits
    published_protocol, tolerance
        As in `retree.experiments.definition.item_kinds.SharedOptions`.
    labels : dict of str to str
        The printed names of data sets that are called otherwise here.
    home : Path or None
        The folder of a study's own metrics.
    """

    name: str
    kind: ItemKind | None
    caption: str
    datasets: tuple[str, ...]
    methods: tuple[Method, ...]
    protocol: Protocol
    select: tuple[str, ...] = ()
    vary: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]] | None = None
    file_per_dataset: bool = False
    replicates_of: Mapping[str, int] = field(default_factory=dict)
    nested_replicates: int = 1
    digits: Digits | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    home: Path | None = None
    published_protocol: str = SAME
    tolerance: Mapping[str, float] = field(default_factory=dict)

    @property
    def stored_scores(self) -> dict[str, str]:
        """What these metrics are stored by, by their names."""
        return {name: stored_name(name, self.home) for name in self.scores}

    @property
    def scores(self) -> tuple[str, ...]:
        """The metrics of the item that cells have only if they are asked for them."""
        return find_scores(self._metrics)

    @property
    def chosen_on_test(self) -> bool:
        """Whether its numbers are of the points of best test score, as it asks for by name."""
        return BEST_TEST in self.select or NESTED not in self.select

    @property
    def select_by(self) -> str:
        """The metric that parameters are chosen by: accuracy, unless the item has others only."""
        first = next(iter(self._metrics), ACCURACY)
        return first if first in self.scores and ACCURACY not in self._metrics else ACCURACY

    @property
    def takes_all_rows(self) -> bool:
        """Whether a metric of it also needs a fit to all rows that is scored on the same rows."""
        return not all(find_metric(name).has_spread for name in self._metrics)

    @property
    def _metrics(self) -> tuple[str, ...]:
        return () if self.kind is None else self.kind.metric_names

    def label(self, dataset: str) -> str:
        """Return the printed name of `dataset`."""
        return self.labels.get(dataset, dataset)

    @property
    def datasets_by_label(self) -> dict[str, str]:
        """The names of its data sets by their printed ones, which tables have."""
        return {self.label(name): name for name in self.datasets}


@dataclass(frozen=True)
class Paper:
    """A paper: what it is, its parameter grid, its items (as configured), its published numbers.

    Attributes
    ----------
    name, called : str
        As one types it, and as readers call it: by authors and year.
    names : dict of str to str
        The printed name of a method, by its key, where that is not the name in ``conf/method``, and
        of a data set, where it has another one here.
    methods : dict of str to dict of str to str
        By item, the published names of its methods and of the rows that it defines, by key.
    claims : tuple of Claim
        Sentences of the paper as checks.
    audit : AuditPlan or None
        What the audit of the published tables has to know of them; None: there is no audit.
    remarks : dict of str to str
        What is known about a data set, method or item, by key or published name.
    tried : dict of str to str
        What was tried where a published number is not reproduced, by topic.
    folder : Path
        Where all this comes from: ``paper.yaml`` and what is beside it.
    how_published : dict
        ``published_protocol`` and ``tolerance`` of all items that do not say otherwise.
    our_data : tuple of str
        Data sets that are not the paper's, whose own ones are not known. Numbers on one of them
        are not judged, and means over several by the spread between data sets.
    drawn_anew : tuple of str
        Data sets that the paper drew from a known distribution: each replicate draws its own.
    margins : Margins
        Differences that do not matter.
    """

    name: str
    title: str
    authors: str
    reference: str
    doi: str | None
    grid: Mapping[str, list[Any]]
    items: Mapping[str, Mapping[str, Any]]
    errata: tuple[Mapping[str, Any], ...]
    remarks: Mapping[str, str]
    published: Path | None
    folder: Path
    names: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    audit: AuditPlan | None = None
    tried: Mapping[str, str] = field(default_factory=dict)
    how_published: Mapping[str, Any] = field(default_factory=dict)
    our_data: tuple[str, ...] = ()
    drawn_anew: tuple[str, ...] = ()
    margins: Margins = field(default_factory=Margins)
    called: str = ""


@dataclass(frozen=True)
class Experiment:
    """One composed experiment: items of a paper, or one method on one data set (kind `single`).

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
