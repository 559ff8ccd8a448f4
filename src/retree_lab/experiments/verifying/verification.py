"""Stored cells computed once more and compared with the store."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning.keys import Cell
from retree_lab.experiments.planning.plan import Datasets, Plan
from retree_lab.experiments.running.batches import make_batches
from retree_lab.experiments.running.run_plans import Watch, compute_batches
from retree_lab.experiments.storing.outcomes import Outcome, StoredCell, unpack_predictions
from retree_lab.experiments.storing.status import current_scores
from retree_lab.experiments.storing.store import UNKNOWN_RUN, Store
from retree_lab.provenance import bits_text

RESULTS = ("accuracy", "depth", "leaves", "nodes")
# Numbers that are computed from sums differ by that much of the greater of 1 and themselves if only
# the last bits of what they are made of do.
ROUNDING = 1e-9
# Tables keep ten digits: a last one that rounds the other way is 1e-9 of the number, and no move.
_SLACK = 1 + 1e-6


class Grade(StrEnum):
    """How far two results of one cell agree."""

    EQUAL = "equal"
    LAST_BITS = "equal in accuracy and sizes, but not in the last bits"
    DIFFERENT = "different"


@dataclass(frozen=True)
class CellDifference:
    """The values of a cell that differ."""

    # How far both agree. They do in all but the last bits if accuracy and sizes are equal, as are
    # stored predictions of classes; other scores and predicted numbers agree to `ROUNDING`.
    grade: Grade
    old: Mapping[str, Any]  # The values that differ, stored and computed, by name
    new: Mapping[str, Any]


def grade_values(old: Any, new: Any) -> Grade:
    """Return how far two values of one name agree.

    `old`, `new`: equal if every bit is; all NaN are one. Floating-point numbers agree but for the
    last bits within `ROUNDING` times the greater of 1 and the old number.
    """
    before, now = np.asarray(old), np.asarray(new)
    numbers = before.shape == now.shape and before.dtype.kind == now.dtype.kind == "f"
    if np.array_equal(before, now, equal_nan=numbers):
        return Grade.EQUAL
    if not numbers:
        return Grade.DIFFERENT
    apart = (before != now) & ~(np.isnan(before) & np.isnan(now))
    before, now = before[apart], now[apart]
    close = np.abs(now - before) <= ROUNDING * _SLACK * np.maximum(1.0, np.abs(before))
    return Grade.LAST_BITS if (close & np.isfinite(before)).all() else Grade.DIFFERENT


def compare_values(old: Mapping[str, Any], new: Mapping[str, Any]) -> CellDifference:
    """Compare the values that both cells have, and grade the differences."""
    grades = {name: _grade(name, old[name], new[name]) for name in old if name in new}
    moved = [name for name, grade in grades.items() if grade != Grade.EQUAL]
    worst = Grade.DIFFERENT if Grade.DIFFERENT in grades.values() else Grade.LAST_BITS
    before, now = ({name: side[name] for name in moved} for side in (old, new))
    for name in moved:
        if isinstance(before[name], np.ndarray):
            before[name], now[name] = "as stored", "others"
    return CellDifference(worst if moved else Grade.EQUAL, before, now)


def compare_cell(
    stored: StoredCell, computed: Outcome, predictions: bytes | None = None
) -> CellDifference:
    """Return how a stored cell differs from the same computed again.

    `stored`: its values as `Store.metrics` gives them. A digest that is not stored is not compared.
    """
    if computed.error is not None:
        error = computed.error.strip().splitlines()[-1]
        return CellDifference(Grade.DIFFERENT, {"accuracy": stored.accuracy}, {"error": error})
    names = RESULTS if stored.digest is None else (*RESULTS, "digest")
    old = {**{name: getattr(stored, name) for name in names}, **stored.scores}
    new = {**{name: getattr(computed, name) for name in names}, **computed.scores}
    if predictions is not None:
        packed = predictions, computed.predictions or b""
        old["predictions"], new["predictions"] = map(unpack_predictions, packed)
    return compare_values(old, new)


def _grade(name: str, old: Any, new: Any) -> Grade:
    grade = grade_values(old, new)
    if grade == Grade.EQUAL:
        return grade
    if name == "digest":  # The other values tell how much of what it covers has moved.
        return Grade.LAST_BITS
    return Grade.DIFFERENT if name in RESULTS else grade


# What a cell takes besides its fit, in seconds, and how many are looked up at once.
_OVERHEAD, _AT_ONCE = 0.02, 200


@dataclass(frozen=True)
class Recomputed:
    """A stored cell that was computed again."""

    cell: Cell
    estimator: str  # Its estimator's name in the registry
    stored: StoredCell
    difference: CellDifference
    # Whether its digest is new, since it is stored without one: then the other values are compared,
    # and the predictions if they are stored.
    undigested: bool


@dataclass(frozen=True)
class Verification:
    """The outcome of a comparison."""

    compared: Counter[str]  # Number of cells by estimator
    mismatches: tuple[Recomputed, ...]  # The cells that differ, in the plans' order
    undigested: int = 0  # Number of cells whose digest is new
    # Number of cells by what the last bits of the stored ones may come from, see `bits_text`.
    made: Counter[str] = field(default_factory=Counter)

    @property
    def moved(self) -> list[str]:
        """The estimators that gave other results."""
        return sorted({mismatch.estimator for mismatch in self.mismatches})

    def grades(self, estimator: str) -> Counter[Grade]:
        """Return how many cells of an estimator have which grade."""
        grades = Counter(m.difference.grade for m in self.mismatches if m.estimator == estimator)
        return Counter({Grade.EQUAL: self.compared[estimator] - grades.total()}) + grades


def sum_up(verifications: Sequence[Verification]) -> Verification:
    """Return several verifications as one."""
    return Verification(
        compared=sum((one.compared for one in verifications), start=Counter()),
        mismatches=tuple(mismatch for one in verifications for mismatch in one.mismatches),
        undigested=sum(one.undigested for one in verifications),
        made=sum((one.made for one in verifications), start=Counter()),
    )


def choose_cells(
    plans: Iterable[Plan], done: Collection[str], estimators: Collection[str], each: int | None
) -> list[Plan]:
    """Return `plans` with only the cells to verify, every cell once.

    `each`: how many cells of each method on each data set, None for all. Those of a data set are of
    the same folds, since methods may share their work there; other data sets have other folds.
    """
    seen: set[str] = set()
    chosen = []
    for plan in plans:
        methods = {m.key for m in plan.item.methods if m.estimator in estimators}
        of_plan = (cell for cell in plan.every if cell.method in methods and cell.key in done)
        cells = list({cell.key: cell for cell in of_plan if cell.key not in seen}.values())
        seen.update(cell.key for cell in cells)
        sample = cells if each is None else _sample(cells, each)
        chosen.append(replace(plan, cells=sample, replicates=[]))
    return chosen


def draw_cells(plans: Sequence[Plan], store: Store, draw: str, seconds: float) -> list[Plan]:
    """Return `plans` with only the cells that `draw` picks of those in the store.

    Each cell is as likely as any other, until all together took so many seconds when they were
    computed. One that took longer by itself is left out.
    """
    cells = {c.key: (i, c) for i, plan in reversed([*enumerate(plans)]) for c in plan.every}
    turns = sorted(cells, key=lambda key: hashlib.sha256(f"{draw} {key}".encode()).digest())
    drawn: list[list[Cell]] = [[] for _ in plans]
    for start in range(0, len(turns), _AT_ONCE):
        some = turns[start : start + _AT_ONCE]
        stored = store.metrics(some)
        for key in (key for key in some if key in stored and stored[key].error is None):
            cost = _OVERHEAD + (stored[key].fit_seconds or 0.0)
            if cost <= seconds:
                seconds -= cost
                at, cell = cells[key]
                drawn[at].append(cell)
        if seconds < _OVERHEAD:
            break
    return [replace(p, cells=c, replicates=[]) for p, c in zip(plans, drawn, strict=True)]


def recompute(
    plans: Sequence[Plan],
    datasets: Datasets,
    store: Store,
    execution: Execution,
    watch: type[Watch] = Watch,
) -> list[Recomputed]:
    """Compute every cell of `plans` and compare it with the stored one, which stays as it is."""
    stored = store.metrics([cell.key for plan in plans for cell in plan.cells])
    homes = {cell.key: plan.item.home for plan in plans for cell in plan.cells}
    asked = {key: current_scores(values, homes[key]) for key, values in stored.items()}
    batches = make_batches(((plan, plan.cells) for plan in plans), asked)
    computed: dict[str, Outcome] = {}
    with closing(compute_batches(batches, datasets, store, execution, watch=watch)) as finished:
        for outcomes in finished:
            computed |= {outcome.key: outcome for outcome in outcomes}
    again = []
    for plan in plans:
        estimators = {method.key: str(method.estimator) for method in plan.item.methods}
        for cell in plan.cells:
            old, new = stored[cell.key], computed[cell.key]
            # Stored predictions are compared where no equal digest covers them.
            is_equal = old.digest is not None and old.digest == new.digest
            difference = compare_cell(old, new, None if is_equal else store.blobs(cell.key)[0])
            undigested = old.digest is None and new.digest is not None
            again.append(Recomputed(cell, estimators[cell.method], old, difference, undigested))
    return again


def verify_plans(
    plans: Sequence[Plan],
    datasets: Datasets,
    store: Store,
    execution: Execution,
    watch: type[Watch] = Watch,
) -> Verification:
    """Recompute every cell of `plans` and compare it; parameters as in `recompute`."""
    recomputed = recompute(plans, datasets, store, execution, watch)
    runs = {number: bits_text(run) for number, run in store.runs().items()}
    return Verification(
        compared=Counter(one.estimator for one in recomputed),
        mismatches=tuple(one for one in recomputed if one.difference.grade != Grade.EQUAL),
        undigested=sum(one.undigested for one in recomputed),
        made=Counter(
            runs.get(values.run, bits_text(UNKNOWN_RUN))
            for values in {o.cell.key: o.stored for o in recomputed}.values()
        ),
    )


def _sample(cells: Sequence[Cell], each: int) -> list[Cell]:
    """Return `each` cells of every method on every data set."""
    groups: dict[tuple[str, str], dict[tuple[int, int, int], list[Cell]]] = {}
    for cell in cells:
        places = groups.setdefault((cell.dataset, cell.method), {})
        places.setdefault((cell.repeat, cell.fold, cell.inner), []).append(cell)
    return [cell for places in groups.values() for cell in _spread(places, each)]


def _spread(places: Mapping[tuple[int, int, int], list[Cell]], each: int) -> list[Cell]:
    """Return `each` cells, of as many places as there are, outer ones first."""
    outer = sorted(places, key=lambda place: (place[2], place))
    outer = [place for place in outer if place[2] == outer[0][2]]
    first = next(iter(places.values()))[0]
    start = int(hashlib.sha256(first.dataset.encode()).hexdigest()[:8], 16)
    turned = [outer[(start + i) % len(outer)] for i in range(len(outer))]
    turned += [place for place in places if place not in turned]
    columns = [sorted(places[place], key=lambda cell: cell.key) for place in turned]
    longest = max(map(len, columns))
    return [column[i] for i in range(longest) for column in columns if i < len(column)][:each]
