"""Computing the cells of plans that are not stored yet."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from retree.experiments.definition.definitions import Execution
from retree.experiments.planning.keys import canonical
from retree.experiments.planning.plan import Cell, Datasets, Plan
from retree.experiments.running.batches import batch_size, make_batches, make_problem
from retree.experiments.running.compute import Batch, fit_points, raise_interrupt
from retree.experiments.running.execution import compute_all
from retree.experiments.running.expected_time import Speed
from retree.experiments.running.progress import RunProgress
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.pending import pending_cells, scores_asked
from retree.experiments.storing.store import Store
from retree.provenance import now, provenance


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes
    ----------
    planned, computed : int
        Cells of the plans, each counted once, and those that were computed now.
    failed : list of (Cell, str)
        The cells that raised, with their tracebacks.
    """

    planned: int
    computed: int
    failed: list[tuple[Cell, str]]


def run_plans(
    plans: Sequence[Plan], datasets: Datasets, store: Store, execution: Execution
) -> RunReport:
    """Compute every cell of `plans` that `store` does not have, and store it.

    Each finished batch is one transaction, so whatever ends the run, the next one goes on from
    there. Results do not depend on jobs, order or interruption.

    Parameters
    ----------
    plans : sequence of Plan
        A cell that several plans have in common is computed once.
    datasets : Datasets
        Their data sets.
    store : Store
        Where results are looked up and written.
    execution : Execution
        Where cells are computed.
    """
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    batches = _pending_batches(plans, store)
    if not batches:
        return RunReport(len(cells), 0, [])
    run = store.begin_run(now(), provenance())
    failed: list[tuple[Cell, str]] = []
    with closing(compute_batches(batches, datasets, store, execution)) as finished:
        for outcomes in finished:
            store.record(run, [(cells[o.key], o) for o in outcomes])
            failed += [(cells[o.key], o.error) for o in outcomes if o.error is not None]
    return RunReport(len(cells), sum(len(batch.keys) for batch in batches), failed)


def compute_batches(
    batches: Sequence[Batch], datasets: Datasets, store: Store, execution: Execution
) -> Generator[list[Outcome], None, None]:
    """Yield the outcomes of each batch as it is finished, in any order, and report progress.

    Parameters
    ----------
    batches : sequence of Batch
        What to compute; nothing is stored.
    datasets : Datasets
        Their data sets.
    store : Store
        Knows how long such cells took, so that the longest are begun first.
    execution : Execution
        Where they are computed.
    """
    names = {batch.dataset for batch in batches}
    problems = {name: make_problem(datasets.loaded[name]) for name in names}
    weights = {batch.keys[0]: batch_size(batch, problems) for batch in batches}
    pending = sum(len(batch.keys) for batch in batches)
    _warm_up(batches)
    ordered = _largest_first(batches, weights, Speed(store, datasets))
    with (
        RunProgress(pending, sum(weights.values())) as progress,
        closing(compute_all(ordered, problems, execution)) as finished,
    ):
        for outcomes in finished:
            yield outcomes
            errors = sum(outcome.error is not None for outcome in outcomes)
            progress.advance(len(outcomes), errors, weights[outcomes[0].key])


def _pending_batches(plans: Sequence[Plan], store: Store) -> list[Batch]:
    missing = {cell.key for cell in pending_cells(plans, store)}
    pending = []
    for plan in plans:
        cells = [cell for cell in plan.every if cell.key in missing]
        missing.difference_update(cell.key for cell in cells)
        pending.append((plan, cells))
    return make_batches(pending, scores_asked(plans))


def _largest_first(
    batches: Sequence[Batch], weights: Mapping[str, float], speed: Speed
) -> list[Batch]:
    """Return `batches` by expected time, those of unknown time before all others."""

    def cost(batch: Batch) -> tuple[float, float]:
        seconds = speed.seconds(batch.dataset, batch.method)
        known = math.inf if seconds is None else seconds * len(batch.keys)
        return known, weights[batch.keys[0]]

    return sorted(batches, key=cost, reverse=True)


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
