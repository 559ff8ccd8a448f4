"""The commands of the command line: a module each, or a package, found by its name.

The first line of its text is its help, and the rest its description. ``add_arguments(parser)`` says
what it takes, and ``run(args, overrides, console)`` carries it out: with what argparse made of the
command line, the Hydra overrides, and the console to print on. It returns the exit code, and raises
a `retree.errors.RetreeError` that says what to correct. Only the called one is imported.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from retree.errors import as_usage, unknown_name
from retree_lab.study.folders import open_study, study_places

OVERRIDES = """\
NAME=VALUE sets a value of conf/config.yaml, in the syntax of Hydra: paper=, item=, datasets=,
methods=, dataset=, method=, protocol=, execution=, preset=, data.sources=, results=, store=,
committed=.
"""


@cache
def command_texts() -> dict[str, str]:
    """Return the summary of each command by its name; no module is imported."""
    here = Path(__file__).parent
    files = {path.stem: path for path in here.glob("*.py") if path.stem != "__init__"}
    files |= {path.parent.name: path for path in here.glob("*/__init__.py")}
    parsed = {name: ast.parse(files[name].read_text(encoding="utf-8")) for name in sorted(files)}
    return {name: ast.get_docstring(tree) or "" for name, tree in parsed.items()}


def take_overrides(parser: argparse.ArgumentParser) -> None:
    """Let a command take Hydra overrides besides its own arguments."""
    parser.set_defaults(takes_overrides=True)
    parser.epilog = OVERRIDES


def check_overrides(command: str, given: Sequence[str], keys: Sequence[str]) -> None:
    """Refuse overrides that a command does not take; by ``execution.`` it takes all keys below."""
    for name in (text.partition("=")[0] for text in given):
        if name not in keys and f"{name.partition('.')[0]}." not in keys:
            raise unknown_name(f"override of retree {command}", name, keys)


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the folder of a study."""
    parser.add_argument("--study", type=Path, metavar="DIR", help="folder of a study")


def add_jobs(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """Add the option that says how many cells are computed at a time."""
    words = {"type": int, "metavar": "N", "help": "cells to compute in parallel (-1: all cores)"}
    parser.add_argument("-j", "--jobs", default=default, **words)  # type: ignore[arg-type]


def add_folds(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a file of fold results."""
    parser.add_argument(
        "--folds", type=Path, metavar="FILE", help="also write a csv with one row per fold"
    )


def add_results(parser: argparse.ArgumentParser, default: str = "results") -> None:
    """Add the option that names the folder of rendered results."""
    words = f"folder of rendered results (default: {default})"
    parser.add_argument("--results", type=Path, default=Path(default), metavar="DIR", help=words)


def enter_study(folder: Path | None, given: Sequence[str]) -> list[str]:
    """Open a study, and return the overrides that make its folder the place of its results.

    `given`: other overrides, which take precedence. Without a folder there are none.
    """
    from retree_lab.study.overrides import quoted

    if folder is None:
        return []
    with as_usage():
        places = study_places(folder, open_study(folder))
    names = {text.partition("=")[0].lstrip("+") for text in given}
    texts = {k: v if k == "paper" else quoted(v) for k, v in places.items()}
    return [f"{key}={value}" for key, value in texts.items() if key not in names]
