"""Build a static site of the rendered results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from retree_lab.commands import add_results
from retree_lab.site import build_site


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    words = "a rendered study to add to the site; may be repeated"
    parser.add_argument(
        "--output", type=Path, default=Path("site"), metavar="DIR", help="default: site"
    )
    parser.add_argument("--study", type=Path, action="append", metavar="DIR", help=words)
    add_results(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Build the site, print its first page, and return 0."""
    print(build_site(args.results, args.output, args.study or ()))
    return 0
