"""Worker processes of this machine that compute batches; each reads a data set once."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path

from joblib.externals.loky.process_executor import BrokenProcessPool

from retree.experiments.running.compute import Batch, Data, Problem, compute_batch
from retree.experiments.running.workers import Workers
from retree.experiments.storing.outcome import Outcome

# Batches of one data set are begun one after the other only where they take equally long.
KEPT = 64


class LostWorker(Exception):
    """A worker died before a batch was finished; `begun` says whether it may be the cause."""

    def __init__(self, begun: bool) -> None:
        super().__init__()
        self.begun = begun


class LocalPool:
    """Processes that share the data sets through files in a folder that goes with them."""

    def __init__(self, problems: Mapping[Data, Problem], jobs: int) -> None:
        self._problems, self._files = problems, dict[Data, Path]()
        self._workers = Workers(jobs)
        self._folder = self._workers.folder
        # A few more than there are processes, so that none waits while results are stored.
        self.capacity = 2 * jobs

    def close(self) -> None:
        """End all workers at once."""
        self._workers.close()

    def submit(self, batch: Batch) -> Future[list[Outcome]]:
        """Have a batch computed."""
        if (file := self._files.get(batch.data)) is None:
            file = self._files[batch.data] = self._folder / f"{len(self._files)}"
            file.write_bytes(pickle.dumps(self._problems[batch.data], protocol=5))
        try:
            return self._workers.submit(compute_shared, file, batch, self._mark(batch))
        except BrokenProcessPool as error:
            broken: Future[list[Outcome]] = Future()
            broken.set_exception(error)
            return broken

    def result(self, future: Future[list[Outcome]], batch: Batch) -> list[Outcome]:
        """Return the outcomes of a batch that is finished."""
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise LostWorker(self._mark(batch).exists()) from error

    def revive(self) -> None:
        """Take new processes; what the others were at has to be submitted again."""
        self._workers.revive()

    def _mark(self, batch: Batch) -> Path:
        """Return the file that is there while a batch is being computed."""
        return self._folder / batch.keys[0]


def compute_shared(file: Path, batch: Batch, mark: Path) -> list[Outcome]:
    """Return the outcomes of `batch`, whose data set is in a file of the parent.

    The file `mark` is there meanwhile, and stays if the process dies.
    """
    mark.touch()
    try:
        return compute_batch(_read(file), batch)
    finally:
        mark.unlink(missing_ok=True)


@lru_cache(maxsize=KEPT)
def _read(file: Path) -> Problem:
    problem: Problem = pickle.loads(file.read_bytes())
    return problem
