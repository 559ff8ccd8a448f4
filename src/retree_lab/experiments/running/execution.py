"""Where batches are computed: in this process, or by the backend that the execution names."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack

import joblib

from retree.errors import RetreeError
from retree_lab.experiments.definition.config import DASK, LOKY
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.running.compute import (
    Batch,
    Data,
    Problem,
    compute_batch,
    thread_libraries,
)
from retree_lab.experiments.running.pools import DaskPool, LocalPool, LostWorker
from retree_lab.experiments.running.workers import Workers, compute_apart
from retree_lab.experiments.storing.outcomes import Outcome

# More of them wait less for the last one of a round; results are stored after each round.
BATCHES_PER_JOB = 4


class JoblibPool:
    """A pool that computes in rounds, during which this process waits."""

    def __init__(self, problems: Mapping[Data, Problem], execution: Execution) -> None:
        self._problems, self._name = problems, execution.backend
        self._waiting: list[tuple[Batch, Future[list[Outcome]]]] = []
        self._stack = ExitStack()
        with joblib.parallel_config(backend=self._name):
            self.capacity = BATCHES_PER_JOB * joblib.effective_n_jobs(execution.jobs)
            self._parallel = self._stack.enter_context(joblib.Parallel(execution.jobs))

    def close(self) -> None:
        """End the workers."""
        self._stack.close()

    def submit(self, batch: Batch) -> Future[list[Outcome]]:
        """Have a batch computed in the next round."""
        future: Future[list[Outcome]] = Future()
        self._waiting.append((batch, future))
        return future

    def result(self, future: Future[list[Outcome]], batch: Batch) -> list[Outcome]:
        """Return the outcomes of a batch that is finished."""
        return future.result()

    def look(self) -> None:
        """Compute what waits."""
        if not self._waiting:
            return
        tasks = [
            joblib.delayed(compute_apart if b.limits else compute_batch)(self._problems[b.data], b)
            for b, _ in self._waiting
        ]
        try:
            # Set once for all threads of this process: each of them would set back the others'.
            with thread_libraries(len(sys.modules)).limit(limits=1):
                results = self._parallel(tasks)
        except Exception as error:
            # Cells have outcomes, not errors: where there is one the backend is at fault.
            raise RetreeError(
                f"joblib's backend {self._name} failed ({error}): finished cells are stored; run "
                "again to go on, or with execution.backend=loky."
            ) from error
        for (_, future), outcomes in zip(self._waiting, results, strict=True):
            future.set_result(outcomes)
        self._waiting.clear()

    def revive(self) -> None:
        """Nothing: a worker that dies ends the round."""


# How often to ask for what another run has left.
ASK_SECONDS = 0.5
# How often to look whether there are workers for what is running.
LOOK_SECONDS = 1.0
Running = dict[Future[list[Outcome]], Batch]
Pool = LocalPool | DaskPool | JoblibPool


def compute_all(
    batches: Iterable[Batch | None],
    problems: Mapping[Data, Problem],
    execution: Execution,
    workers: Workers | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Generator[list[Outcome], None, None]:
    """Yield the outcomes of each batch as it is finished, in any order.

    Batches that are timed should come first: they wait for all others that are running.
    The batches of a worker that died are computed once more, each in a process of its own.
    `workers`: processes of this machine to take, which are left running.
    `tell`: called with a sentence on what is waited for.
    """
    serial = execution.backend == LOKY and jobs_of(execution) == 1
    running: Running = {}
    with ExitStack() as stack:
        pool: Pool | None = None
        for batch in batches:
            if batch is None:
                time.sleep(0 if running else ASK_SECONDS)
                yield from _finished(running, pool, problems, ASK_SECONDS)
            elif batch.protocol.timed or (serial and not batch.limits):
                while running:
                    yield from _finished(running, pool, problems)
                yield compute_batch(problems[batch.data], batch)
            else:
                if pool is None:
                    pool = _open_pool(problems, execution, workers, tell)
                    stack.callback(pool.close)
                while len(running) >= pool.capacity:
                    yield from _finished(running, pool, problems)
                running[pool.submit(batch)] = batch
        while running:
            yield from _finished(running, pool, problems)


def jobs_of(execution: Execution) -> int:
    """Return how many batches are computed at a time, of dask what this machine would do."""
    return joblib.effective_n_jobs(execution.jobs)


def _open_pool(
    problems: Mapping[Data, Problem],
    execution: Execution,
    workers: Workers | None,
    tell: Callable[[str], None],
) -> Pool:
    if execution.backend == LOKY:
        return LocalPool(problems, jobs_of(execution), workers)
    if execution.backend == DASK:
        return DaskPool(problems, execution, tell)
    return JoblibPool(problems, execution)


def _finished(
    running: Running,
    pool: Pool | None,
    problems: Mapping[Data, Problem],
    timeout: float | None = None,
) -> Iterator[list[Outcome]]:
    """Wait, and yield the outcomes of the batches that have ended."""
    if pool is None or not running:
        return
    pool.look()
    while not (done := wait(running, timeout or LOOK_SECONDS, FIRST_COMPLETED).done):
        if timeout is not None:
            return
        pool.look()
    lost: dict[bool, list[Batch]] = {True: [], False: []}
    while done:
        future = done.pop()
        batch = running.pop(future)
        try:
            outcomes = pool.result(future, batch)
        except LostWorker as error:
            lost[error.begun].append(batch)
            # All that its workers were at is gone with one of them.
            done = set(running)
        else:
            yield outcomes
    if any(lost.values()):
        pool.revive()
    for batch in lost[False]:
        running[pool.submit(batch)] = batch
    for batch in lost[True]:
        yield compute_apart(problems[batch.data], batch)
