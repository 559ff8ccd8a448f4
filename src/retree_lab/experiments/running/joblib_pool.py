"""Batches computed by a backend of joblib, by its name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import ExitStack

import joblib

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.running.apart import compute_apart
from retree_lab.experiments.running.compute import (
    Batch,
    Data,
    Problem,
    compute_batch,
    thread_libraries,
)
from retree_lab.experiments.storing.outcome import Outcome

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
                found = self._parallel(tasks)
        except Exception as error:
            # Cells have outcomes, not errors: where there is one the backend is at fault.
            raise RetreeError(
                f"joblib's backend {self._name} failed ({error}): what was finished is stored; run "
                "again to go on, or with execution.backend=loky."
            ) from error
        for (_, future), outcomes in zip(self._waiting, found, strict=True):
            future.set_result(outcomes)
        self._waiting.clear()

    def revive(self) -> None:
        """Nothing: a worker that dies ends the round."""
