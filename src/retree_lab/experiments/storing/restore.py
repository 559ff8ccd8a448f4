"""A store that lacks no committed cell: what others computed is not computed again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rich.console import Console

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.cell import cells_text
from retree_lab.experiments.storing.exports import PROVENANCE, Export, export_folders
from retree_lab.experiments.storing.store import Store
from retree_lab.screen import say


@contextmanager
def open_store(
    experiment: Experiment, console: Console | None = None, *, readonly: bool = True
) -> Iterator[Store]:
    """Open the experiment's store after taking in its paper's committed cells, and say so.

    Those of other papers follow once a cell is not among them.

    `console`: where that is said, by default on stderr.
    `readonly`: whether no run is to write into it.
    """
    folders = export_folders(experiment.committed, experiment.paper.name)
    tell = partial(_say, console or Console(stderr=True))
    with Store(experiment.store, readonly=readonly, committed=folders, tell=tell) as store:
        store.take_in([folder for folder in folders if folder.name == experiment.paper.name])
        yield store


def _say(console: Console, export: Export) -> None:
    """Say how many cells were taken in, and who computed them."""
    count = sum(len(columns["key"]) for columns in export.tables.values())
    platforms = sorted({f"{run.get('platform')}, {run.get('cpu')}" for run in export.runs})
    commits = sorted({f"commit {str(run.get('commit') or 'none')[:12]}" for run in export.runs})
    days = sorted({run["started"][:10] for run in export.runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else "no day"
    several = max(len(platforms), len(commits)) > 1
    say(
        f"{cells_text(count)} restored from {export.folder}: computed on "
        f"{_one_or_count(platforms, 'platforms')} at {_one_or_count(commits, 'commits')}, {when}"
        f"{f'; {PROVENANCE} names them' if several else ''}.",
        console,
    )


def _one_or_count(found: Sequence[str], what: str) -> str:
    return found[0] if len(found) == 1 else f"{len(found)} {what}"
