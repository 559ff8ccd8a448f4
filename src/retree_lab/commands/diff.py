"""Compare your results with the committed ones.

Your results are rendered from the store, and the committed ones are read from results/. Every entry
of every table is compared and, for a whole paper, every page and picture. Committed cells must also
be those that retree verify has checked. Without paper=, all papers with committed results are
compared. The exit code is 0 if nothing has changed, 1 if something has, 2 if the usage is wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from rich.console import Console

from retree.errors import RetreeError, UnknownNameError
from retree_lab.commands import add_jobs, add_study, check_overrides, enter_study, take_overrides
from retree_lab.commands.bundle import unpack_bundle
from retree_lab.commands.run.run_screen import RunProgress
from retree_lab.diffing import scope as scopes
from retree_lab.diffing.result_folders import (
    OVERVIEW,
    PaperDiff,
    compare_folders,
    compare_overview,
    render_current,
)
from retree_lab.diffing.sentences import add_entry, cell_name, print_paper, verdict_line
from retree_lab.experiments.running.workers import in_workers
from retree_lab.experiments.storing.exports import CELLS
from retree_lab.experiments.verifying.verified import unverified_exports
from retree_lab.provenance import now, provenance
from retree_lab.reports.files import csv_text, write
from retree_lab.screen import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "retree diff [options] [NAME=VALUE ...]"
    parser.add_argument(
        "--recompute",
        action="store_true",
        help="first compute all cells again, in a separate store",
    )
    parser.add_argument("--log", metavar="REASON", help="note in CHANGELOG.md why numbers moved")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write all changes to a csv")
    parser.add_argument(
        "--bundle", metavar="FILE", type=Path, help="compare with the results in a bundle"
    )
    add_jobs(parser)
    add_study(parser)
    take_overrides(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Compare; return 0 if all is as committed, or what is not was logged, else 1."""
    overrides = [*enter_study(args.study, overrides), *overrides]
    check_overrides("diff", overrides, scopes.OVERRIDES)
    scopes.check_names(overrides)
    if args.log is not None and not args.log.strip():
        raise UnknownNameError('--log needs a reason, as in --log "why the numbers moved".')
    texts = [*overrides, *([] if args.jobs is None else [f"execution.jobs={args.jobs}"])]
    results, names = scopes.find_papers(texts)
    diffs = []
    for diff, text in _compare_all(names, results, texts, args):
        say(text, console, end="")
        if diff is not None:
            diffs.append(diff)
            print_paper(diff, console)
    diffs.sort(key=lambda diff: diff.paper)
    if not (overrides or args.recompute or args.bundle) and (results / OVERVIEW).exists():
        diffs.append(compare_overview(results))
        print_paper(diffs[-1], console)
    if not diffs:
        raise RetreeError(
            "No paper with committed results has these data sets and methods: name others."
        )
    if args.csv is not None:
        _write_csv(args.csv, diffs)
    say(verdict_line(diffs), console)
    same = all(diff.same for diff in diffs)
    if args.log is None or same:
        return int(not same)
    path = add_entry(results, diffs, args.log.strip(), _when())
    say(f"Logged in {path}.", console)
    return 0


def _compare_all(
    names: Sequence[str], results: Path, texts: Sequence[str], args: argparse.Namespace
) -> Generator[tuple[PaperDiff | None, str], None, None]:
    """Yield what `_compare` returns of each paper."""
    # Computing anew shares out the cells of each paper; rendering is one process a paper.
    jobs = 1 if args.recompute or args.jobs is None else args.jobs
    one = partial(_compare, texts=texts, args=args)
    yield from in_workers(
        one, names, jobs, size=lambda name: (results / name / CELLS).stat().st_size
    )


def _compare(
    name: str, texts: Sequence[str], args: argparse.Namespace
) -> tuple[PaperDiff | None, str]:
    """Return how a paper differs, None if it has none of what is asked for, and what was said."""
    console = Console(soft_wrap=True)
    selected = scopes.select(name, texts, args.recompute)
    if selected is None:
        return None, f"{name} has nothing that matches the selection.\n"
    experiment, scope = selected
    with tempfile.TemporaryDirectory() as temporary, console.capture() as said:
        current, committed = Path(temporary) / "current", experiment.results
        datasets = render_current(experiment, scope, current, args.recompute, console, RunProgress)
        scope = scope.without(datasets.away, anew=args.recompute)
        refused = {n: why for n, why in datasets.lost.items() if n not in datasets.away}
        if args.bundle is not None:
            committed = unpack_bundle(args.bundle, Path(temporary) / "bundle")
        diff = compare_folders(committed / name, current / name, scope, refused)
        if args.bundle is None:
            diff.unverified = unverified_exports(name, committed)
    return diff, said.get()


def _write_csv(path: Path, diffs: Sequence[PaperDiff]) -> None:
    rows = [
        [diff.paper, c.item, str(c.kind), cell_name(c), c.column, c.old, c.new]
        for diff in diffs
        for c in diff.changes
    ]
    columns = ["paper", "item", "change", "cell", "column", "old", "new"]
    write(path, csv_text(pd.DataFrame(rows, columns=columns)))


def _when() -> str:
    commit = provenance()["commit"]
    return f"{now()[:10]}" + (f", on commit {commit[:12]}" if commit else "")
