"""The grid of a method on a data set, and the cells at places of a split."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.cell import Cell, Place
from retree_lab.experiments.planning.keys import (
    Parts,
    cell_key,
    cell_seed,
    configured_text,
    estimator_text,
    parameters_text,
    protocol_text,
    seed_names,
)

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

    def __init__(self, dataset: Dataset, tuned: Tuned, known: Known) -> None:
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
