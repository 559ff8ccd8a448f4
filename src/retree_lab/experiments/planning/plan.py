"""The cells of an item, and the data sets that they need, without computing any."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
from sklearn.base import is_regressor
from sklearn.utils import get_tags

from retree.errors import AwayError, DataError, RetreeError
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import Item, count_replicates
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.grids import (
    ChosenPoints,
    Grid,
    Known,
    Tuned,
    first_places,
    grid_points,
    replicate_cells,
)
from retree_lab.experiments.planning.keys import Cell
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.study.registry import make_estimator

if TYPE_CHECKING:
    from retree_lab.datasets import Dataset


@dataclass(frozen=True)
class Datasets:
    """Data sets by name."""

    loaded: Mapping[str, Dataset]
    lost: Mapping[str, str]  # Why others are not there
    # Why others of the paper are not available, as it says itself
    missing: Mapping[str, str] = field(default_factory=dict)
    # Where each replicate draws its data: what the second and later replicates drew.
    draws: Mapping[str, Sequence[Dataset]] = field(default_factory=dict)
    # Names in `lost` that are available elsewhere, and are not refused.
    away: frozenset[str] = frozenset()

    @property
    def every(self) -> list[Dataset]:
        """All that were loaded, with all draws."""
        return [*self.loaded.values(), *itertools.chain(*self.draws.values())]

    def find(self, name: str, sha256: str) -> Dataset:
        """Return a data set, or the draw of it, by the hash of its content."""
        draws = (draw for draw in self.draws.get(name, ()) if draw.sha256 == sha256)
        return next(draws, self.loaded[name])


def load_datasets(experiment: Experiment) -> Datasets:
    """Load every available data set that the experiment's items need."""
    from retree_lab.datasets import load_dataset, load_draw

    loaded, lost, away = {}, {}, set[str]()
    missing = experiment.paper.missing
    for name in dict.fromkeys(name for item in experiment.items for name in item.datasets):
        if name in missing:
            continue
        try:
            loaded[name] = load_dataset(name, sources=experiment.sources)
        except DataError as error:
            lost[name] = str(error)
            away.update([name] if isinstance(error, AwayError) else [])
    most = {
        name: max(
            count_replicates(item, name) for item in experiment.items if name in item.datasets
        )
        for name in experiment.paper.drawn_anew
        if name in loaded
    }
    draws = {name: [load_draw(name, i) for i in range(1, count)] for name, count in most.items()}
    return Datasets(loaded, lost, missing, draws, frozenset(away))


@dataclass(frozen=True)
class Plan:
    """The cells of an item, and what of it cannot be computed."""

    item: Item
    cells: list[Cell]  # By data set, method, repeat, fold, inner fold and grid point
    unavailable: Mapping[str, str]  # Name of a data set or key of a method: why it has no cells
    # Name of a data set and key of a method: why they have no cells together.
    gaps: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # The cells of all replicates but the first, which are the others' repeats. Of a replicate whose
    # chosen points are committed, only the outer cells of these.
    replicates: list[Cell] = field(default_factory=list)

    @property
    def every(self) -> list[Cell]:
        """The cells of all replicates."""
        return [*self.cells, *self.replicates]

    @property
    def left_out(self) -> dict[str, str]:
        """All that has no cells, as a reader calls it, and why."""
        return {**self.unavailable, **{f"{m} on {d}": why for (d, m), why in self.gaps.items()}}

    def reason(self, dataset: str, method: str) -> str:
        """Return why `method` (its key) has no cells on `dataset`, "" if it has."""
        gap = self.gaps.get((dataset, method), "")
        return self.unavailable.get(method) or self.unavailable.get(dataset) or gap


def plan_item(
    experiment: Experiment,
    item: Item,
    datasets: Datasets,
    cells_made: Known | None = None,
    committed: ChosenPoints | None = None,
) -> Plan:
    """Return the cells of `item`.

    `cells_made`: holds the cells of items that were planned before; those of this one are added.
    `committed`: the points of later replicates that need not be searched for again.
    """
    cells_made = {} if cells_made is None else cells_made
    absent = {**datasets.lost, **datasets.missing}
    unavailable = {name: absent[name] for name in item.datasets if name in absent}
    loaded = [name for name in item.datasets if name in datasets.loaded]
    item.kind.check_data(item, {name: datasets.loaded[name].X.shape for name in loaded})
    unavailable |= {m.key: m.missing for m in item.methods if m.missing is not None}
    gaps: dict[tuple[str, str], str] = {}
    cells: list[Cell] = []
    replicates: list[Cell] = []
    runnable = [method for method in item.methods if method.missing is None]
    tuned = {m.key: Tuned(m, grid_points(m, item, experiment.paper.grid)) for m in runnable}
    takes = {m.key: _inputs(m) for m in runnable if loaded}
    for name in (name for name in item.datasets if name not in unavailable):
        dataset = datasets.loaded[name]
        split = name, dataset.sha256, item.protocol
        if runnable and split not in cells_made:
            _check_split(dataset, item.protocol)
            cells_made[split] = {}
        has_levels = len(dataset.X.select_dtypes(exclude="number").columns) > 0
        lacks = bool(dataset.X.isna().to_numpy().any())
        for method in runnable:
            if reason := _unfit(dataset, has_levels, lacks, method, takes[method.key]):
                gaps[name, method.key] = reason
            else:
                grid = Grid(dataset, tuned[method.key], cells_made)
                on_dataset = replace(item, protocol=protocol_on(dataset, item.protocol))
                cells += grid.cells(on_dataset.protocol, first_places(on_dataset, grid))
                draws = datasets.draws.get(name, ())
                grids = [grid, *(Grid(draw, tuned[method.key], cells_made) for draw in draws)]
                replicates += replicate_cells(on_dataset, grids, committed)
    if loaded and all(datasets.loaded[name].is_regression for name in loaded):
        item = replace(item, protocol=protocol_on(datasets.loaded[loaded[0]], item.protocol))
    return Plan(item, cells, unavailable, gaps, replicates)


def _check_split(dataset: Dataset, protocol: Protocol) -> None:
    """Refuse a protocol whose folds `dataset` cannot be split into, before any cell is computed."""
    # Codes are sorted faster than texts, and split alike.
    y = dataset.y.to_numpy() if dataset.is_regression else pd.Categorical(dataset.y).codes
    groups = dataset.groups
    try:
        on_dataset = protocol_on(dataset, protocol)
        split_rows(on_dataset, y, on_dataset.repeats - 1, on_dataset.folds - 1, groups=groups)
        if protocol.inner_folds and not on_dataset.whole:
            split_rows(on_dataset, y, 0, 0, 0, groups)
    except ValueError as error:
        text = f"{dataset.name} cannot be split by {protocol.name} ({error})"
        raise RetreeError(f"{text}; use another protocol.") from error


def protocol_on(dataset: Dataset, protocol: Protocol) -> Protocol:
    """Return `protocol` as it splits `dataset`: a regression has no classes to stratify by."""
    on_dataset = protocol.on(dataset)
    return replace(on_dataset, stratified=False) if dataset.is_regression else on_dataset


class _Inputs(NamedTuple):
    """The input that an estimator takes, and whether it predicts numbers."""

    predicts_numbers: bool
    levels: bool = True
    missing: bool = True


def _inputs(method: Method) -> _Inputs:
    """Return the input that the estimator of `method` takes."""
    estimator = make_estimator(method.registered.target, method.params, method.home)
    inner = estimator
    while hasattr(getattr(inner, "estimator", None), "get_params"):
        # What scikit-learn's wrappers take, as a search over a grid, is up to what they wrap.
        inner = inner.estimator
    tags = [get_tags(one) for one in (estimator, inner)]
    if hasattr(inner, "steps") or any(tag.no_validation for tag in tags):
        # What a pipeline takes is up to its steps; what is not looked at may be anything.
        return _Inputs(is_regressor(estimator))
    accepts = [tag.input_tags for tag in tags]
    levels, missing = (any(getattr(t, n) for t in accepts) for n in ("categorical", "allow_nan"))
    return _Inputs(is_regressor(estimator), levels, missing)


def _unfit(dataset: Dataset, has_levels: bool, lacks: bool, method: Method, takes: _Inputs) -> str:
    """Return why the estimator of `method` cannot take `dataset`, "" if it can.

    `has_levels`, `lacks`: whether the data set has categorical columns, and missing values.
    """
    if dataset.is_regression != takes.predicts_numbers:
        kinds = ("classes", "numbers")
        predicts, has = kinds[takes.predicts_numbers], kinds[dataset.is_regression]
        return f"{method.name} predicts {predicts}, but the target of {dataset.name} has {has}"
    if has_levels and not takes.levels:
        return f"{method.name} takes only numbers, but {dataset.name} has categorical columns"
    if lacks and not takes.missing:
        return f"{method.name} takes no missing values, but {dataset.name} has some"
    return ""
