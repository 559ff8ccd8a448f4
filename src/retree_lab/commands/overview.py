"""Draw all reproduced numbers against the published ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from retree_lab.commands import add_results, add_study, enter_study
from retree_lab.reports.overview import write_overview, write_overview_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_study(parser)
    add_results(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Draw, print where, and return 0."""
    enter_study(args.study, ())
    results = args.results
    if args.study and results == Path("results"):
        results = args.study / "results"
    print(*write_overview(results), write_overview_page(results), sep="\n")
    return 0
