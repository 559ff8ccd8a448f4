"""The results at hand: rendered from the store, or computed anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from retree import reports
from retree.diffing.scope import Scope
from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Datasets, Plan, load_datasets, plan_item
from retree.experiments.results import results_frame
from retree.experiments.run import run_plans
from retree.experiments.store import Store


def render_at_hand(experiment: Experiment, scope: Scope, folder: Path, anew: bool) -> Datasets:
    """Write the tables of the scope's items below `folder`, and return the data sets.

    Parameters
    ----------
    experiment : Experiment
        Its ``results`` are the committed ones, which are left alone.
    scope : Scope
        What is asked for.
    folder : Path
        An empty folder; the tables are written to ``<folder>/<paper>``.
    anew : bool
        Whether to compute all cells into a store in `folder`, or to take those of the
        experiment's store.
    """
    about = replace(experiment, items=tuple(scope.asked.values()), results=folder)
    if anew:
        about = replace(about, store=folder / "cells.sqlite")
    datasets = load_datasets(about)
    plans = [plan_item(about, item, datasets) for item in about.items]
    if anew:
        with Store(about.store) as store:
            run_plans(plans, datasets, store, about.execution)
    with Store(about.store, readonly=True) as store:
        entries = [(plan, results_frame(plan, store)) for plan in plans]
        for plan, frame in entries:
            done = bool((frame["status"] == "done").any())
            if _has_tables(experiment.results / experiment.paper.name, plan, done):
                reports.render(about, plan.item, plan, frame, store)
        reports.write_page(about, entries, store)
    return datasets


def _has_tables(committed: Path, plan: Plan, done: bool) -> bool:
    """Whether an item has a csv; of one that was never rendered only rendering it can tell."""
    files = _files_of(committed, plan.item)
    if files:
        return any(path.suffix == ".csv" for path in files)
    return done or not plan.cells


def _files_of(committed: Path, item: Item) -> list[Path]:
    return [p for mark in "._" for p in committed.glob(f"{item.name}{mark}*")]
