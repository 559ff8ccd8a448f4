"""Record, as hashes, what a study will compute and how it will be judged."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from retree.errors import as_usage
from retree_lab.commands.check import check_all, whole_study
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.experiments.verifying.preregistration import preregister


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the study")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Write the file that says so, print its place, and return 0."""
    with as_usage():
        print(freeze(args.folder))
    return 0


def freeze(folder: Path) -> Path:
    """Preregister a study that is in order, and return the file that says so."""
    experiment = whole_study(folder)
    deque(check_all(experiment), maxlen=0)
    return preregister(plan_all(experiment))
