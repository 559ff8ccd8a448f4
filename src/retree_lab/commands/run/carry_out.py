"""Experiments planned, computed and rendered, as ``retree plan``, ``run`` and ``report`` do."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

from retree.errors import RetreeError, as_usage
from retree_lab.commands.check import check_metrics
from retree_lab.commands.run import run_screen
from retree_lab.experiments.definition.config import load_sweep
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import cells_text
from retree_lab.experiments.running.execution import jobs_of
from retree_lab.experiments.running.run_plans import run_plans, score_stored
from retree_lab.experiments.storing.committed import CommittedCells
from retree_lab.experiments.storing.planned import Planned, plan_all
from retree_lab.experiments.storing.status import (
    find_stale,
    pending_cells,
    plan_status,
    stale_sentences,
)
from retree_lab.experiments.verifying.verified import unverified_plans
from retree_lab.reports.cells import find_losses, is_protected, to_local
from retree_lab.reports.files import csv_text, folder, rendered_items, write
from retree_lab.reports.fold_values import fold_table
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.paper_pages import write_item, write_page
from retree_lab.reports.summary import show_table, show_tables
from retree_lab.screen import say, say_all
from retree_lab.study.folders import PAPER, named
from retree_lab.study.importing import explained
from retree_lab.workspace import Workspace, open_workspace
from retree_lab.yaml_files import located


def carry_out(
    args: argparse.Namespace,
    contents: Sequence[Mapping[str, Any]],
    grid: Mapping[str, tuple[Any, ...]],
    texts: Sequence[str],
    console: Console,
) -> int:
    """Plan, compute or render the experiments that are composed, and return the exit code.

    `contents`: what is composed of each combination but those of `grid`, values of parameters.
    `texts`: the overrides that it is composed of.
    """
    with as_usage():
        experiments = [
            replace(experiment, overrides=tuple(texts)) for experiment in load_sweep(contents, grid)
        ]
        for experiment in experiments:
            _refuse_idle(experiment)
    command = {"plan": _plan, "run": _run, "report": _report}[args.command]
    return max(command(args, experiment, console) for experiment in experiments)


def _renders(args: argparse.Namespace) -> bool:
    asked = (getattr(args, name, None) for name in ("report", "show", "folds", "tex"))
    return args.command == "report" or any(asked)


def _refuse_idle(experiment: Experiment) -> None:
    """Refuse overrides of the single method, or of the protocol, where an item has its own."""
    configured = [experiment.paper.items.get(item.name, {}) for item in experiment.items]
    idle = [text for text in experiment.overrides if text.startswith(("protocol=", "protocol."))]
    if idle and not experiment.is_sweep and all(item.get("protocol") for item in configured):
        names = ", ".join(sorted({str(item["protocol"]) for item in configured}))
        raise RetreeError(
            f"{idle[0]} has no effect, since the items set their own protocol ({names}): change it "
            "there."
        )
    idle = [text for text in experiment.overrides if text.startswith(("method=", "method."))]
    if idle and not experiment.is_sweep:
        raise RetreeError(
            f"{idle[0]} has no effect on an item: restrict the item with methods=[NAME], or leave "
            "item= out to run one method with your own parameters."
        )


def _plan(args: argparse.Namespace, experiment: Experiment, console: Console) -> int:
    planned = _planned(experiment)
    jobs = jobs_of(experiment.execution)
    say_all(unverified_plans(planned.plans, experiment.committed), console)
    with open_workspace(planned, console) as workspace:
        store, speed = workspace.store, workspace.speed()
        for plan in planned.plans:
            status = plan_status([plan], store, speed, planned)
            run_screen.print_plan(plan, status, jobs, console)
        if len(planned.plans) > 1:
            # Items share cells, which are computed once.
            status = plan_status(planned.plans, store, speed, planned)
            run_screen.print_summary(status, jobs, console)
    return 0


def _run(args: argparse.Namespace, experiment: Experiment, console: Console) -> int:
    """Compute what is missing, and render if that is asked for."""
    planned = _planned(experiment)
    plans = planned.plans
    left_out = {name: why for plan in plans for name, why in plan.left_out.items()}
    run_screen.print_blanks(left_out, console)
    say_all(unverified_plans(plans, experiment.committed), console)
    with open_workspace(planned, console, readonly=False) as workspace:
        store = workspace.store
        if scored := score_stored(plans, planned.datasets, store):
            console.print(
                f"{cells_text(scored)} scored from stored predictions, without fitting again"
            )
        _announce(workspace, console)
        report = run_plans(
            plans, planned.datasets, store, experiment.execution, watch=run_screen.RunProgress
        )
        others = f", {report.elsewhere:,} by another run" if report.elsewhere else ""
        done = cells_text(report.computed)
        console.print(f"{done} computed{others}, {report.planned:,} planned")
        if planned.experiment.is_sweep:
            for context in workspace.item_reports():
                show_tables(context, console)
        if report.failed:
            run_screen.print_failures(report.failed, Console(stderr=True))
        rendered = render(args, workspace, console) if _renders(args) else 0
    return max(rendered, int(bool(report.failed)))


def _announce(workspace: Workspace, console: Console) -> None:
    """Print how many cells need computing and how long that will take."""
    if pending := pending_cells(workspace.plans, workspace.store):
        planned = workspace.planned
        expected = workspace.speed().expect(pending)
        jobs = jobs_of(planned.experiment.execution)
        stale = find_stale(planned.plans, pending, planned, workspace.store)
        say_all(stale_sentences(stale), console)
        run_screen.print_pending(len(pending), expected, jobs, console)


def _report(args: argparse.Namespace, experiment: Experiment, console: Console) -> int:
    with open_workspace(_planned(experiment), console) as workspace:
        return render(args, workspace, console)


def _planned(experiment: Experiment) -> Planned:
    with as_usage():
        try:
            planned = plan_all(experiment)
            file = None if experiment.is_sweep else experiment.paper.folder / PAPER
            for item in experiment.items:
                with located(file, ["items", item.name]):
                    check_metrics(item, planned.datasets)
        except RetreeError as error:
            _blame_override(error, experiment.overrides)
            raise
    return planned.with_data()


def _blame_override(error: RetreeError, overrides: Sequence[str]) -> None:
    """Raise an error about the value of a parameter as one about the override that gives it."""
    first: BaseException = error
    while first.__cause__ is not None:
        first = first.__cause__
    for text in overrides:
        name = text.partition("=")[0].rpartition(".")
        if first is not error and name[0] and re.search(rf"\b{re.escape(name[2])}\b", str(first)):
            raise RetreeError(f"{text}: {str(first).rstrip('.')}.") from error


def render(args: argparse.Namespace, workspace: Workspace, console: Console) -> int:
    """Render the items of an experiment and the pages on their paper; return the exit code.

    What is restricted, or configured otherwise, or lacks cells that are committed, is rendered
    below ``<results>/local``, unless another folder than that of the committed files is named. The
    pages on the paper are about all its items that are rendered: they are written where all of
    these are asked for. The paths of the files are printed.
    """
    experiment = workspace.planned.experiment
    contexts = workspace.item_reports()
    if why := _why_local(experiment, contexts, workspace.store.committed):
        local = to_local(experiment)
        if not experiment.is_sweep:
            say(
                f"{folder(experiment)} is left unchanged, since {why}. "
                f"The results are in {folder(local)}.",
                console,
            )
        experiment = local
        contexts = [replace(context, experiment=local) for context in contexts]
    if args.folds is not None:
        run_screen.print_paths([_write_folds(contexts, args.folds)], console)
    whole = [c for c in contexts if _is_rendered(c, console, args)]
    asked = {context.item.name for context in contexts}
    if experiment.is_sweep:
        # No page of the paper is about it.
        return int(len(whole) < len(contexts))
    if not asked.issuperset(rendered_items(folder(experiment), experiment.paper.items)):
        command = f"retree report {named(experiment.paper.name)} item=all"
        say(f"The pages on the whole paper are unchanged. To render all: {command}", console)
    elif whole:
        order = list(experiment.paper.items)
        whole.sort(key=lambda context: order.index(context.item.name))
        names = {context.item.name for context in whole}
        paths = sorted(
            (item for item in experiment.items if item.name in names),
            key=lambda item: order.index(item.name),
        )
        run_screen.print_paths(write_page(replace(experiment, items=tuple(paths)), whole), console)
    if whole and len(whole) < len(contexts):
        print("The other items were rendered.", file=sys.stderr)
    return int(len(whole) < len(contexts))


def _why_local(
    experiment: Experiment, contexts: Sequence[ItemReport], committed: CommittedCells
) -> str:
    """Return why the committed files must stay as they are, "" if they need not."""
    if not is_protected(experiment):
        return ""
    if not experiment.as_configured:
        return "the paper was run with changes"
    losses = find_losses(experiment, contexts, committed)
    lost = ", ".join(f"{count} cells of {name}" for name, count in losses.items())
    return f"{lost} are committed but not stored" if lost else ""


def _is_rendered(context: ItemReport, console: Console, args: argparse.Namespace) -> bool:
    """Render an item, and return if nothing went wrong; else it is said."""
    place = context.paper.folder / PAPER, ["items", context.item.name]
    try:
        with located(*place), explained(sys.modules[type(context.kind).__module__]):
            files = write_item(context, tex=args.tex)
            # The page of the paper is about them, too.
            _ = context.comparisons
    except RetreeError as error:
        print(error, file=sys.stderr)
        return False
    if args.show:
        show_table(context, files, console)
    else:
        run_screen.print_paths(files, console)
    return True


def _write_folds(contexts: Sequence[ItemReport], file: Path) -> Path:
    tables = [(context.item, fold_table(context)) for context in contexts]
    frames = [t.assign(item=i.name)[["item", *t.columns]] for i, t in tables if len(t)]
    if not frames:
        raise RetreeError(
            f"{file} is not written, since no cell of these items is stored: run them first."
        )
    return write(file, csv_text(pd.concat(frames, ignore_index=True)))
