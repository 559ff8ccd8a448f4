"""Experiments planned, computed and rendered, as ``retree plan``, ``run`` and ``report`` do."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from retree.errors import RetreeError, as_usage
from retree_lab.commands.run import run_screen
from retree_lab.experiments.definition.config import load_sweep
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import cells_text
from retree_lab.experiments.running.execution import jobs_of
from retree_lab.experiments.running.run_plans import run_plans, score_stored
from retree_lab.experiments.storing.planned import Planned, plan_all
from retree_lab.experiments.storing.status import find_stale, pending_cells, plan_status
from retree_lab.reports.summary import show_tables
from retree_lab.workspace import Workspace, open_workspace


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
            f"{idle[0]} has no effect, since the selected items set their own protocol ({names}): "
            "change it there."
        )
    idle = [text for text in experiment.overrides if text.startswith(("method=", "method."))]
    if idle and not experiment.is_sweep:
        raise RetreeError(
            f"{idle[0]} has no effect on an item: restrict it with methods=[NAME], or leave item "
            "out to run one method with parameters of your own."
        )


def _plan(args: argparse.Namespace, experiment: Experiment, console: Console) -> int:
    planned = _planned(experiment)
    jobs = jobs_of(experiment.execution)
    run_screen.print_unverified(planned.plans, experiment.committed, console)
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
    run_screen.print_unverified(plans, experiment.committed, console)
    with open_workspace(planned, console, readonly=False) as workspace:
        store = workspace.store
        if scored := score_stored(plans, planned.datasets, store):
            console.print(f"{cells_text(scored)} scored from stored predictions, without a fit")
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
        rendered = _render(args, workspace, console) if _renders(args) else 0
    return max(rendered, int(bool(report.failed)))


def _announce(workspace: Workspace, console: Console) -> None:
    """Print how many cells are to be computed and how long that will take."""
    if pending := pending_cells(workspace.plans, workspace.store):
        planned = workspace.planned
        expected = workspace.speed().expect(pending)
        jobs = jobs_of(planned.experiment.execution)
        stale = find_stale(planned.plans, pending, planned, workspace.store)
        run_screen.print_stale(stale, console)
        run_screen.print_pending(len(pending), expected, jobs, console)


def _report(args: argparse.Namespace, experiment: Experiment, console: Console) -> int:
    with open_workspace(_planned(experiment), console) as workspace:
        return _render(args, workspace, console)


def _render(args: argparse.Namespace, workspace: Workspace, console: Console) -> int:
    # Drawing is slow to import, and no other command draws.
    from retree_lab.commands.run.rendering import Wanted, render

    return render(workspace, console, Wanted(args.show, args.folds, args.tex))


def _planned(experiment: Experiment) -> Planned:
    with as_usage():
        try:
            planned = plan_all(experiment)
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
