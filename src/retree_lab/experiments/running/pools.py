"""Where batches are computed at the same time: processes of this machine, or a dask cluster."""

from __future__ import annotations

import logging
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky.process_executor import BrokenProcessPool

from retree import __version__
from retree.errors import RetreeError, needs_extra
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.running.compute import Batch, Data, Problem, compute_batch
from retree_lab.experiments.running.workers import DIED, Workers, compute_apart
from retree_lab.experiments.storing.outcomes import Outcome

# Batches of one data set are begun one after the other only where they take equally long.
KEPT = 64


class LostWorker(Exception):
    """A worker died before a batch was finished; `begun` says whether it may be the cause."""

    def __init__(self, begun: bool) -> None:
        super().__init__()
        self.begun = begun


class LocalPool:
    """Processes that share the data sets through files in a folder that goes with them."""

    def __init__(
        self, problems: Mapping[Data, Problem], jobs: int, workers: Workers | None = None
    ) -> None:
        self._problems, self._files = problems, dict[Data, Path]()
        self._workers, self._is_shared = workers or Workers(jobs), workers is not None
        self._folder = self._workers.folder
        # A few more than there are processes, so that none waits while results are stored.
        self.capacity = 2 * jobs

    def close(self) -> None:
        """End all workers at once, unless they were given."""
        if not self._is_shared:
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

    def look(self) -> None:
        """Nothing: a process that dies ends what it was at."""

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


CONNECT_SECONDS = 5
# How often to ask for the number of workers, which may come and go.
COUNT_SECONDS = 2.0
# Each has a level of its own as dask sets them up.
_LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")


class DaskPool:
    """The workers of a dask cluster; a data set travels to each worker once."""

    def __init__(
        self,
        problems: Mapping[Data, Problem],
        execution: Execution,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._problems, self._data = problems, dict[Data, Any]()
        self._execution, self._counted, self._threads = execution, -COUNT_SECONDS, 1
        self._tell = tell
        self._stack = ExitStack()
        with needs_extra("the dask backend"):
            from distributed import Client
        # What goes wrong is said in a sentence.
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._client = self._stack.enter_context(_connected(Client, execution))
        self._executor = self._client.get_executor(pure=False)

    def close(self) -> None:
        """End all workers that were started for this."""
        # Of a scheduler that is gone there is nothing to close.
        self._client.timeout = 1
        with suppress(OSError):
            self._stack.close()

    @property
    def capacity(self) -> int:
        """Return the number of batches that may be pending: two for each thread of the workers."""
        self.look()
        return max(2, 2 * self._threads)

    def look(self) -> None:
        """Count the threads of the workers, and say so when there is no worker left."""
        if time.monotonic() - self._counted < COUNT_SECONDS:
            return
        self._counted, before = time.monotonic(), self._threads
        with self._explained():
            self._threads = sum(self._client.nthreads().values())
        if before and not self._threads:
            self._tell(
                f"The dask scheduler {self._address} has no worker: the run waits for one. Start "
                f"it with `dask worker {self._address}`, or end the run with Ctrl-C; what was "
                "finished is stored."
            )

    def submit(self, batch: Batch) -> Future[list[Outcome]]:
        """Have a batch computed."""
        with self._explained(), warnings.catch_warnings():
            # The scheduler keeps the data, so that they outlive a worker.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            if batch.data not in self._data:
                problem = self._problems[batch.data]
                self._data[batch.data] = self._client.submit(_keep, problem, pure=False)
            task = compute_apart if batch.limits else compute_batch
            future: Future[list[Outcome]] = self._executor.submit(
                task, self._data[batch.data], batch
            )
        return future

    def result(self, future: Future[list[Outcome]], batch: Batch) -> list[Outcome]:
        """Return the outcomes of a batch that is finished.

        Dask tries those of a worker that died elsewhere, and gives up after some times.
        """
        from distributed import KilledWorker

        try:
            with self._explained():
                return future.result()
        except (ImportError, AttributeError, TypeError) as error:
            raise RetreeError(
                f"A worker of {self._address} cannot read its cells ({error}), most likely since "
                f"its retree is another one: install {__version__} there, and start it again."
            ) from error
        except KilledWorker:
            if len(batch.keys) == 1:
                return [Outcome(batch.keys[0], error=DIED.format("on a dask worker"))]
            # Which of them was it?
            singles = [self.submit(cell) for cell in batch.singles]
            pairs = zip(singles, batch.singles, strict=True)
            return [outcome for one, cell in pairs for outcome in self.result(one, cell)]

    @property
    def _address(self) -> str:
        return self._execution.address or str(self._client.scheduler.address)

    def revive(self) -> None:
        """Nothing: dask starts workers again by itself."""

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from concurrent.futures import CancelledError

        from distributed.client import FutureCancelledError

        try:
            yield
        except Exception as error:
            # Cells have outcomes, not errors: where there is one the connection is at fault.
            lost = isinstance(error, CancelledError | FutureCancelledError | OSError)
            if not lost and self._client.status == "running":
                raise
            why = str(error) or type(error).__name__
            raise RetreeError(
                f"The dask scheduler {self._address} is gone ({why}): "
                "finished cells are stored; start it and run again to go on."
            ) from error


@contextmanager
def _connected(client: Any, execution: Execution) -> Iterator[Any]:
    """Yield a client of the cluster that `execution` names, or of one that is started for it."""
    with ExitStack() as stack:
        where: Any = execution.address
        if where is None:
            where = stack.enter_context(_cluster_here(joblib.effective_n_jobs(execution.jobs)))
        try:
            connected = stack.enter_context(client(where, timeout=CONNECT_SECONDS))
        except (ValueError, TypeError, OSError) as error:
            fix = (
                "its certificates come from dask's configuration, distributed.comm.tls"
                if str(where).startswith("tls:")
                else "name its address, as execution.address=tcp://HOST:8786"
            )
            raise RetreeError(
                f"No dask scheduler answers at {where!r} ({error}): start one with `dask "
                f"scheduler`; {fix}."
            ) from error
        yield connected


def _cluster_here(jobs: int) -> Any:
    from distributed import LocalCluster

    return LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=":0")


def _keep(problem: Problem) -> Problem:
    return problem
