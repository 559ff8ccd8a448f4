"""Compute the missing cells of an item, or of a sweep over parameters and data sets.

An item is a table or figure of a paper. A cell is one fit: a method, with its parameters, on one
fold of a data set. Finished cells are stored, so an interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from retree.errors import RetreeError, as_usage
from retree_lab.commands import add_folds, add_jobs, add_study, enter_study, take_overrides
from retree_lab.experiments.definition.wanted import check_wanted
from retree_lab.study.composing import compose, print_composed
from retree_lab.study.overrides import Sweep, expand

if TYPE_CHECKING:
    from rich.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_common(parser)
    parser.add_argument("--report", action="store_true", help="then render tables and figures")
    add_rendering(parser)


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the commands on experiments: plan, run and report."""
    parser.usage = f"{parser.prog} [options] [NAME=VALUE ...]"
    add_study(parser)
    add_jobs(parser)
    parser.add_argument(
        "-m",
        "--multirun",
        action="store_true",
        help="sweep over comma-separated values, as in method.k=2,5",
    )
    parser.add_argument(
        "--cfg", choices=["job"], help="print the configuration and do nothing else"
    )
    take_overrides(parser)


def add_rendering(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the commands that render."""
    add_folds(parser)
    parser.add_argument("--show", action="store_true", help="render and print the tables")
    parser.add_argument(
        "--tex", action="store_true", help="also write tables in LaTeX, and figures as pdf"
    )


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Compose an experiment, a sweep with -m, carry out the command, and return its exit code."""
    overrides = [*enter_study(args.study, overrides), *overrides]
    if args.multirun and getattr(args, "folds", None):
        with as_usage():
            raise RetreeError(
                "--folds writes one file, but -m renders several times: leave one out."
            )
    texts = [*overrides, *([] if args.jobs is None else [f"execution.jobs={args.jobs}"])]
    with as_usage():
        sweep = expand(texts) if args.multirun else Sweep({}, [texts])
        contents = [compose(some) for some in sweep.others]
        if args.cfg:
            print_composed(contents, sweep.grid)
            return 0
        for content in contents:
            check_wanted(content)
    # The rest takes seconds to import: a name that is misspelt is refused before.
    carry_out = import_module("retree_lab.commands.run.carry_out").carry_out
    return int(carry_out(args, contents, sweep.grid, texts, console))
