"""Computing the cells of plans that are not stored yet."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning.cell import Cell
from retree_lab.experiments.planning.keys import canonical
from retree_lab.experiments.planning.needed_data import Datasets
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.running.batches import batch_size, make_batches, make_problem
from retree_lab.experiments.running.compute import Batch, fit_points, raise_interrupt
from retree_lab.experiments.running.computed_by import CodeCheck
from retree_lab.experiments.running.execution import compute_all
from retree_lab.experiments.running.forecast import Forecast, Pair
from retree_lab.experiments.running.run_screen import RunProgress
from retree_lab.experiments.running.status import Speed
from retree_lab.experiments.running.workers import Workers
from retree_lab.experiments.storing.leases import Claims
from retree_lab.experiments.storing.outcome import Outcome
from retree_lab.experiments.storing.pending import pending_cells, scores_asked
from retree_lab.experiments.storing.store import Store
from retree_lab.provenance import commit_state, now


@dataclass(frozen=True)
class RunReport:
    """The outcome of a run."""

    planned: int  # Cells of the plans, each counted once, and those that were computed now
    computed: int
    failed: list[tuple[Cell, str]]  # The cells that raised, with their tracebacks
    elsewhere: int = 0  # Cells that another run on the same store has computed meanwhile


def run_plans(
    plans: Sequence[Plan],
    datasets: Datasets,
    store: Store,
    execution: Execution,
    workers: Workers | None = None,
) -> RunReport:
    """Compute every cell of `plans` that `store` does not have, and store it.

    Runs at the same time on one store share the cells.

    Each finished batch is one transaction, so whatever ends the run, the next one goes on from
    there. Results do not depend on jobs, order or interruption.

    `workers`: processes of this machine to take, which are left running.
    """
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    batches = pending_batches(plans, store)
    if not batches:
        return RunReport(len(cells), 0, [])
    failed: list[tuple[Cell, str]] = []
    started, commit = now(), commit_state()
    runs: dict[str, int] = {}  # By what computed their cells
    pending = [key for batch in batches for key in batch.keys]
    computed = 0
    with (
        store.claims(pending) as claims,
        closing(compute_batches(batches, datasets, store, execution, claims, workers)) as finished,
    ):
        for outcomes in finished:
            by = {canonical(outcome.by): outcome.by or {} for outcome in outcomes}
            for text, facts in by.items():
                if text not in runs:
                    runs[text] = store.begin_run(started, {**commit, **facts})
                some = [(cells[o.key], o) for o in outcomes if canonical(o.by) == text]
                store.record(runs[text], some)
            computed += len(outcomes)
            failed += [(cells[o.key], o.error) for o in outcomes if o.error is not None]
    return RunReport(len(cells), computed, failed, len(pending) - computed)


def compute_batches(
    batches: Sequence[Batch],
    datasets: Datasets,
    store: Store,
    execution: Execution,
    claims: Claims | None = None,
    workers: Workers | None = None,
) -> Generator[list[Outcome], None, None]:
    """Yield the outcomes of each batch as it is finished, in any order, and report progress.

    `store`: knows how long such cells took, so that the longest are begun first.
    """
    problems = {d: make_problem(datasets.find(*d)) for d in {batch.data for batch in batches}}
    sizes = {batch.keys[0]: batch_size(batch, problems) for batch in batches}
    pairs = {key: (batch.data[0], batch.method) for batch in batches for key in batch.keys}
    speed = Speed(store, datasets)
    expected = {pair: speed.seconds(*pair) for pair in set(pairs.values())}
    forecast = Forecast(pairs, expected, {data[0]: p.X.size for data, p in problems.items()})
    seconds = {batch.keys[0]: _seconds(batch, expected) for batch in batches}
    _warm_up(batches)
    ordered = sorted(
        (replace(batch, limits=batch.limits.over(execution.limits)) for batch in batches),
        key=lambda b: (b.protocol.timed, seconds[b.keys[0]], sizes[b.keys[0]]),
        reverse=True,
    )
    folders = {key: batch.own_folders for batch in batches for key in batch.keys}
    with RunProgress(forecast) as progress:
        check = CodeCheck(folders, progress.tell)
        shared = _unclaimed(ordered, claims, progress) if claims else ordered
        with closing(compute_all(shared, problems, execution, workers, progress.tell)) as finished:
            for outcomes in map(check.admit, finished):
                yield outcomes
                progress.advance(outcomes)


def _unclaimed(
    batches: Iterable[Batch], claims: Claims, progress: RunProgress
) -> Iterator[Batch | None]:
    """Yield what no other run computes, each claimed as it is asked for; None: ask again later."""
    left = list(batches)
    while left:
        others = []
        for batch in left:
            found = claims.take(batch.keys)
            if found.mine:
                yield batch.part(i for i, key in enumerate(batch.keys) if key in found.mine)
            if held := found.others:
                progress.wait(held)
                others.append(batch.part(i for i, key in enumerate(batch.keys) if key in held))
            progress.drop(found.done)
        left = others
        if left:
            yield None


def pending_batches(plans: Sequence[Plan], store: Store) -> list[Batch]:
    """Return what `store` lacks of `plans`."""
    missing = {cell.key for cell in pending_cells(plans, store)}
    pending = []
    for plan in plans:
        # Two methods may come to the same estimator at some points.
        cells = list({cell.key: cell for cell in plan.every if cell.key in missing}.values())
        missing.difference_update(cell.key for cell in cells)
        pending.append((plan, cells))
    return make_batches(pending, scores_asked(plans))


def _seconds(batch: Batch, expected: Mapping[Pair, float | None]) -> float:
    """Return how long a batch will take, infinity if that is unknown."""
    each = expected[batch.data[0], batch.method]
    return math.inf if each is None else each * len(batch.keys)


def _warm_up(batches: Sequence[Batch]) -> None:
    """Fit a tiny problem with each method, so that what loads on first use is off the clock."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 4)
    y = (X[:, 0] != X[:, 1]).astype(np.intp)
    for batch in {(batch.method, canonical(batch.params)): batch for batch in batches}.values():
        for points in (batch.points[:1], batch.points):
            try:
                for estimator in fit_points(replace(batch, points=points), X, y, X):
                    estimator.predict(X)
            except Exception as error:
                # What is wrong with a method shows in its own cells.
                raise_interrupt(error)
