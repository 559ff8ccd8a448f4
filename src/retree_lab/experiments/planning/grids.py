"""The grid of a method on a data set, and the cells at places of a split and of its replicates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from retree_lab.experiments.definition.item import (
    NESTED,
    Item,
    count_nested,
    count_replicates,
    repeats_of,
)
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.keys import (
    KEY_DIGITS,
    Cell,
    Parts,
    Place,
    cell_key,
    cell_seed,
    configured_text,
    estimator_text,
    parameters_text,
    protocol_text,
    seed_names,
)
from retree_lab.experiments.planning.splits import ALL_ROWS, OUTER

if TYPE_CHECKING:
    from retree_lab.datasets import Dataset

Known = dict[Any, dict[Any, list["Cell"]]]


def grid_points(
    method: Method, item: Item, grid: Mapping[str, Sequence[Any]]
) -> list[dict[str, Any]]:
    """Return the parameter points of `method` in grid order: the first name is the slowest.

    The names and values are those of the item's ``vary``, else of the method's ``tune`` in `grid`;
    ``vary`` may also be a list of the points themselves.
    """
    vary = item.vary
    if vary is not None and not isinstance(vary, Mapping):
        return [dict(point) for point in vary]
    axes = vary if vary is not None else {name: grid[name] for name in method.tune}
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


class Tuned:
    """A method with the points of its grid, and what these contribute to the keys of cells."""

    def __init__(self, method: Method, points: list[dict[str, Any]]) -> None:
        self.method, self.points = method, points
        self.estimator = estimator_text(method)
        self.draws = [bool(seed_names(method, point)) for point in points]
        self.configured = [configured_text(method, point) for point in points]
        self.parameters = [parameters_text(method, point) for point in points]


class Grid:
    """The grid of a method on one data set."""

    def __init__(self, dataset: Dataset, tuned: Tuned, made: Known) -> None:
        self.dataset, self.method, self.points = dataset.name, tuned.method, tuned.points
        self._data, self._tuned = dataset.sha256, tuned
        self._texts: dict[tuple[Protocol, int], str] = {}
        # Items share cells, and their keys take longer to find than all else.
        texts = (tuned.estimator, *tuned.configured, *tuned.parameters)
        self._known = made.setdefault((dataset.name, dataset.sha256, self.method.key, texts), {})

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
                seen = self._key_parts(i, text, place)
                key = cell_key(seen, *place)
                yield Cell(self.dataset, self.method.key, self.points[i], i, *place, seen, key)

    def _key_parts(self, i: int, protocol: str, place: Place) -> Parts:
        tuned, seed = self._tuned, None
        if tuned.draws[i]:
            seed = cell_seed(self._data, protocol, tuned.configured[i], *place)
        return Parts(self._data, protocol, tuned.estimator, tuned.parameters[i], seed)


class Chosen(NamedTuple):
    """The points that stand for a fold of a replicate, by their position in the grid."""

    best: int  # The point of best test accuracy in the whole replicate, -1 if none was chosen so
    # The one that was chosen inside the training fold, None without a nested selection.
    nested: int | None
    n_points: int  # How many points the grid has

    @property
    def is_nested(self) -> bool:
        """Whether there was a nested selection."""
        return self.nested is not None


@dataclass(frozen=True)
class ChosenPoints:
    """The points of replicates that are committed as chosen."""

    # These, by data set, published method, repeat and fold.
    chosen: Mapping[tuple[str, str, int, int], Chosen]
    chosen_keys: frozenset[str]  # The keys of their cells, of `KEY_DIGITS` digits


def first_places(item: Item, grid: Grid) -> Iterator[Place]:
    """Yield where the first replicate's cells are, with the cells of a nested selection."""
    if item.takes_all_rows:
        yield 0, 0, ALL_ROWS
    yield from _places(item, 0, nested=_selects(item, grid))


def _selects(item: Item, grid: Grid) -> bool:
    """Return whether there is a nested selection: among one point there is nothing to select."""
    return NESTED in item.select and len(grid.points) > 1 and not item.protocol.whole


def _places(item: Item, replicate: int, nested: bool) -> Iterator[Place]:
    protocol = item.protocol
    inner = [OUTER, *range(protocol.inner_folds)] if nested else [OUTER]
    return itertools.product(repeats_of(protocol, replicate), range(protocol.folds), inner)


def replicate_cells(
    item: Item, grids: Sequence[Grid], committed: ChosenPoints | None
) -> Iterator[Cell]:
    """Yield the cells of the other replicates; each has a grid of its own if there are several."""
    grid = grids[0]
    with_nested = count_nested(item, grid.dataset) if _selects(item, grid) else 0
    for replicate in range(1, count_replicates(item, grid.dataset)):
        grid = grids[replicate if len(grids) > 1 else 0]
        nested = replicate < with_nested
        points = committed if item.chosen_on_test else None
        chosen = _committed_cells(grid, item, replicate, nested, points) if points else []
        yield from chosen or grid.cells(item.protocol, _places(item, replicate, nested))


def _committed_cells(
    grid: Grid, item: Item, replicate: int, nested: bool, committed: ChosenPoints
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
