"""A batch in a process of its own, which may die: as a script, that process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time

from retree_lab.experiments.running.compute import Batch, Problem, compute_batch
from retree_lab.experiments.running.enforcing import too_long
from retree_lab.experiments.running.workers import THREADS, start_worker
from retree_lab.experiments.storing.outcome import Outcome

# Compiled code that does not see the alarm is ended so much later.
GRACE = 5.0
DIED = (
    "its process died twice ({}), most likely for want of memory: fewer jobs (-j N) leave it more"
)


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
