"""Write a small study that works."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from retree import paths
from retree.errors import RetreeError

# Files of the template that are hidden in a study, since packages leave hidden files out.
HIDDEN = {"gitignore": ".gitignore", "check.yml": ".github/workflows/check.yml"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="DIR")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Write the study, print its files, and return 0."""
    folder: Path = args.folder
    if folder.exists():
        raise RetreeError(f"{folder} exists already: name another folder.")
    try:
        caches = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(paths.conf_dir() / "template", folder, ignore=caches)
        for name, hidden in HIDDEN.items():
            (folder / hidden).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).rename(folder / hidden)
        workflow = folder / HIDDEN["check.yml"]
        workflow.write_text(workflow.read_text().replace("STUDY", folder.resolve().name))
    except OSError as error:
        raise RetreeError(f"{folder} cannot be written ({error}): name another folder.") from error
    print(*sorted(path for path in folder.rglob("*") if path.is_file()), sep="\n")
    print(f"Go on with: retree run --report --study {folder} item=all")
    return 0
