"""The numbers of each replicate, from which one knows how much of a number is chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.item import count_nested
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.exports import BEST_TEST, DONE, NESTED, SELECTED
from retree_lab.experiments.storing.results import StoredCells, results_frame
from retree_lab.reports.selection import (
    OUTER,
    PAIR,
    PLACE,
    Choices,
    best_points,
    best_test,
    choose,
    nested,
)
from retree_lab.statistics.intervals import Prediction, predict
from retree_lab.statistics.metrics import OPTIMISM, find_metric

if TYPE_CHECKING:
    from pandas.api.typing import SeriesGroupBy

    from retree_lab.experiments.definition.protocol import Protocol
    from retree_lab.reports.selection import Choices

# The key of a method, and that of a cell, which another method may have too.
Owned = tuple[str, str]


@dataclass(frozen=True)
class ReplicateCells:
    """The outer cells that stand for each further replicate that is complete."""

    # Cells of the points that numbers are of: rows as from
    # `experiments.storing.results.results_frame`, and the columns ``replicate`` (1 or more)
    # and ``n_points`` (points of the grid).
    best: pd.DataFrame
    # Cells of the points chosen inside the training folds, of the replicates that do so beside.
    nested: pd.DataFrame
    how: str = BEST_TEST  # How the points of `best` were chosen

    @cached_property
    def every(self) -> pd.DataFrame:
        """Both, each cell once, and how it was chosen in the column ``selected``."""
        both = pd.concat([self.best, self.nested], ignore_index=True)
        how = dict.fromkeys(self.best["key"], self.how)
        for key in self.nested["key"]:
            how[key] = f"{how[key]} {NESTED}" if key in how else NESTED
        both = both.drop_duplicates("key")
        return both.assign(**{SELECTED: both["key"].map(how)})


def replicate_cells(plan: Plan, stored: StoredCells) -> ReplicateCells:
    """Return the cells that stand for the further replicates of an item.

    Points are chosen as in `retree_lab.reports.selection`, in each replicate by itself. Where the
    choice is committed only its cells are planned, and it stands: of two cells of a fold, the one
    that is not of the best point was chosen inside the training fold.
    """
    frame = results_frame(replace(plan, cells=plan.replicates), stored)
    frame["replicate"] = frame["repeat"] // plan.item.protocol.repeats
    n_points: Counter[tuple[str, str]] = Counter()
    for cell in plan.cells:
        pair = cell.dataset, cell.method
        n_points[pair] = max(n_points[pair], cell.point + 1)
    pairs = zip(frame["dataset"].tolist(), frame["method"].tolist(), strict=True)
    frame["n_points"] = [n_points[pair] for pair in pairs]
    best, honest = set[Owned](), set[Owned]()
    if plan.item.chosen_on_test:
        best.update(_of_best_points(frame))
    n_nested = max((count_nested(plan.item, name) for name in plan.item.datasets), default=0)
    for replicate, rows in frame.groupby("replicate"):
        if not plan.item.chosen_on_test:
            best.update(_owned(choose(rows, on_test=False)))
        elif NESTED in plan.item.select and int(str(replicate)) < n_nested:
            honest.update(_nested(plan, int(str(replicate)), rows))
    how = BEST_TEST if plan.item.chosen_on_test else NESTED
    return ReplicateCells(_of_keys(frame, best), _of_keys(frame, honest), how)


def _of_best_points(frame: pd.DataFrame) -> Iterator[Owned]:
    """Yield the outer cells of the best point of each replicate, without a table of each."""
    group = [*PAIR, "replicate"]
    outer = frame[frame["inner"] == OUTER]
    points = best_points(outer, group)
    columns = (outer[name].tolist() for name in (*group, "point", "key"))
    for dataset, method, replicate, point, key in zip(*columns, strict=True):
        if points.get((dataset, method, replicate)) == point:
            yield method, key


def _owned(choices: Choices) -> Iterator[Owned]:
    yield from ((m, key) for (_, m), choice in choices.items() for key in choice.folds["key"])


def _nested(plan: Plan, replicate: int, rows: pd.DataFrame) -> Iterator[Owned]:
    """Yield the cells that a nested selection chose in a replicate."""
    rows = rows[[replicate < count_nested(plan.item, name) for name in rows["dataset"]]]
    best = best_test(rows)
    honest = nested(rows, best)
    for pair, some in rows.groupby(PAIR, sort=False):
        choice, method = best[str(pair[0]), str(pair[1])], str(pair[1])
        if pair in honest:
            yield from ((method, key) for key in honest[pair].folds["key"])
        elif len(choice.folds):
            yield from ((method, key) for key in _committed_choice(some, choice.folds))


def _committed_choice(rows: pd.DataFrame, best: pd.DataFrame) -> Sequence[str]:
    """Return the keys of the cells that are not of the best point, and of that where all are."""
    of_best = dict(zip(best["key"], best.index, strict=True))
    columns = (rows[name].tolist() for name in ("key", "status", *PLACE))
    other = {key: (status, place) for key, status, *place in zip(*columns, strict=True)}
    other = {key: keys for key, keys in other.items() if key not in of_best}
    if any(status != DONE for status, _ in other.values()):
        return []
    places = {tuple(place) for _, place in other.values()}
    return [*other, *(key for key, place in of_best.items() if place not in places)]


def _of_keys(frame: pd.DataFrame, chosen: Collection[Owned]) -> pd.DataFrame:
    owned = zip(frame["method"].tolist(), frame["key"].tolist(), strict=True)
    return frame[np.array([one in chosen for one in owned], bool)].reset_index(drop=True)


# A standard deviation of two numbers says nothing.
FEWEST = 3
COLUMNS = ("accuracy", "depth", "leaves", "nodes")


@dataclass(frozen=True)
class Run:
    """The numbers of all runs of a method on a data set, in one metric."""

    metric: str
    # Mean and sample standard deviation over the folds of each run, the first one first.
    means: tuple[float, ...]
    stds: tuple[float, ...]
    n_replicates: int  # How often the whole protocol was run
    params: tuple[str, ...] = ()  # The point that each run chose, as JSON

    @property
    def averaged(self) -> int:
        """Return the number of our means that are averaged for one published run.

        Without replicates, the repeats of the protocol count as runs.
        """
        return max(1, len(self.means) // self.n_replicates)

    @property
    def prediction(self) -> Prediction:
        """The expectation of one more run."""
        return predict(self.means, self.averaged, find_metric(self.metric).log_plus)


def mean_run(runs: Sequence[Run]) -> Run:
    """Return the runs of a mean over data sets; those with fewer begin again with their first."""
    length = max(len(run.means) for run in runs)
    means = [[run.means[i % len(run.means)] for run in runs] for i in range(length)]
    squares = [[run.stds[i % len(run.means)] ** 2 for run in runs] for i in range(length)]
    return Run(
        runs[0].metric,
        tuple(float(np.mean(values)) for values in means),
        tuple(math.sqrt(sum(values)) / len(runs) for values in squares),
        min(run.n_replicates for run in runs),
    )


@dataclass(frozen=True)
class Runs:
    """The runs of an item."""

    # Data set and key of a method: the outer cells that stand for each complete run, with the
    # column ``run``.
    cells: Mapping[tuple[str, str], pd.DataFrame]
    averaged: int = 1
    # Tables ask for the same numbers again, in other tests and metrics.
    _known: dict[tuple[str, str, str], Run | None] = field(default_factory=dict, init=False)

    def find(self, dataset: str, method: str, metric: str) -> Run | None:
        """Return the runs of a method (its key) on a data set, None if there are too few.

        Of times, and of what is no metric of cells, there are none.
        """
        place = dataset, method, metric
        if place not in self._known:
            measure, rows = find_metric(metric), self.cells.get((dataset, method))
            if rows is None or measure.column not in COLUMNS:
                self._known[place] = None
            else:
                run = self._run(metric, measure.of(rows).groupby(rows["run"]))
                self._known[place] = run and replace(run, params=_chosen(rows))
        return self._known[place]

    def values(self, dataset: str, method: str, metric: str) -> pd.Series | None:
        """Return a metric on each fold of all runs, by (repeat, fold); None as `find` does."""
        if self.find(dataset, method, metric) is None:
            return None
        return find_metric(metric).of(self._by_place[dataset, method])

    @cached_property
    def _by_place(self) -> dict[tuple[str, str], pd.DataFrame]:
        """The cells by repeat and fold; sorted together, which is faster than one by one."""
        every = pd.concat(self.cells.values()).set_index(PLACE).sort_index()
        return by_pair(every)

    def find_optimism(self, nested: Runs, dataset: str, method: str) -> Run | None:
        """Return by how much these runs are more accurate than `nested`, fold by fold."""
        pair = dataset, method
        if pair not in self.cells or pair not in nested.cells:
            return None
        ours, theirs = self._by_place[pair], nested._by_place[pair]["accuracy"]
        honest = dict(zip(theirs.index, theirs, strict=True))
        difference = ours["accuracy"] - [honest.get(place, math.nan) for place in ours.index]
        return self._run(OPTIMISM, difference.dropna().groupby(ours["run"]))

    def _run(self, metric: str, by_run: SeriesGroupBy) -> Run | None:
        means = by_run.mean().to_numpy(dtype=np.float64)
        if len(means) < FEWEST or np.isnan(means).any():
            return None
        stds = by_run.std(ddof=1).tolist()
        return Run(metric, tuple(means.tolist()), tuple(stds), len(means) // self.averaged)


def find_runs(protocol: Protocol, first: Choices, further: Callable[[], pd.DataFrame]) -> Runs:
    """Return the runs of an item: its replicates, or else the repeats of its protocol."""
    if protocol.replicates == 1 and protocol.repeats == 1:
        return Runs({})
    firsts = [choice.folds for choice in first.values() if not choice.folds.empty]
    tables = [pd.concat(firsts).reset_index()] if firsts else []
    if protocol.replicates > 1:
        tables.append(further())
    cells = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    if cells.empty:
        return Runs({})
    length, averaged = (protocol.repeats, 1) if protocol.replicates > 1 else (1, protocol.repeats)
    cells = cells.assign(run=cells["repeat"] // length)
    return Runs(by_pair(cells), averaged)


def in_shared_runs(several: Sequence[Runs]) -> list[Runs]:
    """Return `several` runs with those alone that all of them have, for all methods of a data set.

    A comparison is of the same folds on all sides.
    """
    shared: dict[str, set[int]] = {}
    for (dataset, _), rows in (pair for runs in several for pair in runs.cells.items()):
        numbers = set(rows["run"])
        shared[dataset] = shared.get(dataset, numbers) & numbers
    return [
        Runs({p: c[c["run"].isin(shared[p[0]])] for p, c in runs.cells.items()}, runs.averaged)
        for runs in several
    ]


def _chosen(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the point of each run; of one that chose for each fold, that of the first."""
    points = dict(
        zip(reversed(rows["run"].tolist()), reversed(rows["params"].tolist()), strict=True)
    )
    return tuple(points[run] for run in sorted(points))


def by_pair(cells: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the rows of each data set and method."""
    pairs = cells.groupby(["dataset", "method"], sort=False)
    return {(str(d), str(m)): rows for (d, m), rows in pairs}
