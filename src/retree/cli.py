"""The command ``retree``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from retree import quickstart
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
from retree.showing import options as show_options
from retree.study.composing import compose, expand, quoted
from retree.study.folders import open_study

USAGE_ERROR, INTERRUPTED = 2, 130
OPTIONS = ("-j", "--jobs", "-m", "--multirun", "--report", "--show", "--study")

Command = Callable[[Experiment], int]

EXAMPLES = """\
examples:
  retree plan item=table2                         what is to be computed, and how long it takes
  retree run item=table2 --report                 compute Table 2 and render it
  retree run item=table2 datasets=[sonar,bupa]    two of its data sets only
  retree run dataset=sonar method.k=5             one method (method=NAME) on one data set
  retree run -m dataset=sonar method.omega2=0.01,0.02 method.k=2,5
                                                  your own sweep
  retree init my_study                            a study of your own; then retree check my_study
  retree run --report --study my_study item=all   compute and render it
  retree quickstart                               parts of all papers on real data
  retree show structure_purity table2 sonar gini  the folds behind a number

Everything after the options is a Hydra override of conf/config.yaml: paper=, item=, datasets=,
methods=, dataset=, method=, protocol=, execution=, preset=, data.sources=, results=, store=,
committed=.
"""


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
    args, overrides = _parser().parse_known_args(argv)
    try:
        if args.command != "site" and (study := getattr(args, "study", None)):
            overrides = _enter(study, args, overrides)
        if args.command == "data":
            _parser().parse_args(argv)
            return data_commands.run(args)
        if args.command in ("site", "overview"):
            _parser().parse_args(argv)
            return _build(args)
        if args.command == "quickstart":
            _parser().parse_args(argv)
            output = quickstart.Screen(_console(), tables=args.show, paths=args.report)
            return quickstart.run(args.results, args.jobs, output)
        if args.command in ("init", "check"):
            _parser().parse_args(argv)
            return _study(args)
        if args.command == "diff":
            return _diff(args, overrides)
        if args.command == "verify":
            _parser().parse_args(argv)
            return verify_command.run(args, _console())
        if args.command == "show":
            # Reports are slow to import.
            from retree.showing import command as showing

            _parser().parse_args(argv)
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


def _add_study(command: argparse.ArgumentParser) -> None:
    command.add_argument("--study", type=Path, metavar="DIR", help="a study's folder")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="retree",
        description="Regenerates the tables and figures of decision-tree papers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_quickstart(commands)
    for name, text in (("init", "write a small study that works"), ("check", "check a study")):
        commands.add_parser(name, help=text).add_argument("folder", type=Path, metavar="DIR")
    _add_experiments(commands)
    _add_rendered(commands)
    verify = commands.add_parser(
        "verify",
        help="recompute stored cells and compare",
        description=verify_command.DESCRIPTION,
        usage="retree verify [options] [ESTIMATOR ...] [NAME=VALUE ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verify_command.add_arguments(verify)
    _add_study(verify)
    data = commands.add_parser("data", help="list, fetch and verify the data sets")
    data_commands.add_arguments(data)
    return parser


def _add_quickstart(commands: Any) -> None:
    quick = commands.add_parser("quickstart", help="regenerate parts of all papers on real data")
    quick.add_argument("-j", "--jobs", type=int, default=-1, metavar="N", help="cells at a time")
    quick.add_argument("--results", type=Path, default=Path("results/quickstart"), metavar="DIR")
    quick.add_argument("--report", action="store_true", help="print the paths of the files too")
    quick.add_argument("--show", action="store_true", help="print the tables too")


def _add_experiments(commands: Any) -> None:
    """Add the commands that plan, run and render experiments."""
    texts = {
        "run": "compute the cells of an item, or of one method on one data set, that are missing",
        "plan": "show what is stored, stale or missing, and the expected time; computes nothing",
        "report": "render the tables and figures of an item from what is stored",
    }
    for name, text in texts.items():
        command = commands.add_parser(
            name,
            help=text,
            description=text.capitalize() + ".",
            epilog=EXAMPLES,
            usage=f"retree {name} [options] [NAME=VALUE ...]",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        _add_study(command)
        command.add_argument("-j", "--jobs", type=int, metavar="N", help="cells at a time; -1: all")
        command.add_argument(
            "-m", "--multirun", action="store_true", help="sweep over comma-separated values"
        )
        if name == "run":
            command.add_argument("--report", action="store_true", help="render afterwards")
        if name != "plan":
            command.add_argument("--show", action="store_true", help="render and print the tables")


def _add_rendered(commands: Any) -> None:
    """Add the commands on what is rendered."""
    diff = commands.add_parser(
        "diff",
        help="hold the results at hand against the committed ones",
        description=diff_options.DESCRIPTION,
        usage="retree diff [options] [NAME=VALUE ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    diff_options.add_arguments(diff)
    _add_study(diff)
    show = commands.add_parser(
        "show",
        help="show the folds behind a number in a table",
        description=show_options.DESCRIPTION,
        usage=show_options.USAGE,
        allow_abbrev=False,
    )
    show_options.add_arguments(show)
    _add_study(show)
    site = commands.add_parser("site", help="build a static site of what is rendered")
    site.add_argument("--output", type=Path, default=Path("site"), metavar="DIR")
    overview = commands.add_parser(
        "overview", help="draw all reproduced numbers against the published ones"
    )
    site.add_argument(
        "--study",
        type=Path,
        action="append",
        metavar="DIR",
        help="a rendered study that the site shows too; may be given several times",
    )
    _add_study(overview)
    for command in (site, overview):
        command.add_argument("--results", type=Path, default=Path("results"), metavar="DIR")


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
