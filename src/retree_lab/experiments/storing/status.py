"""Plans against the store: which cells are pending, which stale and why, and how long they take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from retree_lab.experiments.planning.keys import Cell, Parts, canonical
from retree_lab.experiments.planning.plan import Datasets, Plan
from retree_lab.experiments.storing.outcomes import Outcome, StoredCell
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.store import Place, Store
from retree_lab.study import registry, scorers


def scores_asked(plans: Iterable[Plan]) -> dict[str, set[str]]:
    """Return the further metrics that the items of `plans` ask for, as stored, by key."""
    asked: dict[str, set[str]] = {}
    for plan in plans:
        names = plan.item.stored_scores.values()
        for cell in plan.every if names else ():
            asked.setdefault(cell.key, set()).update(names)
    return asked


def lacking_scores(stored: StoredCell, asked: Iterable[str]) -> list[str]:
    """Return which of the metrics `asked` a stored cell lacks, sorted."""
    return sorted(set(asked) - set(stored.scores))


def current_scores(stored: StoredCell, home: Path | None) -> list[str]:
    """Return the other metrics of a stored cell that were computed by today's sources."""
    return [
        n for n in stored.scores if n == scorers.stored_name(n.partition(scorers.STATE)[0], home)
    ]


def done_keys(plans: Sequence[Plan], store: Store) -> set[str]:
    """Return the keys of the cells of `plans` that `store` has, with every metric asked for."""
    asked = scores_asked(plans)
    stored = store.metrics(list({cell.key: cell for plan in plans for cell in plan.every}))
    return {
        key
        for key, values in stored.items()
        if values.error is None and not lacking_scores(values, asked.get(key, ()))
    }


def pending_cells(plans: Sequence[Plan], store: Store) -> list[Cell]:
    """Return the cells of `plans` that `store` does not have, each once."""
    done = done_keys(plans, store)
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    return [cell for key, cell in cells.items() if key not in done]


Pair = tuple[str, str]
# By key of a method and what moved, the parts of a cell's key joined by " and ".
Stale = Counter[tuple[str, str]]
SOURCES, COMMITTED = "sources", "committed"
_PARTS = {
    "data": "other data",
    "protocol": "another protocol",
    "estimator": "another version of the estimator",
    SOURCES: "other sources of the estimator",
    "parameters": "other parameters",
    "seed": "another seed",
    "": "another definition of cells",
    COMMITTED: "other sources, version, parameters or data, as committed",
}
_COMMITTED_PLACE = ("dataset", "method", "params", "repeat", "fold", "inner")


def find_stale(
    plans: Iterable[Plan], missing: Iterable[Cell], planned: Planned | None, store: Store
) -> Stale:
    """Return how many of the `missing` cells of `plans` are there in another state, and why.

    Those that lack only a metric that was not asked for before are not counted.

    `planned`: knows where cells are committed, in case that the store has none.
    """
    stale: Stale = Counter()
    relatives: dict[tuple[str, str], Mapping[Place, list[Parts]]] = {}
    names = {m.key: m.name for plan in plans for m in plan.item.methods}
    cells = {cell.key: cell for cell in missing}
    committed = _committed_places(planned, store) if cells else set()
    stored_now = store.metrics(list(cells))
    for cell in cells.values():
        if cell.key in stored_now and stored_now[cell.key].error is None:
            continue
        pair = (cell.dataset, cell.method)
        if pair not in relatives:
            relatives[pair] = store.relatives(*pair)
        params = canonical(cell.params)
        if stored := relatives[pair].get((params, cell.repeat, cell.fold, cell.inner)):
            stale[cell.method, min((moved_parts(cell.parts, p) for p in stored), key=len)] += 1
        elif (
            *(cell.dataset, names[cell.method], params),
            *(cell.repeat, cell.fold, cell.inner),
        ) in committed:
            stale[cell.method, COMMITTED] += 1
    return stale


def moved_parts(now: Parts, then: Parts) -> str:
    """Return the names of the parts of a key that differ, joined by " and ".

    The seed follows from the others, so it is named only if it moved by itself.
    """
    names = [name for name in Parts._fields if getattr(now, name) != getattr(then, name)]
    names = [name for name in names if name != "seed"] or names
    has_state = registry.STATE in now.estimator and registry.STATE in then.estimator
    return " and ".join(SOURCES if has_state and name == "estimator" else name for name in names)


def stale_sentences(stale: Stale) -> Iterator[str]:
    """Yield a sentence for each method and what moved."""
    for (method, moved), count in sorted(stale.items()):
        names = " and ".join(_PARTS[part] for part in moved.split(" and "))
        yield f"stale: {count} cells of {method} are stored, but for {names}"


def _committed_places(planned: Planned | None, store: Store) -> set[tuple[Any, ...]]:
    if planned is None or planned.experiment.committed is None:
        return set()
    folder = planned.experiment.committed / planned.experiment.paper.name
    rows = store.committed.table(folder, *_COMMITTED_PLACE)
    return set(rows.itertuples(index=False, name=None))


# By data set and method: mean seconds of a fit, and mean rows times features.
Times = Mapping[Pair, tuple[float, float]]


@dataclass(frozen=True)
class Expected:
    """How long cells will take."""

    seconds: float  # Sum over the cells whose time is known, one after the other
    unknown: int


class Speed:
    """Expected seconds of a cell, by the cells of its method that were computed before.

    Those in the store count first, then those that are committed with the paper's results.

    `planned`: knows where cells are committed, and the paper's names of methods.
    """

    def __init__(self, store: Store, datasets: Datasets, planned: Planned | None = None) -> None:
        self._store, self._planned, self._stored = store, planned, store.speeds()
        self._sizes = {name: dataset.X.size for name, dataset in datasets.loaded.items()}

    def seconds(self, dataset: str, method: str) -> float | None:
        """Return the expected seconds of one cell, None if no cell of `method` is known.

        On a data set that is new to the method, the others' times are scaled by rows x features.
        """
        pair = (dataset, method)
        if seconds := self._stored.get(pair) or self._committed.get(pair):
            return seconds[0]
        for times in (self._stored, self._committed):
            if others := [time for (_, name), time in times.items() if name == method]:
                total, size = (sum(column) for column in zip(*others, strict=True))
                return total / size * self._sizes[dataset]
        return None

    def expect(self, cells: Iterable[Cell]) -> Expected:
        """Return the expected time of `cells`."""
        costs = [self.seconds(cell.dataset, cell.method) for cell in cells]
        certain = [seconds for seconds in costs if seconds is not None]
        return Expected(sum(certain), len(costs) - len(certain))

    @cached_property
    def _committed(self) -> Times:
        planned = self._planned
        if planned is None or planned.experiment.committed is None:
            return {}
        paper = planned.experiment.paper
        rows = self._store.committed.times(planned.experiment.committed / paper.name)
        # A row has the label that its items give to the method.
        keys = {
            (i, name): key
            for i, keys_here in paper.methods.items()
            for key, name in keys_here.items()
        }
        sums: dict[tuple[str, str], list[float]] = {}
        for dataset, items, name, *some in rows:
            for key in {keys.get((item, name), "") for item in items.split()}:
                totals = sums.setdefault((dataset, key), [0, 0.0, 0.0])
                sums[dataset, key] = [a + b for a, b in zip(totals, some, strict=True)]
        return {pair: (time / n, size / n) for pair, (n, time, size) in sums.items()}


@dataclass(frozen=True)
class Status:
    """How a plan stands against the store."""

    planned: Counter[tuple[str, str]]  # Cells by (dataset, method)
    stored: Counter[tuple[str, str]]
    # Cells by (method, parts that moved since such a cell was stored, joined by " and ").
    stale: Stale
    failed: int  # Missing cells that failed before
    expected: Expected  # How long the missing cells will take

    @property
    def missing(self) -> int:
        """Number of cells to compute."""
        return self.planned.total() - self.stored.total()


def plan_status(
    plans: Sequence[Plan], store: Store, speed: Speed, planned: Planned | None = None
) -> Status:
    """Return how `plans`, whose common cells count once, stand against `store`.

    Where `planned` is given, stale cells are looked for among the committed ones too.
    """
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    done = done_keys(plans, store)
    missing = [cell for key, cell in cells.items() if key not in done]
    stored = store.metrics([cell.key for cell in missing])
    return Status(
        planned=Counter((cell.dataset, cell.method) for cell in cells.values()),
        stored=Counter((cells[key].dataset, cells[key].method) for key in done),
        stale=find_stale(plans, missing, planned, store),
        failed=sum(values.error is not None for values in stored.values()),
        expected=speed.expect(missing),
    )


class Forecast:
    """The cells that a run has left, and their expected seconds where these are known.

    `pairs`: data set and method of each cell, by its key.
    `expected`: seconds of a cell by earlier runs, None where there are none.
    `sizes`: rows times features of each data set.
    """

    def __init__(
        self,
        pairs: Mapping[str, Pair],
        expected: Mapping[Pair, float | None],
        sizes: Mapping[str, float],
    ) -> None:
        self.cells, self.finished, self.failed, self.measured = len(pairs), 0, 0, 0.0
        self._pairs, self._expected, self._sizes = pairs, expected, sizes
        self._left = Counter(pairs.values())
        self._seconds: dict[Pair, float] = {}  # Of cells that this run has finished
        self._counts = Counter[Pair]()

    def finish(self, outcomes: Sequence[Outcome]) -> None:
        """Note what finished cells took."""
        self.finished += len(outcomes)
        self.failed += sum(outcome.error is not None for outcome in outcomes)
        for outcome in outcomes:
            pair = self._pairs[outcome.key]
            self._left[pair] -= 1
            if (seconds := outcome.fit_seconds) is not None:
                self._seconds[pair] = self._seconds.get(pair, 0.0) + seconds
                self._counts[pair] += 1
                self.measured += seconds

    def drop(self, keys: Collection[str]) -> None:
        """Note that another run has computed some cells."""
        self.cells -= len(keys)
        self._left.subtract(self._pairs[key] for key in keys)

    def left(self) -> tuple[float, int]:
        """Return the seconds of fits that are left, and of how many cells nothing is known."""
        costs = [(self._cost(pair), count) for pair, count in self._left.items() if count]
        seconds = sum(cost * count for cost, count in costs if cost is not None)
        return seconds, sum(count for cost, count in costs if cost is None)

    def _cost(self, pair: Pair) -> float | None:
        """Return the seconds of a cell: measured, else expected, else scaled by the data's size."""
        if count := self._counts[pair]:
            return self._seconds[pair] / count
        if (expected := self._expected[pair]) is not None:
            return expected * self._pace()
        others = [other for other in self._counts if other[1] == pair[1]]
        size = sum(self._counts[other] * self._sizes[other[0]] for other in others)
        total = sum(self._seconds[other] for other in others)
        return total / size * self._sizes[pair[0]] if size else None

    def _pace(self) -> float:
        """Return the ratio of actual to expected time over the finished cells."""
        before = {pair: self._expected[pair] for pair in self._counts}
        measured = {pair: seconds for pair, seconds in before.items() if seconds is not None}
        expected = sum(seconds * self._counts[pair] for pair, seconds in measured.items())
        return sum(self._seconds[pair] for pair in measured) / expected if expected else 1.0
