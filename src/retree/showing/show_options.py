"""The arguments of ``retree show``, apart from what they need to be imported."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Show the folds behind a number in a table, and what each of them comes from. A KEY is that of one
cell, as in cells.csv.gz; its first 16 digits are enough.
"""
USAGE = "retree show PAPER ITEM DATASET METHOD [options] | retree show KEY [options]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``retree show`` to its parser."""
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="PAPER ITEM DATASET METHOD, or KEY"
    )
    parser.add_argument("--metric", metavar="METRIC", help="by default the first of the item")
    parser.add_argument("--fold", type=int, metavar="F", help="this fold only, with its test rows")
    parser.add_argument("--repeat", type=int, default=0, metavar="R", help="of --fold; default 0")
    parser.add_argument(
        "--rows", action="store_true", help="print the test rows of each fold shown"
    )
    parser.add_argument(
        "--recompute", action="store_true", help="compute the folds again and compare"
    )
