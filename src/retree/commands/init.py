"""Write a small study that works."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from retree import paths
from retree.errors import RetreeError

# Files of a new study that are not in the template, since packages leave hidden files out.
WRITTEN = {
    ".gitignore": "__pycache__/\nresults/.store/\nresults/local/\n",
    ".github/workflows/check.yml": """\
# Checks the study, and that its committed results are those that the sources give.
name: check
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {path: STUDY}
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      # The repository's variable RETREE says where retree comes from: the address of a wheel.
      - run: pip install "${{ vars.RETREE }}"
      - run: retree check STUDY
      - run: test ! -d STUDY/results || retree diff --study STUDY
""",
}


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
        for name, text in WRITTEN.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text.replace("STUDY", folder.resolve().name))
    except OSError as error:
        raise RetreeError(f"{folder} cannot be written ({error}): name another folder.") from error
    print(*sorted(path for path in folder.rglob("*") if path.is_file()), sep="\n")
    print(f"Go on with: retree run --report --study {folder} item=all")
    return 0
