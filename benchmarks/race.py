"""Shared by the benchmarks: one thread, fits in turn, and a table of ratios.

Times are CPU times of the fastest of several fits, which a busy machine affects least.
Import this before numpy: it sets the number of threads.
"""

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import gc  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from typing import Any  # noqa: E402

ROW = "{:<40} {:>11} {:>11} {:>7}  {:<9}{}"


def fastest(
    models: Sequence[Any],
    X: Any,
    y: Any,
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Return the seconds of the fastest fit of each of `models`, by `clock`; they take turns."""
    seconds: list[list[float]] = [[] for _ in models]
    for _ in range(repeats):
        for model, times in zip(models, seconds, strict=True):
            gc.collect()
            start = clock()
            model.fit(X, y)
            times.append(clock() - start)
    return [min(times) for times in seconds]


def print_head() -> None:
    """Print the head of the table."""
    print(ROW.format("", "first", "second", "ratio", "target", "leaves"))


def print_row(name: str, numbers: Sequence[float], unit: str, target: str, leaves: str) -> None:
    """Print two numbers and their ratio beside the target."""
    first, second = numbers
    ratio = f"{first / second:.2f}"
    print(ROW.format(name, f"{first:.3f} {unit}", f"{second:.3f} {unit}", ratio, target, leaves))


def compare(name: str, first: Any, second: Any, X: Any, y: Any, repeats: int, target: str) -> None:
    """Print the times of two estimators on the same data, and how large their trees are."""
    seconds = fastest([first, second], X, y, repeats)
    leaves = f"{first.get_n_leaves()} / {second.get_n_leaves()}"
    print_row(name, seconds, "s", target, leaves)
