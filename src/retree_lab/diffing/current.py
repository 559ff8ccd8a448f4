"""The current results: rendered from the store, or computed anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from retree_lab import reports
from retree_lab.diffing.result_folders import PaperDiff, TableDiff
from retree_lab.diffing.scope import Scope
from retree_lab.diffing.tables import compare_lines
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.plan import Datasets
from retree_lab.experiments.running.run_plans import Watch, run_plans
from retree_lab.experiments.storing.planned import plan_all, with_committed_cells
from retree_lab.experiments.storing.status import find_stale, pending_cells, stale_sentences
from retree_lab.experiments.storing.store import Store
from retree_lab.experiments.verifying.verified import unverified_exports, unverified_plans
from retree_lab.reports.overview import write_overview, write_overview_page
from retree_lab.screen import say
from retree_lab.workspace import open_workspace

OVERVIEW = "README.md"


def compare_overview(results: Path) -> PaperDiff:
    """Return how the pages and pictures on all papers differ from what the tables give."""
    with TemporaryDirectory() as temporary:
        current = Path(temporary)
        write_overview(results, current)
        write_overview_page(results, current)
        diff = PaperDiff("overview", exact=True)
        files = sorted(current.iterdir())
        diff.n_pages = len(files)
        for path in files:
            old, new = (f.read_text() if f.exists() else "" for f in (results / path.name, path))
            changes = list(compare_lines(path.name, old, new, (), diff.skipped))
            diff.tables += [TableDiff(path.name, 0, changes)] if changes else []
    diff.unverified = unverified_exports("", results)
    return diff


def render_current(
    experiment: Experiment,
    scope: Scope,
    folder: Path,
    anew: bool,
    console: Console,
    watch: type[Watch],
) -> Datasets:
    """Write what the scope's items show below `folder`, and return the data sets.

    `folder`: an empty folder; the files are written to ``<folder>/<paper>``.
    `anew`: whether to compute all cells into a store in `folder`, or to take those of the
    experiment's store.
    `watch`: follows what is computed.
    """
    about = replace(experiment, items=tuple(scope.asked.values()), results=folder)
    # Of replicates the chosen points are computed anew, as they are committed, not the grid.
    planned = plan_all(about)
    if anew:
        about = replace(about, store=folder / "cells.sqlite", committed=None)
        planned = replace(planned, experiment=about)
    else:
        planned = with_committed_cells(planned)
    _say_all(unverified_plans(planned.plans, experiment.committed), console)
    if anew:
        with Store(about.store) as store:
            run_plans(planned.plans, planned.datasets, store, about.execution, watch=watch)
    with open_workspace(planned, console) as workspace:
        pending = pending_cells(workspace.plans, workspace.store)
        stale = find_stale(workspace.plans, pending, planned, workspace.store)
        _say_all(stale_sentences(stale), console)
        # Numbers of a part are judged by the committed tables.
        judging = replace(about, committed=experiment.results)
        contexts = [replace(c, experiment=judging) for c in workspace.item_reports()]
    committed = experiment.results / experiment.paper.name
    # Of a part, pages and pictures are others.
    pictures = scope.complete and not anew
    for context in contexts:
        done = bool((context.frame["status"] == "done").any())
        # An item of which nothing is computed has tables if it had some.
        if done or not context.plan.cells or any(committed.glob(f"{context.item.name}*.csv")):
            reports.write_item(context, pictures=pictures)
    reports.write_page(about, contexts, numbers_only=not pictures)
    return planned.datasets


def _say_all(sentences: Iterable[str], console: Console) -> None:
    for sentence in sentences:
        say(sentence, console)
