"""What a cell costs besides its fit, here and on a dask cluster, as Markdown."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "experiments"))

CELLS, WAIT = 200, 0.05


def measure() -> str:
    """Return the overhead of a cell, the bytes of a task and the efficiency of two workers."""
    import toy_benchmark as toy

    from retree_lab.experiments.running.batches import make_batches, make_problem
    from retree_lab.experiments.running.pools import LocalPool

    toy.register()
    problems = {(d.name, d.sha256): make_problem(d) for d in toy.make_datasets().every}

    def batches(wait: float) -> list[Any]:
        plan = toy.make_plan(toy.make_experiment(wait=wait))
        singles = [one for batch in make_batches([(plan, plan.cells)]) for one in batch.singles]
        return (singles * (CELLS // len(singles) + 1))[:CELLS]

    quick, slow = batches(0.0), batches(WAIT)
    local = _seconds(lambda: LocalPool(problems, 1), quick)
    two = _seconds(lambda: LocalPool(problems, 2), slow)
    task = sum(len(pickle.dumps(batch)) for batch in quick) / len(quick)
    data = len(pickle.dumps(next(iter(problems.values()))))
    lines = [
        f"- A cell of {local['alone'] * 1e3:.1f} ms costs {_more(local)} in a worker process of "
        "this machine (loky).",
        _dask(problems, quick),
        f"- A task is {task:,.0f} bytes; the data set, {data:,} bytes here, is read once by each "
        "worker.",
        f"- {CELLS} cells of {WAIT:g} s on two workers: {CELLS * WAIT / 2 / two['wall']:.0%} of "
        "what two workers could do at best.",
    ]
    return "\n".join(lines)


def _dask(problems: Any, quick: Iterable[Any]) -> str:
    try:
        import distributed  # noqa: F401
    except ImportError:
        return "- dask: not measured, since distributed is not installed."
    from retree_lab.experiments.definition.definitions import Execution
    from retree_lab.experiments.running.pools import DaskPool

    seconds = _seconds(lambda: DaskPool(problems, Execution("dask", "dask", 1)), quick)
    return f"- On a dask cluster of one worker, {_more(seconds)}."


def _more(seconds: dict[str, float]) -> str:
    """Return what a cell costs besides, which is lost in the noise of a busy machine."""
    return f"{seconds['extra'] * 1e3:.1f} ms more" if seconds["extra"] > 0 else "no more that shows"


def _seconds(make: Callable[[], Any], batches: Iterable[Any]) -> dict[str, float]:
    """Return seconds for each batch in this process and besides that in a pool, and of the pool."""
    from retree_lab.experiments.running.compute import compute_batch

    pool, every = make(), list(batches)
    try:
        pool.submit(every[0]).result()
        began = time.perf_counter()
        for future in [pool.submit(batch) for batch in every]:
            future.result()
        wall = time.perf_counter() - began
        began = time.perf_counter()
        for batch in every[:20]:
            compute_batch(pool._problems[batch.data], batch)
        alone = (time.perf_counter() - began) / 20
    finally:
        pool.close()
    return {"alone": alone, "extra": wall / len(every) - alone, "wall": wall}


if __name__ == "__main__":
    print(measure())
