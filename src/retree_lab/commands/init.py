"""Write a small working study, or one of a published table.

--from table.csv turns a csv, Markdown or LaTeX table into a study: its numbers go into
published.csv, known data sets and methods are named, and the others are left blank.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from retree.errors import RetreeError, as_usage, unknown_name
from retree_lab import paths

# Files of the template that are hidden in a study, since packages leave hidden files out.
HIDDEN = {"gitignore": ".gitignore", "check.yml": ".github/workflows/check.yml"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder to create")
    parser.add_argument(
        "--from", dest="table", metavar="FILE", help="a table; - for standard input"
    )
    parser.add_argument("--metric", metavar="NAME", help="what its numbers are: accuracy, error, …")
    parser.add_argument("--protocol", metavar="NAME", help="how they were made: cv10, weka10x10, …")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Write the study, print its files, and return 0."""
    folder: Path = args.folder
    if folder.exists():
        raise RetreeError(f"{folder} already exists: name another folder.")
    with as_usage():
        files, sentences = _of_table(args) if args.table else ({}, [])
    try:
        if args.table:
            hidden = {
                HIDDEN["gitignore"]: (paths.conf_dir() / "template" / "gitignore").read_text()
            }
            for name, text in {**hidden, **files}.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
        else:
            _copy_template(folder)
    except OSError as error:
        raise RetreeError(f"{folder} cannot be written ({error}): name another folder.") from error
    print(*sorted(path for path in folder.rglob("*") if path.is_file()), sep="\n")
    print(*sentences, sep="\n", end="\n" if sentences else "")
    first = f"retree check {folder}, then " if args.table else ""
    print(f"Next: {first}retree run --report --study {folder} item=all")
    return 0


def _of_table(args: argparse.Namespace) -> tuple[dict[str, str], list[str]]:
    """Return the files of a study of a table, and what to say of them."""
    from retree_lab.commands.audit import read_file
    from retree_lab.outside.new_study import study_of
    from retree_lab.study.available import available

    if args.protocol is not None and args.protocol not in available("protocol"):
        raise unknown_name("protocol", args.protocol, available("protocol"))
    tables = read_file(args.table, args.metric)
    made = study_of(tables, args.folder.resolve().name, args.protocol)
    return made.files, made.sentences


def _copy_template(folder: Path) -> None:
    """Write the study that shows what a study can have."""
    caches = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(paths.conf_dir() / "template", folder, ignore=caches)
    for name, hidden in HIDDEN.items():
        (folder / hidden).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).rename(folder / hidden)
    workflow = folder / HIDDEN["check.yml"]
    workflow.write_text(workflow.read_text().replace("STUDY", folder.resolve().name))
