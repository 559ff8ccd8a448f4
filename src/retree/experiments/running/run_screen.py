"""What ``retree plan`` and ``retree run`` print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
from rich.console import Console

from retree.experiments.definition.item import Item
from retree.experiments.definition.method import load_method
from retree.experiments.planning.cell import Cell
from retree.experiments.planning.plan import Plan
from retree.experiments.running.expected_time import Expected
from retree.experiments.running.progress import duration
from retree.experiments.running.status import Status
from retree.experiments.storing.stale import Stale, stale_sentences
from retree.screen import print_table, say

SHOWN_FAILURES = 10


def print_plan(plan: Plan, status: Status, jobs: int, console: Console) -> None:
    """Print how many cells there are, are stored, are stale and why, and what is unavailable."""
    console.print(f"[bold]{plan.item.name}[/bold]: {plan.item.caption}")
    if plan.cells:
        _print_cells(plan, status, console)
    print_stale(status.stale, console)
    print_blanks(plan.left_out, console)
    print_summary(status, jobs, console)


def print_stale(stale: Stale, console: Console) -> None:
    """Print how many missing cells are there in another state, and what moved."""
    for sentence in stale_sentences(stale):
        say(sentence, console)


def print_summary(status: Status, jobs: int, console: Console) -> None:
    """Print how many cells are to be computed and how long that will take."""
    text = f"{status.planned.total()} cells, {status.missing} to compute"
    text += f" ({status.failed} failed before)" if status.failed else ""
    console.print(text + _time_text(status.missing, status.expected, jobs))


def print_blanks(reasons: Mapping[str, str], console: Console) -> None:
    """Print which data sets and methods of a plan are left out, and why."""
    for name, reason in reasons.items():
        say(f"left out: {name}: {reason}", console)


def print_pending(cells: int, expected: Expected, jobs: int, console: Console) -> None:
    """Print how long `cells` will take."""
    console.print(f"{cells:,} cells to compute{_time_text(cells, expected, jobs)}")


def _time_text(cells: int, expected: Expected, jobs: int) -> str:
    """Return how long a number of cells will take, as far as that is known."""
    text = ""
    if expected.unknown < cells:
        text += f", about {duration(expected.seconds / jobs)} with {jobs} jobs"
    if expected.unknown:
        text += f"; the time of {expected.unknown} is unknown, no such cell was computed yet"
    return text


def print_paths(paths: Iterable[Path], console: Console) -> None:
    """Print where files are."""
    for path in paths:
        say(f"  {path}", console)


def print_failures(failed: list[tuple[Cell, str]], console: Console) -> None:
    """Print the failed cells, those with the same error together."""
    console.print(f"{len(failed)} cells failed; the next run tries them again:", style="red")
    groups = Counter((c.method, c.dataset, error.strip().splitlines()[-1]) for c, error in failed)
    for (method, dataset, error), count in groups.most_common(SHOWN_FAILURES):
        say(f"  {method} on {dataset}, {count} cells: {error}", console)
    if len(groups) > SHOWN_FAILURES:
        console.print(f"  and {len(groups) - SHOWN_FAILURES} more kinds")


def print_single(item: Item, frame: pd.DataFrame, console: Console) -> None:
    """Print accuracy, depth and leaves of one method on one data set, mean ± std over folds."""
    done = frame[frame["status"] == "done"]
    method, (dataset,) = item.methods[0], item.datasets
    defaults = load_method(method.key, method.home).params
    shown = {n: v for n, v in method.params.items() if n in method.tune or v != defaults.get(n)}
    text = ", ".join([dataset, method.name, *(f"{name}={value}" for name, value in shown.items())])
    console.print(text, markup=False, highlight=False)
    for metric in ("accuracy", "depth", "leaves") if len(done) else ():
        mean, std = done[metric].mean(), done[metric].std()
        spread = f" ± {std:.4f} over {len(done)} folds" if len(done) > 1 else ""
        console.print(f"  {metric:<9}{mean:9.4f}{spread}", markup=False, highlight=False)


def _print_cells(plan: Plan, status: Status, console: Console) -> None:
    """Print how many cells of each method are stored on each data set."""
    methods = [m.key for m in plan.item.methods if m.key not in plan.unavailable]
    rows = [
        [name, *(f"{status.stored[name, m]}/{status.planned[name, m]}" for m in methods)]
        for name in plan.item.datasets
        if name not in plan.unavailable
    ]
    print_table(["stored/planned cells", *methods], rows, console)
