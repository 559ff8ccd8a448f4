"""Where batches are computed: in this process, in worker processes, or on a dask cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

import joblib

from retree.errors import RetreeError, unknown_name
from retree.experiments.definition.definitions import Execution
from retree.experiments.running.compute import Batch, Problem, compute_batch
from retree.experiments.storing.outcome import Outcome

BACKENDS = ("dask", "loky")


def compute_all(
    batches: Sequence[Batch], problems: Mapping[str, Problem], execution: Execution
) -> Generator[list[Outcome], None, None]:
    """Yield the outcomes of each batch as it is finished, in any order.

    Batches that are to run alone come first, one after the other, in this process.

    Raises
    ------
    RetreeError
        If a worker dies, or the backend is unavailable.
    """
    if execution.backend not in BACKENDS:
        raise unknown_name("backend", execution.backend, BACKENDS)
    serial = execution.backend == "loky" and jobs_of(execution) == 1
    alone = [batch for batch in batches if serial or batch.protocol.alone]
    yield from (compute_batch(problems[batch.dataset], batch) for batch in alone)
    batches = [batch for batch in batches if not (serial or batch.protocol.alone)]
    if not batches:
        return
    with _backend(execution):
        # One batch at a time: after a few quick ones joblib would send slow ones by the dozen.
        parallel = joblib.Parallel(
            n_jobs=execution.jobs, return_as="generator_unordered", batch_size=1
        )
        task = joblib.delayed(compute_batch)
        try:
            yield from parallel(task(problems[batch.dataset], batch) for batch in batches)
        except joblib.externals.loky.process_executor.BrokenProcessPool as error:
            raise RetreeError(
                "A worker process died, most likely for want of memory: what was finished is "
                "stored; run again with fewer jobs (-j N)."
            ) from error


def jobs_of(execution: Execution) -> int:
    """Return how many batches are computed at a time on this machine."""
    return joblib.effective_n_jobs(execution.jobs)


@contextmanager
def _backend(execution: Execution) -> Iterator[None]:
    if execution.backend == "loky":
        with joblib.parallel_config("loky", inner_max_num_threads=1):
            yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise RetreeError("The dask backend needs: pip install distributed") from error
    with Client(execution.address), joblib.parallel_config("dask"):
        yield
