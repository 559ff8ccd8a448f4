"""The command ``retree``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from retree import quickstart
from retree.arguments import make_parser
from retree.datasets import commands as data_commands
from retree.diffing import options as diff_options
from retree.errors import RetreeError, UnknownNameError, unknown_name
from retree.experiments import screen, verify_command
from retree.experiments.config import load_experiment
from retree.experiments.definitions import Experiment
from retree.experiments.execution import jobs_of
from retree.experiments.forecast import forecast
from retree.experiments.machines import plan_all
from retree.experiments.pending import pending_cells
from retree.experiments.plan import Plan
from retree.experiments.progress import cells_text
from retree.experiments.rescoring import score_stored
from retree.experiments.restore import open_store
from retree.experiments.results import results_frame
from retree.experiments.run import run_plans
from retree.experiments.status import plan_status
from retree.experiments.store import Store
from retree.study.composing import compose, expand, quoted
from retree.study.folders import open_study

USAGE_ERROR, INTERRUPTED = 2, 130
OPTIONS = ("-j", "--jobs", "-m", "--multirun", "--report", "--show", "--study")

Command = Callable[[Experiment], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the command's name, by default those of the process.

    Returns
    -------
    int
        0; 1 if something failed; 2 if a name does not exist or the usage is wrong; 130 if
        interrupted.
    """
    args, overrides = make_parser().parse_known_args(argv)
    try:
        if args.command != "site" and (study := getattr(args, "study", None)):
            overrides = _enter(study, args, overrides)
        if args.command == "data":
            make_parser().parse_args(argv)
            return data_commands.run(args)
        if args.command in ("site", "overview"):
            make_parser().parse_args(argv)
            return _build(args)
        if args.command == "quickstart":
            make_parser().parse_args(argv)
            output = quickstart.Screen(_console(), tables=args.show, paths=args.report)
            return quickstart.run(args.results, args.jobs, output)
        if args.command in ("init", "check"):
            make_parser().parse_args(argv)
            return _study(args)
        if args.command == "diff":
            return _diff(args, overrides)
        if args.command == "verify":
            make_parser().parse_args(argv)
            return verify_command.run(args, _console())
        if args.command == "show":
            # Reports are slow to import.
            from retree.showing import command as showing

            make_parser().parse_args(argv)
            return showing.run(args, _console())
        command: Command = {"plan": _plan, "run": _run, "report": _report}[args.command]
        if args.command == "run" and (args.report or args.show):
            command = partial(_run_and_report, show=args.show)
        if args.command == "report":
            command = partial(_report, show=args.show)
        return _compose_and(command, args, overrides)
    except RetreeError as error:
        return _complain(error)
    except KeyboardInterrupt:
        print("Interrupted: what was finished is stored, run again to go on.", file=sys.stderr)
        return INTERRUPTED


def _study(args: argparse.Namespace) -> int:
    """Make a study, or check one."""
    # Checking loads whatever estimators need.
    from retree.study import checking

    if args.command == "init":
        print(*checking.init(args.folder), sep="\n")
        print(f"Go on with: retree run --report --study {args.folder} item=all")
        return 0
    for line in checking.check(args.folder):
        print(line, flush=True)
    return 0


def _enter(folder: Path, args: argparse.Namespace, overrides: list[str]) -> list[str]:
    """Open a study, and return the overrides that make its folder the place of its results."""
    name = open_study(folder)
    results = folder.resolve() / "results"
    places = {"results": results, "committed": results, "store": results / ".store/cells.sqlite"}
    defaults = {"paper": name} | {key: quoted(path) for key, path in places.items()}
    given = {text.partition("=")[0].lstrip("+") for text in overrides}
    own = [f"{key}={value}" for key, value in defaults.items() if key not in given]
    if args.command == "show":
        plain = [text for text in args.names if "=" not in text]
        args.names = [*([name] if len(plain) == 3 else []), *args.names, *own[1:]]
    if args.command == "verify":
        args.names = [*own, *args.names]
    if args.command == "overview" and args.results == Path("results"):
        args.results = results
    return [*own, *overrides]


def _build(args: argparse.Namespace) -> int:
    """Build the site, or draw the overview, from rendered results."""
    # Drawing is slow to import, and Sphinx need not be there for other commands.
    if args.command == "site":
        from retree.site import build_site

        print(build_site(args.results, args.output, args.study or ()))
        return 0
    from retree.reports.overview import write_overview
    from retree.reports.overview_page import write_overview_page

    print(*write_overview(args.results), write_overview_page(args.results), sep="\n")
    return 0


def _diff(args: argparse.Namespace, overrides: list[str]) -> int:
    # Drawing is slow to import, and reports are imported with it.
    from retree.diffing import command

    if options := [text for text in overrides if text.startswith("-")]:
        raise unknown_name("option", options[0], diff_options.OPTIONS)
    return command.run(args, overrides, _console())


def _compose_and(command: Command, args: argparse.Namespace, overrides: list[str]) -> int:
    """Compose one experiment, or with -m several, and run `command` on each."""
    if options := [text for text in overrides if text.startswith("-")]:
        raise unknown_name("option", options[0], OPTIONS)
    texts = [*overrides, *([] if args.jobs is None else [f"execution.jobs={args.jobs}"])]
    sweep = expand(texts) if args.multirun else [texts]
    experiments = [load_experiment(compose(some)) for some in sweep]
    for experiment in experiments:
        _refuse_idle(experiment, overrides)
    return max(command(experiment) for experiment in experiments)


def _complain(error: RetreeError) -> int:
    print(error, file=sys.stderr)
    return USAGE_ERROR if isinstance(error, UnknownNameError) else 1


def _refuse_idle(experiment: Experiment, overrides: Sequence[str]) -> None:
    """Refuse overrides of the single method where the methods are those of an item."""
    idle = [text for text in overrides if text.startswith(("method=", "method."))]
    if idle and experiment.items[0].kind is not None:
        raise RetreeError(
            f"{idle[0]} has no effect on an item: restrict it with methods=[NAME], or leave item "
            "out to run one method with parameters of your own."
        )


def _plan(experiment: Experiment) -> int:
    planned, console = plan_all(experiment).with_data(), _console()
    jobs = jobs_of(experiment.execution)
    screen.print_unverified(planned.plans, experiment.committed, console)
    with open_store(planned, console, readonly=True) as store:
        for plan in planned.plans:
            screen.print_plan(plan, plan_status([plan], store, planned.datasets), jobs, console)
        if len(planned.plans) > 1:
            # Items share cells, which are computed once.
            status = plan_status(planned.plans, store, planned.datasets)
            screen.print_summary(status, jobs, console)
    return 0


def _run(experiment: Experiment) -> int:
    planned, console = plan_all(experiment).with_data(), _console()
    plans = planned.plans
    left_out = {name: why for plan in plans for name, why in plan.left_out.items()}
    screen.print_blanks(left_out, console)
    screen.print_unverified(plans, experiment.committed, console)
    with open_store(planned, console) as store:
        if scored := score_stored(plans, planned.datasets, store):
            console.print(f"{cells_text(scored)} scored from stored predictions, without a fit")
        if plans[0].item.kind is not None:
            _announce(experiment, plans, store, console)
        report = run_plans(plans, planned.datasets, store, experiment.execution)
        if plans[0].item.kind is None:
            screen.print_single(plans[0].item, results_frame(plans[0], store), console)
    if plans[0].item.kind is not None:
        console.print(f"{cells_text(report.computed)} computed, {report.planned:,} planned")
    if report.failed:
        screen.print_failures(report.failed, Console(stderr=True))
    return int(bool(report.failed))


def _announce(
    experiment: Experiment, plans: Sequence[Plan], store: Store, console: Console
) -> None:
    """Print how many cells are to be computed and how long that will take."""
    pending = pending_cells(plans, store)
    if pending:
        seconds = forecast(experiment.paper.name, plans, pending)
        screen.print_forecast(len(pending), seconds, jobs_of(experiment.execution), console)


def _report(experiment: Experiment, show: bool = False) -> int:
    # Drawing is slow to import, and no other command draws.
    from retree.reports import command

    return command.run(experiment, _console(), show=show)


def _run_and_report(experiment: Experiment, show: bool = False) -> int:
    code = _run(experiment)
    return max(code, _report(experiment, show))


def _console() -> Console:
    # A pipe has no width: tables should not be cut.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)
