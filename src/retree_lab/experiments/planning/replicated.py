"""Where the cells of an item and of its replicates are in the split."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retree_lab.experiments.definition.item import (
    NESTED,
    Item,
    count_nested,
    count_replicates,
    repeats_of,
)
from retree_lab.experiments.planning.cell import KEY_DIGITS, Cell, Place
from retree_lab.experiments.planning.grids import Grid
from retree_lab.experiments.planning.splits import ALL_ROWS, OUTER


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
    """Yield where the first replicate's cells are, those of a nested selection included."""
    if item.takes_all_rows:
        yield 0, 0, ALL_ROWS
    yield from _places(item, 0, nested=_selects(item, grid))


def _selects(item: Item, grid: Grid) -> bool:
    """Whether there is a nested selection: among one point there is nothing to select."""
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
        known = committed if item.chosen_on_test else None
        chosen = _committed_cells(grid, item, replicate, nested, known) if known else []
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
