"""The screen of ``retree plan`` and ``retree run``, and how far a run is.

That is a bar on a terminal, and a line now and then elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text

from retree_lab.experiments.planning.keys import Cell, cells_text
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.running.run_plans import Watch
from retree_lab.experiments.storing.status import Expected, Forecast, Status, stale_sentences
from retree_lab.screen import print_table, say, say_all

SHOWN_FAILURES = 10
LINE_SECONDS = 15.0
# Finished batches, the first apart, that an estimate needs.
ENOUGH = 10


def print_plan(plan: Plan, status: Status, jobs: int, console: Console) -> None:
    """Print how many cells there are, are stored, are stale and why, and what is unavailable."""
    console.print(f"[bold]{plan.item.name}[/bold]: {plan.item.caption}")
    if plan.cells:
        _print_cells(plan, status, console)
    say_all(stale_sentences(status.stale), console)
    print_blanks(plan.left_out, console)
    print_summary(status, jobs, console)


def print_summary(status: Status, jobs: int, console: Console) -> None:
    """Print how many cells need computing and how long that will take."""
    text = f"{cells_text(status.planned.total())}, {status.missing:,} to compute"
    text += f" ({status.failed} failed before)" if status.failed else ""
    console.print(text + _time_text(status.missing, status.expected, jobs))


def print_blanks(reasons: Mapping[str, str], console: Console) -> None:
    """Print which data sets and methods of a plan are left out, and why."""
    say_all((f"left out: {name}: {reason}" for name, reason in reasons.items()), console)


def print_pending(cells: int, expected: Expected, jobs: int, console: Console) -> None:
    """Print how long `cells` will take."""
    console.print(f"{cells_text(cells)} to compute{_time_text(cells, expected, jobs)}")


def _time_text(cells: int, expected: Expected, jobs: int) -> str:
    """Return how long a number of cells will take, as far as that is known."""
    text = ""
    if expected.unknown < cells:
        text += f", {about(expected.seconds / jobs)} with {jobs} jobs"
    if expected.unknown:
        rest = f" for {expected.unknown:,} of them" if text else ""
        text += f"; no time estimate yet{rest}"
    return text


def print_paths(paths: Iterable[Path], console: Console) -> None:
    """Print where files are."""
    say_all((f"  {path}" for path in paths), console)


def print_failures(failed: list[tuple[Cell, str]], console: Console) -> None:
    """Print the failed cells, those with the same error together."""
    console.print(
        f"{len(failed)} cells failed and will be tried again in the next run:", style="red"
    )
    groups = Counter((c.method, c.dataset, error.strip().splitlines()[-1]) for c, error in failed)
    for (method, dataset, error), count in groups.most_common(SHOWN_FAILURES):
        say(f"  {method} on {dataset}, {cells_text(count)}: {error}", console)
    if len(groups) > SHOWN_FAILURES:
        console.print(f"  and {len(groups) - SHOWN_FAILURES} other errors")


def _print_cells(plan: Plan, status: Status, console: Console) -> None:
    """Print how many cells of each method are stored on each data set."""
    methods = [m.key for m in plan.item.methods if m.key not in plan.unavailable]
    rows = [
        [name, *(f"{status.stored[name, m]}/{status.planned[name, m]}" for m in methods)]
        for name in plan.item.datasets
        if name not in plan.unavailable
    ]
    print_table(["stored/planned cells", *methods], rows, console)


class RunProgress(Watch):
    """Report of a run's progress on stderr."""

    def __init__(self, forecast: Forecast) -> None:
        super().__init__(forecast)
        self._batches, self._first = 0, 0.0
        self._began = self._said = self._opened = time.monotonic()
        self._bar = _bar(self) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task(self._text(), total=self._forecast.cells)
        return self

    def __exit__(self, kind: object = None, *_: object) -> None:
        if self._bar:
            self._bar.stop()
        if kind is not None:
            print(f"Stopped after {self._text()}.", file=sys.stderr)

    def advance(self) -> None:
        """Note that a batch is finished."""
        self._batches += 1
        if self._batches == 1:
            self._began, self._first = time.monotonic(), self._forecast.measured
        if self._bar:
            finished = self._forecast.finished
            self._bar.update(self._task, completed=finished, description=self._text())
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            self.tell(f"{self._text()} · {self.times()}")

    def drop(self) -> None:
        """Note that another run has computed some cells."""
        if self._bar:
            self._bar.update(self._task, total=self._forecast.cells, description=self._text())

    def times(self) -> str:
        """Return which share of the cells is finished, since when, and how long the rest will take.

        The last is said as soon as enough is finished to tell. Workers take seconds to start, so
        its clock starts with the first batch that is finished.
        """
        now, forecast = time.monotonic(), self._forecast
        done = forecast.measured - self._first
        percent = 100 * forecast.finished // max(forecast.cells, 1)
        text = f"{percent} % · {duration(now - self._opened)} so far"
        if self._batches < ENOUGH or done <= 0 or forecast.finished >= forecast.cells:
            return text
        fits, unknown = forecast.left()
        left = (now - self._began) * fits / done
        return f"{text} · {f'at least {duration(left)}' if unknown else about(left)} left"

    def _text(self) -> str:
        forecast = self._forecast
        failed = f", {forecast.failed} failed" if forecast.failed else ""
        return f"{forecast.finished}/{forecast.cells} cells{failed}"


def duration(seconds: float) -> str:
    """Return `seconds` as a reader says it: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def about(seconds: float) -> str:
    """Return an estimate of `seconds` as a reader says it."""
    return "less than a second" if seconds < 1 else f"about {duration(seconds)}"


class _Times(ProgressColumn):
    """The times of a run as text, anew at each refresh."""

    def __init__(self, progress: RunProgress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:
        return Text(self._progress.times())


def _bar(progress: RunProgress) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), _Times(progress)
    return Progress(*columns, console=Console(stderr=True))
