"""Which point of the grid represents a method on a data set."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree_lab.experiments.storing.results import CRITERION

OUTER = -1
PLACE = ["repeat", "fold"]
PAIR = ["dataset", "method"]
Choices = dict[tuple[str, str], "Choice"]
Group = tuple[Hashable, ...]
Means = Mapping[int, float]
Points = NDArray[np.int64]
Texts = NDArray[np.object_]


@dataclass(frozen=True)
class Choice:
    """The outer cells that represent one method on one data set."""

    # Their rows of the results frame, indexed by (repeat, fold), sorted; empty if no point of the
    # grid is complete.
    folds: pd.DataFrame
    params: str  # The chosen point as JSON; of a nested selection, the list of the folds' points
    # Points of the grid, and how many were not eligible since a cell failed or is absent.
    n_points: int
    n_incomplete: int
    reason: str  # Why there is no choice, or why not all points were eligible; "" if neither
    on_test: bool = False  # Whether the point was chosen among others by its score on the test rows


def choose(frame: pd.DataFrame, on_test: bool) -> Choices:
    """Return the choices that an item's numbers are of: on the test rows, or inside the others."""
    best = best_test(frame)
    return best if on_test else nested(frame, best)


def best_test(frame: pd.DataFrame) -> Choices:
    """Return for each (dataset, method key) the point with the highest mean test accuracy.

    Only complete points, with every outer fold done, are eligible; ties go to the first point in
    grid order.

    `frame`: results of an item, as from `retree_lab.experiments.storing.results.results_frame`.
    """
    outer = frame[frame["inner"] == OUTER]
    means = _mean_accuracies(outer, PAIR, PLACE)
    ordered = _ordered(outer)
    points, params = ordered["point"].to_numpy(), ordered["params"].to_numpy()
    return {
        pair: _best_test(ordered, rows, points[rows], params, means.get(pair, {}))
        for pair, rows in _bounds(ordered).items()
    }


def best_points(outer: pd.DataFrame, group: list[str]) -> dict[Group, int]:
    """Return the point that `best_test` chooses among outer cells, by the columns `group`."""
    return {
        where: _best(means)
        for where, means in _mean_accuracies(outer, group, PLACE).items()
        if means
    }


def nested(frame: pd.DataFrame, best: Choices) -> Choices:
    """Return for each (dataset, method key) the outer cells of points chosen without test rows.

    In each outer fold the point with the highest mean accuracy over the fold's inner cells is
    chosen, ties to the first in grid order, and its outer cell taken. A point that lacks one of
    these cells is not eligible in that fold. A method of a single point has nothing to select: its
    outer cells stand. Pairs without inner cells are left out.
    """
    choices: Choices = {}
    inner = frame["inner"] > OUTER
    means = _mean_accuracies(frame[inner], [*PAIR, *PLACE], ["inner"])
    with_inner = set(frame.loc[inner, PAIR].drop_duplicates().itertuples(index=False, name=None))
    outer = _pairs(frame[frame["inner"] == OUTER])
    for pair, rows in _pairs(frame).items():
        if rows["point"].nunique() == 1:
            choices[pair] = best[pair]
        elif pair in with_inner:
            choices[pair] = _nested(pair, rows, outer.get(pair, rows.iloc[:0]), means)
    return choices


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows indexed by place, in the order of pairs, points and places."""
    return frame.sort_values([*PAIR, "point", *PLACE, "inner"], kind="stable").set_index(PLACE)


def _bounds(ordered: pd.DataFrame) -> dict[tuple[str, str], slice]:
    """Return where the rows of each pair are, as `_ordered` has them."""
    counts = ordered.groupby(PAIR, sort=True).size()
    ends = counts.cumsum()
    bounds = zip(counts.index, ends - counts, ends, strict=True)
    return {(str(d), str(m)): slice(start, end) for (d, m), start, end in bounds}


def _pairs(frame: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the rows of each pair, as `_ordered` has them."""
    # A slice of ordered rows costs a hundredth of the rows that a condition selects.
    ordered = _ordered(frame)
    return {pair: ordered.iloc[rows] for pair, rows in _bounds(ordered).items()}


def _best_test(
    ordered: pd.DataFrame, rows: slice, points: Points, params: Texts, means: Means
) -> Choice:
    """Return the choice among the `rows` of a pair, which are of these `points`."""
    n_points = 1 + int(np.count_nonzero(np.diff(points)))
    n_incomplete = n_points - len(means)
    reason = _reason(ordered.iloc[rows], n_points, n_incomplete) if n_incomplete else ""
    if not means:
        return Choice(ordered.iloc[:0], "", n_points, n_incomplete, reason)
    start, end = rows.start + np.searchsorted(points, _best(means) + np.arange(2))
    on_test = n_points > 1
    chosen = ordered.iloc[start:end]
    return Choice(chosen, str(params[start]), n_points, n_incomplete, reason, on_test)


def _nested(
    pair: tuple[str, str], rows: pd.DataFrame, outer: pd.DataFrame, inner: Mapping[Group, Means]
) -> Choice:
    n_points = int(rows["point"].nunique())
    # By place, where each point's cell is, None if it is not done.
    places: dict[Group, dict[int, int | None]] = {place: {} for place in sorted(set(outer.index))}
    cells = zip(outer.index, outer["point"], outer["status"], strict=True)
    for position, (place, point, status) in enumerate(cells):
        places[place][point] = position if status == "done" else None
    # A point that is incomplete in any fold is counted once.
    incomplete: set[int] = set()
    chosen: list[int] = []
    for place, positions in places.items():
        done = {point: at for point, at in positions.items() if at is not None}
        means = inner.get((*pair, *place), {})
        means = {point: mean for point, mean in means.items() if point in done}
        incomplete |= set(positions) - set(means)
        if means:
            chosen.append(done[_best(means)])
    reason = _reason(rows, n_points, len(incomplete))
    if len(chosen) < len(places):
        return Choice(outer.iloc[:0], "", n_points, len(incomplete), reason)
    folds = outer.iloc[chosen]
    params = json.dumps([json.loads(text) for text in folds["params"]], sort_keys=True)
    return Choice(folds, params, n_points, len(incomplete), reason)


def _mean_accuracies(rows: pd.DataFrame, group: list[str], places: list[str]) -> dict[Group, Means]:
    """Return the mean by which points are chosen of each complete one, by the columns `group`."""
    n_places = rows.drop_duplicates([*group, *places]).groupby(group).size().to_dict()
    done = rows.loc[rows["status"] == "done"].sort_values("point", kind="stable")
    criterion = CRITERION if CRITERION in done else "accuracy"
    by_group: dict[Group, dict[int, list[float]]] = {}
    columns = (done[name].tolist() for name in (*group, "point", criterion))
    for *where, point, value in zip(*columns, strict=True):
        by_group.setdefault(tuple(where), {}).setdefault(point, []).append(value)
    # An exact sum, rounded: a tie must not be broken by the last bit.
    return {
        where: {
            point: round(math.fsum(values) / len(values), 12)
            for point, values in points.items()
            if len(values) == n_places[where]
        }
        for where, points in by_group.items()
    }


def _best(means: Means) -> int:
    """Return the first of the points with the highest mean."""
    return max(means, key=means.__getitem__)


def _reason(rows: pd.DataFrame, n_points: int, n_incomplete: int) -> str:
    """Say how many points are not eligible, and give the commonest reason."""
    if not n_incomplete:
        return ""
    lacking = rows[rows["status"] != "done"]
    counts = lacking["reason"].value_counts()
    why = min(counts[counts == counts.max()].index) if len(counts) else "cells are not planned"
    if n_points == 1:
        return f"{len(lacking)} of {len(rows)} cells: {why}"
    return f"{n_incomplete} of {n_points} grid points are incomplete: {why}"
