"""How far a run is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from retree.experiments.storing.leases import LEASE_SECONDS, process_of

LINE_SECONDS = 15.0
# Finished batches, the first apart, that an estimate needs.
ENOUGH = 10


class RunProgress:
    """Report of a run's progress on stderr.

    `weight`: their total weight, the sum of what `advance` will be given.
    """

    def __init__(self, cells: int, weight: float) -> None:
        self.cells, self.weight = cells, weight
        self.finished, self.failed, self._weight = 0, 0, 0.0
        self._batches, self._first = 0, 0.0
        self._began = self._said = time.monotonic()
        self._bar = _bar() if sys.stderr.isatty() else None
        self._others = set[str]()

    def __enter__(self) -> RunProgress:
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task(self._text(), total=self.weight)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()
        if kind is not None:
            print(f"Stopped after {self._text()}.", file=sys.stderr)

    def advance(self, cells: int, failed: int, weight: float) -> None:
        """Note that `cells` more are finished, `failed` of them without a result."""
        self.finished, self.failed = self.finished + cells, self.failed + failed
        self._weight += weight
        self._batches += 1
        if self._batches == 1:
            self._began, self._first = time.monotonic(), weight
        if self._bar:
            self._bar.update(self._task, completed=self._weight, description=self._text())
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            print(f"{self._text()}{self._left()}", file=sys.stderr, flush=True)

    def drop(self, cells: int, weight: float) -> None:
        """Note that `cells` were computed by another run."""
        self.cells, self.weight = self.cells - cells, self.weight - weight
        if self._bar and cells:
            self._bar.update(self._task, total=self.weight, description=self._text())

    def wait(self, others: Mapping[str, str]) -> None:
        """Say, once for each other run, that it computes cells that this one waits for."""
        for owner in dict.fromkeys(others.values()):
            if owner not in self._others:
                self._others.add(owner)
                machine, process = process_of(owner)
                print(
                    f"Another run (process {process} on {machine}) is computing some of these "
                    "cells: this one computes the others, and waits for them. Cells of a run that "
                    f"is gone are taken over after {LEASE_SECONDS:.0f} s.",
                    file=sys.stderr,
                    flush=True,
                )

    def _left(self) -> str:
        """Return how long the rest will take, as soon as enough is finished to tell.

        Workers take seconds to start, so the clock starts with the first batch that is finished.
        """
        done = self._weight - self._first
        if self._batches < ENOUGH or done < self.weight / 100:
            return ""
        left = (self._said - self._began) * (self.weight - self._weight) / done
        return f", about {duration(left)} left"

    def _text(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.finished}/{self.cells} cells{failed}"


def duration(seconds: float) -> str:
    """Return `seconds` as a reader says it: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return Progress(*columns, *times, console=Console(stderr=True))
