"""Check a table of results, of any paper, for impossible numbers.

The first column of the table names the data sets, and its first line the methods. The rules look
for means that no number of correct rows gives, impossible deviations, wrong averages and average
ranks, bold numbers that are not the best, and columns that repeat each other. The row counts of
well-known data sets are built in; give others in a column "rows", or with --rows. A csv with one
number per line may hold several tables and metrics.
The exit code is 1 if something impossible is found, and 3 if nothing could be judged.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from retree.errors import RetreeError, as_usage
from retree_lab.outside.audit import Audited, audit
from retree_lab.outside.reading import OutsideTable, read_tables
from retree_lab.plain_files import decode
from retree_lab.reports.audit.published_cells import Finding
from retree_lab.screen import print_table, say

# The exit code where no rule could judge any number.
UNJUDGED = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="csv, Markdown or LaTeX; - for standard input")
    parser.add_argument("--folds", type=int, metavar="K", help="folds of the cross-validation")
    parser.add_argument(
        "--repeats",
        type=int,
        default=1,
        metavar="R",
        help="times that it was repeated; needs --folds",
    )
    add_rows(parser)
    add_metric(parser)


def add_metric(parser: argparse.ArgumentParser) -> None:
    """Add the option that says what the numbers are."""
    parser.add_argument(
        "--metric", metavar="NAME", help="what the numbers are: accuracy, error, leaves, auc, …"
    )


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add the option that says how many rows a data set has."""
    parser.add_argument(
        "--rows",
        action="append",
        default=[],
        metavar="NAME=N",
        help="rows of a data set; may be repeated",
    )


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Print what is found, and by which rules; return 1 if something impossible is."""
    with as_usage():
        tables = read_file(args.file, args.metric)
        if (args.folds is not None and args.folds < 2) or args.repeats < 1:
            raise RetreeError("--folds must be at least 2, and --repeats at least 1.")
        sizes = row_counts(args.rows, tables)
        every = [(t, audit(t, args.folds, args.repeats, sizes)) for t in tables]
    codes = {_print(table, audited, console) for table, audited in every}
    return UNJUDGED if codes == {UNJUDGED} else max(codes - {UNJUDGED})


def _print(table: OutsideTable, audited: Audited, console: Console) -> int:
    """Print what is found in a table, and by which rules; return its exit code."""
    if title := ", ".join(filter(None, (table.name, table.metric))):
        say(f"\n{title}", console, style="bold")
    _print_assumptions(table, audited, console)
    if not audited.rulings:
        why = "if these are accuracies, say --metric accuracy"
        why = f"no rule covers {table.metric}" if table.metric else why
        say(f"Nothing was judged: {why}.", console)
        return UNJUDGED
    findings = [finding for ruling in audited.rulings for finding in ruling.findings]
    for finding in findings:
        say(f"\n{_place(finding)}", console)
        say(f"  {_sentence(finding, audited, table)}", console)
    if not findings:
        say("\nNothing impossible or unlikely was found.", console)
    rows = [[r.rule, f"{r.judged} {r.of}", str(len(r.findings))] for r in audited.rulings]
    print_table(["rule", "judged", "found"], rows, console)
    for ruling in audited.rulings:
        say(f"{ruling.rule}: {ruling.says}", console)
    return int(any(not finding.chance for finding in findings))


def read_file(name: str, metric: str | None) -> list[OutsideTable]:
    """Return the tables of a file, or of standard input for "-".

    `metric`: what the numbers are of tables that do not say so.
    """
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise RetreeError(
            f"{name} cannot be read ({error.strerror}): give a text file, or - for standard input."
        ) from error
    tables = read_tables(decode(content, name))
    return [t if t.metric else replace(t, metric=metric or "") for t in tables]


def row_counts(texts: Sequence[str], tables: Sequence[OutsideTable]) -> dict[str, int]:
    """Return the numbers of rows that ``--rows NAME=N`` gives."""
    counts = {}
    datasets = list(dict.fromkeys(name for table in tables for name in table.datasets))
    for text in texts:
        name, _, count = text.rpartition("=")
        if not count.isdecimal() or int(count) == 0:
            raise RetreeError(f"--rows {text} must be like --rows iris=150.")
        if name not in datasets:
            names = ", ".join(datasets)
            raise RetreeError(f"--rows {text}: the table has no data set {name!r}, only {names}.")
        counts[name] = int(count)
    return counts


def _print_assumptions(table: OutsideTable, audited: Audited, console: Console) -> None:
    """Say what the columns were taken for, how many rows are known, and which folds are assumed."""
    names = {
        "accuracy": "accuracies",
        "accuracy_pct": "accuracies in %",
        "error": "errors",
        "error_pct": "errors in %",
    }
    for what in dict.fromkeys(audited.metrics.values()):
        columns = ", ".join(m for m, metric in audited.metrics.items() if metric == what)
        say(f"{columns}: {f'read as {names.get(what, what)}' if what else 'not judged'}", console)
    lacking = [name for name, rows in audited.rows.items() if math.isnan(rows)]
    if lacking:
        sets = ", ".join(lacking)
        say(f"Unknown number of rows: {sets}. Give it with --rows NAME=N to check them.", console)
    if audited.plan is None:
        say(
            "The numbers do not show which cross-validation was used, so rules that need it were "
            "not applied: give --folds K, and --repeats R.",
            console,
        )
    else:
        times = f", {audited.plan.repeats} times" if audited.plan.repeats > 1 else ""
        why = ", as the numbers suggest" if audited.inferred else ""
        say(f"Cross-validation with {audited.plan.folds} folds{times}{why}.", console)


def _place(finding: Finding) -> str:
    datasets = dict.fromkeys(cell.dataset for cell in finding.cells if cell.dataset)
    methods = dict.fromkeys(cell.method for cell in finding.cells if cell.method)
    return ": ".join(", ".join(names) for names in (datasets, methods) if names)


def _sentence(finding: Finding, audited: Audited, table: OutsideTable) -> str:
    """Return the sentence of a finding, and whether it is about all numbers of the data set."""
    text = finding.numbers[:1].upper() + finding.numbers[1:]
    if finding.rule == "granularity":
        name = finding.cells[0].dataset
        text += f" It has {audited.rows[name]:g} rows."
        if {cell.method for cell in finding.cells} == set(table.methods):
            text += " None of its numbers fits: it may be another version, see --rows."
    return text + (f" Expected by chance: {finding.chance:.1g}." if finding.chance else "")
