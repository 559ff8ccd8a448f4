"""One table or figure of a paper, and the base of its kinds.

A replicate is a whole protocol once more, with other seeds of the split: replicate q of a protocol
of r repeats consists of its repeats q r to (q + 1) r - 1. The first one is the protocol itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from retree.errors import RetreeError, unknown_name
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.statistics.agreement import Digits
from retree_lab.statistics.metrics import find_metric, find_scores
from retree_lab.study.folders import check_module, own_file
from retree_lab.study.importing import import_estimator
from retree_lab.study.scorers import stored_name
from retree_lab.yaml_files import Line, read_options

ACCURACY = "accuracy"
SAME = "same"
# How parameters are chosen: on the test rows, or inside the training rows.
BEST_TEST, NESTED = "best_test", "nested"


@dataclass(frozen=True, kw_only=True)
class ItemKind:
    """A kind of table or figure; its fields are the options that an item of the kind has.

    How it is shown is up to its subclass `retree_lab.reports.kinds.Kind`.
    """

    # Whether its numbers are of one point of a method's grid, so that a point has to be chosen.
    chooses: ClassVar[bool] = True
    # Whether it can show means of values that no test may be made of.
    takes_estimates: ClassVar[bool] = False
    # Whether it shows numbers of both ways of choosing parameters.
    shows_both: ClassVar[bool] = False

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


@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """Keys that an item of any kind may have."""

    # How parameters are chosen: ``nested`` (the default), inside the training rows, or
    # ``best_test``, by the score on the test rows, which is optimistic and marked. With both,
    # ``best_test`` is shown, with ``nested`` next to it.
    select: tuple[Literal["best_test", "nested"], ...] = ()
    # Parameter values that replace the grid: lists of values by parameter, for all combinations, or
    # a list of points.
    vary: Mapping[str, tuple[Any, ...]] | tuple[Mapping[str, Any], ...] | None = None
    own_names: bool = False  # Whether methods have retree's names, not the published ones
    # For some data sets, a number of replicates lower than the protocol's.
    replicates_of: Mapping[str, int] = field(default_factory=dict)
    # How many replicates, from the first on, also choose parameters inside the training rows.
    nested_replicates: int = 1
    # If the protocol has the paper's own folds and seeds: whether the paper's numbers are
    # ``rounded`` or ``cut``. A published number is then equal to the last digit, or it differs.
    digits: Digits | None = None
    # Whether the published numbers come from the item's protocol (``same``) or from another one
    # (``other``), or the paper does not say (``unknown``). Only ``same`` is judged without a
    # `tolerance`.
    published_protocol: Literal["same", "other", "unknown"] = "unknown"
    # Why no published number is judged and no claim about them is checked; "" if they are.
    not_judged: Line = ""
    # For each metric, how much a number may differ from the published one, whatever the protocol.
    tolerance: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Item(SharedOptions):
    """One table or figure of a paper, restricted to the wanted data sets and methods."""

    name: str
    kind: ItemKind  # What is shown, with its options
    caption: str
    datasets: tuple[str, ...]
    methods: tuple[Method, ...]
    protocol: Protocol
    # The labels of data sets, as published, that are not their keys.
    labels: Mapping[str, str] = field(default_factory=dict)
    home: Path | None = None  # The folder of a study's own metrics

    @property
    def stored_scores(self) -> dict[str, str]:
        """The names under which these metrics are stored, by their own."""
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
        return self.kind.metric_names

    def label(self, dataset: str) -> str:
        """Return the label of `dataset`, as published."""
        return self.labels.get(dataset, dataset)

    @property
    def datasets_by_label(self) -> dict[str, str]:
        """The keys of its data sets by their labels, which tables have."""
        return {self.label(name): name for name in self.datasets}


def count_replicates(item: Item, dataset: str) -> int:
    """Return how many replicates `item` takes of its protocol on a data set.

    They are ``protocol.replicates``, or fewer where the item's ``replicates_of`` says so.
    """
    most = item.protocol.replicates
    return min(item.replicates_of.get(dataset, most), most)


def count_nested(item: Item, dataset: str) -> int:
    """Return how many of these replicates, the first ones, have a nested selection.

    Where nothing else chooses parameters, all have.
    """
    if not item.chosen_on_test:
        return count_replicates(item, dataset)
    return min(item.nested_replicates, count_replicates(item, dataset))


def repeats_of(protocol: Protocol, replicate: int) -> range:
    """Return the repeats that a replicate of `protocol` consists of."""
    return range(replicate * protocol.repeats, (replicate + 1) * protocol.repeats)


_BASE, _GENERAL = "retree_lab.reports.kinds.Kind", "retree_lab.reports.kinds"
KINDS: dict[str, str] = {
    "computed": f"{_GENERAL}.computed:Computed",
    "dataset_table": f"{_GENERAL}.fact_tables:DatasetTable",
    "digits_table": f"{_GENERAL}.equality:DigitsTable",
    "metric_table": f"{_GENERAL}.metric_table:MetricTable",
    "paired_table": f"{_GENERAL}.paired_table:PairedTable",
    "parameter_sweep": f"{_GENERAL}.parameter_sweep:ParameterSweep",
    "rank_diagram": f"{_GENERAL}.rank_diagram:RankDiagram",
    "interpretation_table": f"{_GENERAL}.interpretation_table:InterpretationTable",
    "statistics_table": f"{_GENERAL}.fact_tables:StatisticsTable",
    "time_table": f"{_GENERAL}.reference_tables:TimeTable",
    "weka_table": f"{_GENERAL}.reference_tables:WekaTable",
}


@dataclass(frozen=True)
class _KindName:
    kind: str


def read_kind(
    name: Any, options: Mapping[str, Any], item: str, home: Path | None = None
) -> tuple[ItemKind, SharedOptions]:
    """Return the kind called `name` with the `options` of the item called `item`.

    The paper's or study's folder is `home`, where a kind of its own may stand.
    """
    if name is None:
        raise RetreeError(f"{item} lacks kind; add one of {', '.join(KINDS)}.")
    name = read_options(_KindName, {"kind": name}, item).kind
    shared = {f.name for f in fields(SharedOptions)}
    what = f"{item} ({name.rpartition(':')[-1]})"
    kind_options = {key: value for key, value in options.items() if key not in shared}
    common = {key: value for key, value in options.items() if key in shared}
    kind = read_options(find_kind(name, home), kind_options, what)
    return kind, read_options(SharedOptions, common, what)


def find_kind(name: str, home: Path | None = None) -> type[ItemKind]:
    """Return the class of a kind.

    `name`: a key of `KINDS`, or where the class stands: ``module:Class``, or ``file.py:Class``.
    """
    if name not in KINDS and ":" not in name:
        raise unknown_name("kind of item", name, KINDS)
    kind_class = find_named(KINDS.get(name, name), home)
    if not (isinstance(kind_class, type) and issubclass(kind_class, ItemKind)):
        raise RetreeError(f"{name} is not a kind of item; derive it from {_BASE}.")
    return kind_class


def find_named(target: str, home: Path | None = None) -> Any:
    """Import the object at ``module:name``, or at ``file.py:name`` in the folder `home`."""
    module, _, name = target.rpartition(":")
    if not module.endswith(".py"):
        check_module(module)
    elif home is not None:
        target = f"{own_file(home, module)}:{name}"
    return import_estimator(target)
