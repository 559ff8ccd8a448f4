"""The options of ``retree diff``, apart from what they need to be imported."""

from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = """\
Compare your results, those of the store, with the committed files in results/: every number,
every verdict, every blank, every claim. Without paper= all papers that have committed results are
compared. The exit code is 0 if all is as committed, 1 if not, 2 if the usage is wrong.
"""
OPTIONS = ("--recompute", "--log", "--csv", "--against", "--bundle", "--jobs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``retree diff`` to its parser."""
    parser.add_argument(
        "--recompute", action="store_true", help="compute all cells anew, in a store of their own"
    )
    parser.add_argument("--log", metavar="REASON", help="note in CHANGELOG.md that this is meant")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write all changes to a file")
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--against", metavar="REVISION", help="compare with results/ as of a git revision"
    )
    other.add_argument(
        "--bundle", metavar="FILE", type=Path, help="compare with the results in a bundle"
    )
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="cells at a time; -1: all")
