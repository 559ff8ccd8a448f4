"""Render the tables and figures of an item from stored results."""

from __future__ import annotations

import argparse

from retree_lab.commands.run import add_common, add_rendering, run

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_common(parser)
    add_rendering(parser)
