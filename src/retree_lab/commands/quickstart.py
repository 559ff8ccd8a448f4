"""Regenerate parts of all papers on real data.

Each paper's quickstart.yaml says which parts are computed.
"""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track

from retree_lab import paths
from retree_lab.commands import add_jobs, add_results
from retree_lab.screen import say

if TYPE_CHECKING:
    from retree_lab.experiments.definition.definitions import Experiment
    from retree_lab.experiments.running.workers import Workers
    from retree_lab.experiments.storing.planned import Planned
    from retree_lab.reports.summary import PaperSummary

# By whether there is a Makefile, as in a clone.
NEXT = {
    True: (
        "Next:",
        "  make table2                        all of Table 2 of structure_purity",
        "  make all PAPER=latent_space        every table and figure of a paper",
        "  make help                          all targets",
    ),
    False: (
        "Next:",
        "  retree run --report item=table2                  all of Table 2 of structure_purity",
        "  retree run --report paper=latent_space item=all  every table and figure of a paper",
        "  retree init my_study                             a study of your own",
    ),
}


@dataclass(frozen=True)
class Screen:
    """The content to print, and where."""

    console: Console
    # Whether to print the tables, and the paths of all files, besides the summary.
    tables: bool = False
    paths: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_jobs(parser, -1)
    add_results(parser, "results/quickstart")
    parser.add_argument("--report", action="store_true", help="also print the paths of the files")
    parser.add_argument("--show", action="store_true", help="also print the tables")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Compute and render, and return the exit code."""
    return regenerate(args.results, args.jobs, Screen(console, args.show, args.report))


def regenerate(results: Path, jobs: int, screen: Screen) -> int:
    """Compute and render the quickstart items of all papers; return 0, or 1 if cells failed."""
    started, console = time.monotonic(), screen.console
    experiments = _experiments(results, jobs)
    code, summaries = _compute_and_render(experiments, screen)
    lines = _finish(results, summaries, time.monotonic() - started)
    say("\n".join(lines), console)
    return code


def _experiments(results: Path, jobs: int) -> list[Experiment]:
    from retree_lab.experiments.definition.config import load_experiment
    from retree_lab.study.available import available
    from retree_lab.study.composing import compose

    common = [f"execution.jobs={jobs}"]
    presets = [[f"preset={name}", *common] for name in available("preset")]
    experiments = [load_experiment(compose(preset)) for preset in presets]
    store = results / ".store"
    return [replace(experiment, results=results, store=store) for experiment in experiments]


def _compute_and_render(
    experiments: Sequence[Experiment], screen: Screen
) -> tuple[int, list[PaperSummary]]:
    from retree_lab.experiments.running.execution import jobs_of
    from retree_lab.experiments.running.workers import Workers

    jobs = jobs_of(experiments[0].execution)
    with closing(Workers(jobs)) if jobs > 1 else nullcontext() as workers:
        if workers:
            workers.start()
        screen.console.print("Loading the data sets and planning …")
        papers, failed = _compute(experiments, screen, workers)
        return int(failed), _render_all(papers, screen, workers)


def _compute(
    experiments: Sequence[Experiment], screen: Screen, workers: Workers | None
) -> tuple[list[Planned], bool]:
    """Compute the cells; return the plans, and whether any cell failed."""
    from retree_lab.commands.run.run_screen import RunProgress, print_blanks, print_failures
    from retree_lab.experiments.planning.plan import Datasets
    from retree_lab.experiments.running.run_plans import run_plans
    from retree_lab.experiments.storing.planned import plan_all
    from retree_lab.experiments.storing.store import Store

    papers = [plan_all(experiment) for experiment in experiments]
    every = Datasets(
        {name: data for some in papers for name, data in some.datasets.loaded.items()},
        {name: why for some in papers for name, why in some.datasets.lost.items()},
    )
    print_blanks(every.lost, screen.console)
    with Store(experiments[0].store) as store:
        plans = [plan for some in papers for plan in some.plans]
        report = run_plans(plans, every, store, experiments[0].execution, workers, RunProgress)
    if report.failed:
        print_failures(report.failed, Console(stderr=True))
    screen.console.print(
        f"{report.computed:,} of {report.planned:,} cells computed; writing the pages …"
    )
    return papers, bool(report.failed)


def _render_all(
    papers: Sequence[Planned], screen: Screen, workers: Workers | None
) -> list[PaperSummary]:
    """Write the pages of the papers: one after the other if tables or paths are printed."""
    from retree_lab.experiments.running.workers import in_workers

    if screen.tables or screen.paths:
        return [_render(planned, screen) for planned in papers]
    jobs = papers[0].experiment.execution.jobs
    pages = in_workers(_render, papers, jobs, workers, size=_n_cells)
    target = Console(stderr=True)
    return list(track(pages, "Pages", len(papers), console=target, disable=not target.is_terminal))


def _n_cells(planned: Planned) -> int:
    return sum(len(plan.cells) for plan in planned.plans)


def _render(planned: Planned, screen: Screen | None = None) -> PaperSummary:
    from retree_lab import reports
    from retree_lab.commands.run.run_screen import print_paths
    from retree_lab.experiments.storing.store import Store
    from retree_lab.reports.summary import summarise
    from retree_lab.workspace import Workspace

    entries, experiment = [], planned.experiment
    # All was computed here: nothing is restored.
    with Store(experiment.store, readonly=True) as store:
        contexts = Workspace(planned, store).item_reports()
    for context in contexts:
        files = reports.write_item(context)
        if screen and screen.tables:
            reports.show_table(context, files, screen.console)
        elif screen and screen.paths:
            print_paths(files, screen.console)
        entries.append((context, files))
    page, *_ = reports.write_page(experiment, contexts)
    return summarise(experiment, entries, page)


def _finish(results: Path, summaries: Sequence[PaperSummary], seconds: float) -> list[str]:
    """Write the page of all papers and return the lines of the summary."""
    from retree_lab.commands.run.run_screen import duration
    from retree_lab.reports.summary import ROUGH_RULE, summary_lines, write_index

    summaries = sorted(summaries, key=lambda summary: summary.place)
    cells = sum(summary.cells for summary in summaries)
    what = f"Parts of {len(summaries)} papers on real data, {cells:,} cells"
    index = write_index(results, summaries, [f"{what}.", ROUGH_RULE])
    return [
        *summary_lines(summaries),
        *textwrap.wrap(ROUGH_RULE, 80),
        f"{what}, in {duration(seconds)}.",
        f"Each paper: {results / '*' / 'README.md'}",
        f"All with pictures: {index.resolve().as_uri()}",
        *NEXT[(paths.project_dir() / "Makefile").is_file()],
    ]
