"""List the methods that a study can name.

With a word, only those that have it in their keys, names, estimators, parameters or papers.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.console import Console

from retree_lab.commands import add_study, enter_study, print_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("word", nargs="?", default="", metavar="WORD")
    add_study(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Print the list; return 0, or 1 if it is empty."""
    enter_study(args.study, ())
    return print_names(args.command, args.word, console, args.study)
