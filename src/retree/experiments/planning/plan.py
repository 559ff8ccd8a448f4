"""The cells of an item, without computing any."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from typing import Protocol as TypingProtocol

from sklearn.base import is_regressor
from sklearn.utils import get_tags

from retree.errors import DataError, RetreeError
from retree.experiments.definition.definitions import NESTED, Experiment, Item, Method, Protocol
from retree.experiments.definition.replicates import count_nested, count_replicates, repeats_of
from retree.experiments.planning.keys import (
    Parts,
    cell_key,
    cell_seed,
    configured_text,
    estimator_text,
    parameters_text,
    protocol_text,
    seed_names,
)
from retree.experiments.planning.splits import ALL_ROWS, OUTER, split_rows
from retree.study.registry import make_estimator

if TYPE_CHECKING:
    from retree.datasets import Dataset

Place = tuple[int, int, int]
Known = dict[Any, dict[Any, list["Cell"]]]
# Of a key, where cells are committed.
KEY_DIGITS = 16


@dataclass(frozen=True)
class Datasets:
    """Data sets by name.

    Attributes
    ----------
    loaded : dict of str to Dataset
        Those that were loaded.
    lost : dict of str to str
        Why others were not.
    draws : dict of str to sequence of Dataset
        Of one that each replicate draws anew the draws of the second replicate and those after it.
    """

    loaded: Mapping[str, Dataset]
    lost: Mapping[str, str]
    draws: Mapping[str, Sequence[Dataset]] = field(default_factory=dict)

    @property
    def every(self) -> list[Dataset]:
        """All that were loaded, with all draws."""
        return [*self.loaded.values(), *itertools.chain(*self.draws.values())]

    def find(self, name: str, sha256: str) -> Dataset:
        """Return a data set, or the draw of it, by the hash of its content."""
        draws = (draw for draw in self.draws.get(name, ()) if draw.sha256 == sha256)
        return next(draws, self.loaded[name])


@dataclass(frozen=True)
class Cell:
    """The unit that is computed and stored: one fit, scored on one set of rows.

    Attributes
    ----------
    dataset, method : str
        Name of the data set and key of the method.
    params : dict
        The varied parameters only; ``method.params | params`` are all of them.
    point : int
        Position of `params` in the grid.
    repeat, fold, inner : int
        Place in the split; `inner` is -1 for an outer cell, and -2 for one of all rows.
    parts : Parts
        What the key is made of.
    key : str
        Hash of all that the result depends on.
    """

    dataset: str
    method: str
    params: Mapping[str, Any]
    point: int
    repeat: int
    fold: int
    inner: int
    parts: Parts
    key: str

    @property
    def data(self) -> tuple[str, str]:
        """Name of the data set, and the hash of its content."""
        return self.dataset, self.parts.data


class Chosen(NamedTuple):
    """The points that stand for a fold of a replicate, by their position in the grid.

    Attributes
    ----------
    best : int
        The point of best test accuracy in the whole replicate, -1 if none was chosen so.
    nested : int or None
        The one that was chosen inside the training fold, None without a nested selection.
    n_points : int
        How many points the grid has.
    """

    best: int
    nested: int | None
    n_points: int

    @property
    def is_nested(self) -> bool:
        """Whether there was a nested selection."""
        return self.nested is not None


class Committed(TypingProtocol):
    """The points of replicates that are committed as chosen."""

    @property
    def chosen(self) -> Mapping[tuple[str, str, int, int], Chosen]:
        """These, by data set, published method, repeat and fold."""

    @property
    def chosen_keys(self) -> frozenset[str]:
        """The keys of their cells, of `KEY_DIGITS` digits."""


@dataclass(frozen=True)
class Plan:
    """The cells of an item, and what of it cannot be computed.

    Attributes
    ----------
    cells : list of Cell
        By data set, method, repeat, fold, inner fold and grid point.
    replicates : list of Cell
        The cells of all replicates but the first, which are the others' repeats. Of a replicate
        whose chosen points are committed, only the outer cells of these.
    unavailable : dict of str to str
        Name of a data set or key of a method: why it has no cells.
    gaps : dict of (str, str) to str
        Name of a data set and key of a method: why they have no cells together.
    """

    item: Item
    cells: list[Cell]
    unavailable: Mapping[str, str]
    gaps: Mapping[tuple[str, str], str] = field(default_factory=dict)
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


def cells_text(count: int) -> str:
    """Return a number of cells as a reader says it."""
    return "1 cell" if count == 1 else f"{count:,} cells"


def load_datasets(experiment: Experiment) -> Datasets:
    """Load every data set that the experiment's items need, as far as they are available."""
    from retree.datasets import load_dataset, load_draw

    loaded, lost = {}, {}
    for name in dict.fromkeys(name for item in experiment.items for name in item.datasets):
        try:
            loaded[name] = load_dataset(name, sources=experiment.sources)
        except DataError as error:
            lost[name] = str(error)
    most = {
        name: max(
            count_replicates(item, name) for item in experiment.items if name in item.datasets
        )
        for name in experiment.paper.drawn_anew
        if name in loaded
    }
    draws = {name: [load_draw(name, i) for i in range(1, count)] for name, count in most.items()}
    return Datasets(loaded, lost, draws)


def plan_item(
    experiment: Experiment,
    item: Item,
    datasets: Datasets,
    known: Known | None = None,
    committed: Committed | None = None,
) -> Plan:
    """Return the cells of `item`.

    Parameters
    ----------
    experiment : Experiment
        Supplies the paper's grid.
    item : Item
        One of the experiment's items.
    datasets : Datasets
        The item's data sets, as from `load_datasets`.
    known : dict, optional
        Holds the cells of items that were planned before; those of this one are added.
    committed : Committed, optional
        The points of further replicates that need not be searched for again.
    """
    known = {} if known is None else known
    unavailable = {name: datasets.lost[name] for name in item.datasets if name in datasets.lost}
    if item.kind is not None:
        found = [name for name in item.datasets if name in datasets.loaded]
        item.kind.check_data(item, {name: datasets.loaded[name].X.shape for name in found})
    unavailable |= {m.key: m.missing for m in item.methods if m.missing is not None}
    gaps: dict[tuple[str, str], str] = {}
    cells: list[Cell] = []
    replicates: list[Cell] = []
    runnable = [method for method in item.methods if method.missing is None]
    tuned = {m.key: _Tuned(m, grid_points(m, item, experiment.paper.grid)) for m in runnable}
    for name in (name for name in item.datasets if name not in unavailable):
        dataset = datasets.loaded[name]
        if runnable:
            _check_split(dataset, item.protocol)
        for method in runnable:
            if reason := _unfit(dataset, method):
                gaps[name, method.key] = reason
            else:
                grid = _Grid(dataset, tuned[method.key], known)
                own = replace(item, protocol=protocol_on(dataset, item.protocol))
                cells += grid.cells(own.protocol, _first_places(own, grid))
                draws = datasets.draws.get(name, ())
                grids = [grid, *(_Grid(draw, tuned[method.key], known) for draw in draws)]
                replicates += _replicate_cells(own, grids, committed)
    loaded = [datasets.loaded[name] for name in item.datasets if name not in unavailable]
    if loaded and all(dataset.is_regression for dataset in loaded):
        item = replace(item, protocol=protocol_on(loaded[0], item.protocol))
    return Plan(item, cells, unavailable, gaps, replicates)


def _check_split(dataset: Dataset, protocol: Protocol) -> None:
    """Refuse a protocol whose folds `dataset` cannot be split into, before any cell is computed."""
    y, groups = dataset.y.to_numpy(), dataset.groups
    try:
        own = protocol_on(dataset, protocol)
        split_rows(own, y, own.repeats - 1, own.folds - 1, groups=groups)
        if protocol.inner_folds and not own.whole:
            split_rows(own, y, 0, 0, 0, groups)
    except ValueError as error:
        text = f"{dataset.name} cannot be split by {protocol.name} ({error})"
        raise RetreeError(f"{text}; take another protocol.") from error


def protocol_on(dataset: Dataset, protocol: Protocol) -> Protocol:
    """Return `protocol` as it splits `dataset`: a regression has no classes to stratify by."""
    own = protocol.on(dataset)
    return replace(own, stratified=False) if dataset.is_regression else own


def grid_points(method: Method, item: Item, grid: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Return the parameter points of `method` in grid order: the first name is the slowest.

    The names and values are those of the item's ``vary``, else of the method's ``tune`` in `grid`;
    ``vary`` may also be a list of the points themselves.
    """
    vary = item.vary
    if vary is not None and not isinstance(vary, Mapping):
        return [dict(point) for point in vary]
    axes = vary if vary is not None else {name: grid[name] for name in method.tune}
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _unfit(dataset: Dataset, method: Method) -> str:
    """Return why the estimator of `method` cannot take `dataset`, "" if it can."""
    estimator = make_estimator(method.registered.target, method.params, method.home)
    if dataset.is_regression != is_regressor(estimator):
        kinds = ("classes", "numbers")
        predicts, has = kinds[is_regressor(estimator)], kinds[dataset.is_regression]
        return f"{method.name} predicts {predicts}, {dataset.name} has {has} for a target"
    if hasattr(estimator, "steps"):
        # What a pipeline takes is up to its steps.
        return ""
    accepts = get_tags(estimator).input_tags
    nominal = dataset.X.select_dtypes(exclude="number").columns
    if len(nominal) and not accepts.categorical:
        return f"{method.name} takes numbers only, {dataset.name} has categorical columns"
    if not accepts.allow_nan and dataset.X.isna().to_numpy().any():
        return f"{method.name} takes no missing values, {dataset.name} has some"
    return ""


class _Tuned:
    """A method with the points of its grid, and what these contribute to the keys of cells."""

    def __init__(self, method: Method, points: list[dict[str, Any]]) -> None:
        self.method, self.points = method, points
        self.estimator = estimator_text(method)
        self.draws = [bool(seed_names(method, point)) for point in points]
        self.configured = [configured_text(method, point) for point in points]
        self.parameters = [parameters_text(method, point) for point in points]


class _Grid:
    """The grid of a method on one data set."""

    def __init__(self, dataset: Dataset, tuned: _Tuned, known: Known) -> None:
        self.dataset, self.method, self.points = dataset.name, tuned.method, tuned.points
        self._data, self._tuned = dataset.sha256, tuned
        self._texts: dict[tuple[Protocol, int], str] = {}
        # Items share cells, and their keys take longer to find than all else.
        texts = (tuned.estimator, *tuned.configured, *tuned.parameters)
        self._known = known.setdefault((dataset.name, dataset.sha256, self.method.key, texts), {})

    def cells(
        self, protocol: Protocol, places: Iterable[Place], points: Sequence[int] | None = None
    ) -> list[Cell]:
        """Return the cells at `places`, of all points or of those at some positions in the grid."""
        chosen = tuple(range(len(self.points)) if points is None else points)
        where = protocol, tuple(places), chosen
        if where not in self._known:
            self._known[where] = list(self._cells(*where))
        return self._known[where]

    def _cells(
        self, protocol: Protocol, places: Iterable[Place], points: Sequence[int]
    ) -> Iterator[Cell]:
        for place in places:
            how = protocol, place[-1]
            text = self._texts.get(how) or self._texts.setdefault(how, protocol_text(*how))
            for i in points:
                parts = self._parts(i, text, place)
                key = cell_key(parts, *place)
                yield Cell(self.dataset, self.method.key, self.points[i], i, *place, parts, key)

    def _parts(self, i: int, protocol: str, place: Place) -> Parts:
        tuned, seed = self._tuned, None
        if tuned.draws[i]:
            seed = cell_seed(self._data, protocol, tuned.configured[i], *place)
        return Parts(self._data, protocol, tuned.estimator, tuned.parameters[i], seed)


def _first_places(item: Item, grid: _Grid) -> Iterator[Place]:
    """Yield where the first replicate's cells are, those of a nested selection included."""
    if item.takes_all_rows:
        yield 0, 0, ALL_ROWS
    yield from _places(item, 0, nested=_selects(item, grid))


def _selects(item: Item, grid: _Grid) -> bool:
    """Whether there is a nested selection: among one point there is nothing to select."""
    return NESTED in item.select and len(grid.points) > 1 and not item.protocol.whole


def _places(item: Item, replicate: int, nested: bool) -> Iterator[Place]:
    protocol = item.protocol
    inner = [OUTER, *range(protocol.inner_folds)] if nested else [OUTER]
    return itertools.product(repeats_of(protocol, replicate), range(protocol.folds), inner)


def _replicate_cells(
    item: Item, grids: Sequence[_Grid], committed: Committed | None
) -> Iterator[Cell]:
    """Yield the cells of the other replicates; each has a grid of its own if there are several."""
    grid = grids[0]
    with_nested = count_nested(item, grid.dataset) if _selects(item, grid) else 0
    for replicate in range(1, count_replicates(item, grid.dataset)):
        grid = grids[replicate if len(grids) > 1 else 0]
        nested = replicate < with_nested
        known = committed if item.chosen_on_test else None
        chosen = _committed_cells(grid, item, replicate, nested, known) if known else []
        yield from chosen or grid.cells(item.protocol, _places(item, replicate, nested))


def _committed_cells(
    grid: _Grid, item: Item, replicate: int, nested: bool, committed: Committed
) -> list[Cell]:
    """Return the cells of a replicate's points that are committed as chosen from this grid.

    There are none unless all are committed, those of the nested selection too if it is `nested`.
    """
    cells: list[Cell] = []
    for place in _places(item, replicate, nested=False):
        chosen = committed.chosen.get((grid.dataset, grid.method.name, *place[:2]))
        if chosen is None or chosen.n_points != len(grid.points) or nested > chosen.is_nested:
            return []
        points = {chosen.best}
        if nested and chosen.nested is not None:
            points.add(chosen.nested)
        cells += grid.cells(item.protocol, [place], sorted(points))
    return cells if all(cell.key[:KEY_DIGITS] in committed.chosen_keys for cell in cells) else []
