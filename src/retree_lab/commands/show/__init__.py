"""Show the folds behind a number in a table.

It also prints the parameters, data and machine that a fold result comes from. KEY is the key of one
cell in cells.csv.gz; its first 16 digits are enough.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from retree.errors import unknown_name
from retree_lab.commands import add_study, check_overrides, enter_study
from retree_lab.experiments.definition.wanted import check_wanted
from retree_lab.study.composing import compose
from retree_lab.study.folders import study_names

if TYPE_CHECKING:
    from rich.console import Console

USAGE = "retree show PAPER ITEM DATASET METHOD, or retree show KEY"
OVERRIDES = ("data.sources", "results", "store", "committed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = USAGE
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="PAPER ITEM DATASET METHOD, or KEY"
    )
    parser.add_argument("--metric", metavar="METRIC", help="default: the first of the item")
    parser.add_argument(
        "--fold", type=int, metavar="F", help="show only this fold, with its test rows"
    )
    parser.add_argument(
        "--repeat", type=int, default=0, metavar="R", help="repeat of --fold (default: 0)"
    )
    parser.add_argument(
        "--rows", action="store_true", help="print the test rows of each fold shown"
    )
    parser.add_argument(
        "--recompute", action="store_true", help="compute the folds again and compare"
    )
    add_study(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Show what the arguments name; return 0, or 1 if a fold that was computed again differs."""
    names = [text for text in args.names if "=" not in text]
    settings = [text for text in args.names if "=" in text]
    places = enter_study(args.study, settings)
    if places and len(names) == 3:
        names.insert(0, places[0].partition("=")[2])
    overrides = [*places[1:], *settings]
    check_overrides("show", overrides, OVERRIDES)
    if len(names) == 4:
        paper, item = names[:2]
        if paper not in study_names():
            raise unknown_name("paper", paper, study_names())
        check_wanted(compose([f"paper={paper}", f"item={item}", *overrides]))
    # The rest takes seconds to import: a name that is misspelt is refused before.
    show = import_module("retree_lab.commands.show.show_screen").show
    return int(show(args, names, overrides, console))
