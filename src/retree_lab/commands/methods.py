"""List the methods that a study can name.

With a word, list only those with it in their key, name, estimator, parameters or papers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from sklearn.metrics import get_scorer_names

from retree.errors import UnknownNameError
from retree_lab.commands import add_study, enter_study
from retree_lab.datasets.own import own_names
from retree_lab.experiments.definition.method import KEYS, NAMED
from retree_lab.experiments.definition.paper_config import load_paper, papers_by_year
from retree_lab.screen import print_table
from retree_lab.statistics.metrics import METRICS, NESTED, OPTIMISM, find_metric
from retree_lab.study import catalogue
from retree_lab.study.available import paper_sets
from retree_lab.study.catalogue import usual_names
from retree_lab.study.folders import opened, study_folder
from retree_lab.study.methods import method_content, method_keys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("word", nargs="?", default="", metavar="WORD", help="a part of a name")
    add_study(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Print the list; return 0, or 1 if it is empty."""
    enter_study(args.study, ())
    return print_names(args.command, args.word, console, args.study)


def print_names(kind: str, word: str, console: Console, study: Path | None = None) -> int:
    """Print what a study can name of a kind, as far as it has a word; return 1 if nothing has."""
    head, every = TABLES[kind](study and study.resolve())
    wanted = word.casefold()
    rows = [row for row in every if any(wanted in text.casefold() for text in row)]
    if not rows:
        what = kind.replace("datasets", "data sets")
        raise UnknownNameError(f"None of the {what} contains {word!r}: leave it out to see all.")
    print_table(head, rows, console, left=head)
    return 0


class NameTable(NamedTuple):
    """A table of names, the first column being what a study writes."""

    head: tuple[str, ...]
    rows: list[list[str]]


def dataset_names(study: Path | None = None) -> NameTable:
    """Return all data sets, with their other names and the papers that use them."""
    used, others = _used_by("datasets", study), usual_names()
    rows = []
    for name in sorted({*catalogue.names(), *paper_sets(), *(own_names(study) if study else ())}):
        size, sources = _size_and_sources(name)
        rows.append([name, size, ", ".join(others.get(name, ())), sources, used.get(name, "")])
    return NameTable(("key", "rows", "also called", "source", "used by"), rows)


def _size_and_sources(name: str) -> tuple[str, str]:
    if (module := paper_sets().get(name)) is not None:
        return str(sum(module.file_rows(name)) or "?"), name.partition("-")[0]
    if name not in catalogue.names():
        return "", "this study"
    entry = catalogue.find(name)
    return str(entry.expect["n_instances"]), ", ".join(catalogue.root(entry).sources)


def method_names(study: Path | None = None) -> NameTable:
    """Return the methods of retree, and of a study, with the papers that use them.

    Methods in the folder of a paper are for its items only.
    """
    used, rows = _used_by("methods", study), []
    for key in method_keys(study):
        content = method_content(key, study)
        params = {n: v for n, v in content.items() if n not in (*KEYS, NAMED)}
        params |= content.get(NAMED) or {}
        texts = [f"{n}={json.dumps(v, default=str)}" for n, v in params.items()]
        tuned = [f"tunes {', '.join(content['tune'])}"] if content.get("tune") else []
        estimator = str(content.get("estimator") or f"missing: {content.get('missing')}")
        said = ", ".join([*texts, *tuned]) or "defaults"
        rows.append([key, str(content["name"]), estimator, said, used.get(key, "")])
    return NameTable(("key", "name in tables", "estimator", "parameters", "used by"), rows)


def metric_names(study: Path | None = None) -> NameTable:
    """Return all metrics, with what they are and which values are better."""
    of_cells = [n for n, metric in METRICS.items() if metric.column and n not in (NESTED, OPTIMISM)]
    used = _used_by("metrics", study)
    rows = [
        [
            name,
            find_metric(name).label,
            "smaller" if find_metric(name).smaller_is_better else "greater",
            "retree" if name in METRICS else "scikit-learn",
            used.get(name, ""),
        ]
        for name in dict.fromkeys([*of_cells, *get_scorer_names()])
    ]
    return NameTable(("key", "what it is", "better", "source", "used by"), rows)


TABLES: Mapping[str, Callable[[Path | None], NameTable]] = {
    "datasets": dataset_names,
    "methods": method_names,
    "metrics": metric_names,
}


def _used_by(key: str, study: Path | None) -> dict[str, str]:
    """Return the papers, and the study, whose items name each of what stands below `key`."""
    users: dict[str, dict[str, None]] = {}
    for paper in papers_by_year():
        if (folder := study_folder(paper)) in opened() and folder != study:
            continue
        items: Iterable[Mapping[str, Any]] = load_paper(paper).items.values()
        for name in (str(name) for item in items for name in item.get(key) or ()):
            users.setdefault(name, {})[paper] = None
    return {name: ", ".join(papers) for name, papers in users.items()}
