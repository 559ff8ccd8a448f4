"""How far a run is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
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

LINE_SECONDS = 15.0


class RunProgress:
    """Report of a run's progress on stderr.

    Parameters
    ----------
    cells : int
        Cells to compute.
    weight : float
        Their total weight, the sum of what `advance` will be given.
    """

    def __init__(self, cells: int, weight: float) -> None:
        self.cells, self.weight = cells, weight
        self.finished, self.failed, self._weight = 0, 0, 0.0
        self._started = self._said = time.monotonic()
        self._bar = _bar() if sys.stderr.isatty() else None

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

    def advance(self, cells: int, failed: int, weight: float) -> None:
        """Note that `cells` more are finished, `failed` of them without a result."""
        self.finished, self.failed = self.finished + cells, self.failed + failed
        self._weight += weight
        if self._bar:
            self._bar.update(self._task, completed=self._weight, description=self._text())
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            left = (self._said - self._started) * (self.weight / self._weight - 1)
            print(f"{self._text()}, about {duration(left)} left", file=sys.stderr, flush=True)

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
