"""The command ``retree diff``."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from retree.diffing import papers
from retree.diffing.at_hand import render_at_hand
from retree.diffing.baseline import at_revision
from retree.diffing.changelog import add_entry, cell_name
from retree.diffing.folders import PaperDiff, compare_folders
from retree.diffing.scope import Scope
from retree.diffing.screen import print_paper, verdict_line
from retree.errors import RetreeError, UnknownNameError
from retree.experiments.definitions import Experiment
from retree.experiments.provenance import now, provenance
from retree.reports.files import csv_text, write


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Compare, print, and return the exit code.

    Parameters
    ----------
    args : Namespace
        The options of `retree.diffing.options.add_arguments`.
    overrides : sequence of str
        Hydra overrides.
    console : Console
        Where to print.

    Returns
    -------
    int
        0 if all is as committed, or what is not was logged; else 1.

    Raises
    ------
    UnknownNameError
        If an override is unknown, or not one of a comparison.
    RetreeError
        If there is nothing to compare, or a file cannot be read or written.
    """
    papers.check_names(overrides)
    if args.log is not None and not args.log.strip():
        raise UnknownNameError('--log needs a reason: say --log "why the numbers moved".')
    texts = [*overrides, *([] if args.jobs is None else [f"execution.jobs={args.jobs}"])]
    results, names = papers.find_papers(texts)
    diffs = []
    for name in names:
        selected = papers.select(name, texts, args.recompute)
        if selected is None:
            console.print(f"{name} has none of what is asked for.", markup=False)
            continue
        diffs.append(_compare(*selected, args, console))
        print_paper(diffs[-1], console)
    if not diffs:
        raise RetreeError("No paper with committed results has these data sets and methods.")
    if args.csv is not None:
        _write_csv(args.csv, diffs)
    console.print(verdict_line(diffs), markup=False, soft_wrap=True)
    same = all(diff.same for diff in diffs)
    if args.log is None or same:
        return int(not same)
    path = add_entry(results, diffs, args.log.strip(), _when())
    console.print(f"Logged in {path}.", markup=False, soft_wrap=True)
    return 0


def _compare(
    experiment: Experiment, scope: Scope, args: argparse.Namespace, console: Console
) -> PaperDiff:
    paper, committed = experiment.paper.name, experiment.results
    with tempfile.TemporaryDirectory() as name:
        at_hand = Path(name) / "at_hand"
        lost = render_at_hand(experiment, scope, at_hand, args.recompute, console).lost
        if args.against is not None:
            committed = at_revision(args.against, committed, Path(name) / "committed")
        diff = compare_folders(committed / paper, at_hand / paper, scope)
    diff.data += lost.values()
    return diff


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
