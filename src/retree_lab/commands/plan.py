"""Show which results are stored, stale or missing, and how long the rest will take."""

from __future__ import annotations

import argparse

from retree_lab.commands.run import add_common, run

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_common(parser)
