"""Worker processes of this machine: they end with their parent, and a batch may have one alone.

As a script, this computes such a batch.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from queue import Empty
from typing import Any, TypeVar

import joblib
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from retree.errors import RetreeError
from retree_lab.experiments.running.compute import Batch, Problem, compute_batch, too_long
from retree_lab.experiments.storing.outcomes import Outcome
from retree_lab.scratch import make_scratch
from retree_lab.study.importing import know_packages, own_packages

WATCH_SECONDS = 0.5
# Cells run side by side: none of them needs threads of its own.
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")}
# Compiled code that does not see the alarm is ended so much later.
GRACE = 5.0
DIED = "its process died twice ({}), most likely out of memory: use fewer jobs (-j N)"
Item = TypeVar("Item")
Result = TypeVar("Result")


def start_worker(
    parent: int, folder: Path | None = None, packages: Mapping[str, str] | None = None
) -> None:
    """Make this process end when its `parent` is gone, and leave Ctrl-C to it.

    `packages`: `own_packages` of the parent, whose classes it may be handed.
    """
    know_packages(packages or {})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent, folder), daemon=True).start()


def _watch(parent: int, folder: Path | None) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


class Workers:
    """Some worker processes, and a folder that goes with them."""

    def __init__(self, jobs: int) -> None:
        self.jobs, self.folder = jobs, make_scratch()
        self._executor = self._make()

    def start(self) -> None:
        """Have them begin before they are needed."""
        self.submit(os.getpid)

    def close(self) -> None:
        """End them at once."""
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Have a function called; its result may be `BrokenProcessPool`."""
        # Workers inherit what is blocked: a Ctrl-C while they start is for the parent alone.
        with _sigint_blocked():
            future: Future[Result] = self._executor.submit(function, *arguments)
        return future

    def revive(self) -> None:
        """Take new processes in the place of broken ones."""
        self._end()
        self._executor = self._make()

    def _end(self) -> None:
        with _sigint_ignored():
            # Its thread drops waiting tasks, but not their numbers, and may then look for one.
            with suppress(Empty):
                while True:
                    self._executor._work_ids.get_nowait()
            self._executor.shutdown(wait=True, kill_workers=True)

    def _make(self) -> Any:
        given = os.getpid(), self.folder, own_packages()
        return ProcessPoolExecutor(self.jobs, initializer=start_worker, initargs=given, env=THREADS)


def in_workers(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    workers: Workers | None = None,
    size: Callable[[Item], float] = lambda item: 0,
) -> Iterator[Result]:
    """Yield `function` of each of `items` in order, by `jobs` processes; -1: one per core.

    `workers`: take these instead, and leave them running.
    `size`: of an item; large ones are begun first, so that none of them is left alone at the end.
    """
    jobs = min(joblib.effective_n_jobs(jobs), len(items))
    if jobs < 2:
        yield from map(function, items)
        return
    with nullcontext(workers) if workers else closing(Workers(jobs)) as those:
        order = sorted(range(len(items)), key=lambda i: size(items[i]), reverse=True)
        futures = {i: those.submit(_pickled, function, items[i]) for i in order}
        try:
            for i in range(len(items)):
                packages, content = futures[i].result()
                know_packages(packages)
                yield pickle.loads(content)
        except BrokenProcessPool as error:
            raise RetreeError(
                "A worker process died, most likely out of memory: run again with fewer jobs "
                "(-j N)."
            ) from error


def _pickled(function: Callable[[Item], Any], item: Item) -> tuple[dict[str, str], bytes]:
    """Return a result, pickled, after the packages of studies whose classes it may have."""
    result = function(item)
    return own_packages(), pickle.dumps(result)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _sigint_ignored() -> Iterator[None]:
    """Let a second Ctrl-C not interrupt the ending of workers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def compute_apart(problem: Problem, batch: Batch) -> list[Outcome]:
    """Return the outcomes of `batch` as `compute_batch` does; a process that dies is one, too."""
    limits, given = batch.limits, pickle.dumps((os.getpid(), problem, batch))
    most = None if limits.timeout is None else limits.timeout * len(batch.keys) + GRACE
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, **THREADS, "PYTHONPATH": path}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=given,
            stdout=subprocess.PIPE,
            timeout=most,
            env=environment,
        )
        code = done.returncode
    except subprocess.TimeoutExpired:
        code = -1
    if code == 0:
        outcomes: list[Outcome] = pickle.loads(done.stdout)
        return outcomes
    if len(batch.keys) > 1:
        return [outcome for cell in batch.singles for outcome in compute_apart(problem, cell)]
    if most is not None and time.monotonic() - began >= most:
        return [Outcome(batch.keys[0], error=too_long(limits))]
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return [Outcome(batch.keys[0], error=DIED.format(how))]


def main() -> None:
    """Compute the batch on standard input; the outcomes go where standard output went."""
    answer = os.dup(1)
    # What an estimator prints is no part of it.
    os.dup2(2, 1)
    parent, problem, batch = pickle.load(sys.stdin.buffer)
    start_worker(parent)
    with os.fdopen(answer, "wb") as file:
        pickle.dump(compute_batch(problem, batch), file)


if __name__ == "__main__":
    main()
