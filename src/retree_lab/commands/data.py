"""List, verify and add data sets."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console

from retree.errors import DataError, RetreeError, unknown_name
from retree_lab.commands import add_study, enter_study
from retree_lab.datasets import acquire
from retree_lab.datasets.adding import add_dataset
from retree_lab.datasets.loading import load_dataset
from retree_lab.datasets.own import own_names
from retree_lab.datasets.own_tables import LOCK
from retree_lab.datasets.sources.web import OFFLINE, is_offline
from retree_lab.screen import print_table, say
from retree_lab.study import catalogue
from retree_lab.study.catalogue import SERVERS, SOURCES, CatalogueEntry

WORDS = ("title", "origin", "licence", "cite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(dest="action", required=True)
    show = actions.add_parser("list", help="list data sets")
    show.add_argument(
        "word", nargs="?", default="", metavar="WORD", help="only data sets that contain it"
    )
    show.add_argument(
        "--all", action="store_true", help="also data sets of single papers, and other names"
    )
    verify = actions.add_parser(
        "verify", help="check bundled data, and compare them with OpenML and UCI"
    )
    verify.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    verify.add_argument(
        "--source", metavar="SOURCE", help="compare the bundled rows with this source"
    )
    for action in actions.choices.values():
        add_study(action)
    add = actions.add_parser("add", help="add a data set to a checkout of retree")
    add.add_argument("name", metavar="NAME", help="its key")
    add.add_argument("file", type=Path, metavar="FILE", help="csv, parquet or ARFF")
    add.add_argument("--target", metavar="COLUMN", help="column of the class (default: the last)")
    for word, what in zip(
        WORDS, ("full name", "where it comes from", "its licence", "work to cite"), strict=True
    ):
        add.add_argument(f"--{word}", default="", metavar="TEXT", help=what)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Run the chosen action; return 0, or 1 if it failed for any set."""
    if args.action == "add":
        words = [getattr(args, word) for word in WORDS]
        if lacking := [f"--{word}" for word, text in zip(WORDS, words, strict=True) if not text]:
            raise RetreeError(f"{args.name} lacks a description: give {', '.join(lacking)}.")
        print(*add_dataset(args.name, args.file, args.target, words), sep="\n")
        return 0
    enter_study(args.study, ())
    source = getattr(args, "source", None)
    if source is not None and source not in SOURCES:
        raise unknown_name("source", source, SOURCES)
    if args.study is not None:
        return _of_study(args, console)
    if args.action == "list" and (args.all or args.word):
        # The names of scorers take a second to import.
        from retree_lab.commands.methods import print_names

        return print_names("datasets", args.word, console)
    if args.action == "list":
        head = ["data set", "rows", "columns", "classes", "sources"]
        print_table(head, map(_row, catalogue.names()), console, left=("sources",))
        return 0
    return _verify(args, console)


def _of_study(args: argparse.Namespace, console: Console) -> int:
    """Load the data sets of a study and hold them against its ``data.lock``."""
    valid = own_names(args.study)
    names = getattr(args, "names", None) or valid
    for name in names:
        if name not in valid:
            raise unknown_name(f"data set of {args.study.name}", name, valid)
    return _for_each(names, _describe, console)


def _describe(name: str) -> str:
    dataset = load_dataset(name)
    target = "numbers" if dataset.is_regression else f"{dataset.y.nunique()} classes"
    rows, columns = dataset.X.shape
    return f"{rows} rows, {columns} columns, {target}, as in {LOCK}"


def _root(name: str) -> CatalogueEntry:
    return catalogue.root(catalogue.find(name))


def _with_source(source: str | None) -> list[str]:
    """Return the sets that have content of their own (from `source`, if given)."""
    entries = [catalogue.find(name) for name in catalogue.names()]
    return [e.name for e in entries if e.base is None and (not source or source in e.sources)]


def _verify(args: argparse.Namespace, console: Console) -> int:
    """Check what is here, and hold bundled sets against the servers, or against one source.

    A source that differs is an error only where it is asked for by its name.
    """
    tally: Counter[tuple[str, str]] = Counter()
    names = args.names or _with_source(args.source)
    if args.source in acquire.COPIES:
        return _for_each(names, lambda name: _verify_source(_root(name), args.source), console)
    code = _for_each(names, lambda name: _verify_all(_root(name), tally), console)
    for source in dict.fromkeys(source for source, _ in tally):
        counts = (f"{tally[source, o]} {o}" for o in ("agree", "differ", "unavailable"))
        say(f"{source}: {', '.join(counts)}", console)
    if is_offline():
        console.print(f"OpenML and UCI were not contacted, since {OFFLINE} is set.")
    return max(code, int(any(outcome == "unavailable" for _, outcome in tally)))


def _verify_source(entry: CatalogueEntry, source: str) -> str:
    """Return that `source` has the bundled rows, or raise a DataError that says how it differs."""
    if "bundled" not in entry.sources:
        raise DataError("It is not bundled, so there is nothing to compare: leave out --source.")
    if differences := acquire.compare(entry, source):
        raise DataError("\n  ".join([f"{source} differs: {differences[0]}", *differences[1:]]))
    return f"{source} agrees"


def _verify_all(entry: CatalogueEntry, counts: Counter[tuple[str, str]]) -> str:
    """Verify a set and compare it with the servers; count their answers in `counts`."""
    is_bundled = "bundled" in entry.sources
    source = acquire.acquire(entry).source
    sentences = [f"{source} verified"]
    for source in SERVERS if is_bundled and not is_offline() else ():
        if source not in entry.sources:
            continue
        try:
            differences = acquire.compare(entry, source)
        except DataError as error:
            counts[source, "unavailable"] += 1
            sentences.append(f"{source} unavailable ({str(error).rstrip('.')})")
        else:
            counts[source, "differ" if differences else "agree"] += 1
            how = f"differs: {differences[0]}" if differences else "agrees"
            sentences.append(f"{source} {how}")
    return "; ".join(sentences)


def _for_each(names: Iterable[str], action: Callable[[str], str], console: Console) -> int:
    failed = 0
    for name in names:
        try:
            say(f"{name}: {action(name)}", console)
        except RetreeError as error:
            failed += 1
            say(f"{name}: {error}", console, style="red")
    if failed:
        console.print(f"{failed} failed.", style="red")
    return int(failed > 0)


def _row(name: str) -> list[str]:
    """Return a line of the list: name, sizes and sources."""
    entry = catalogue.find(name)
    expect, root = entry.expect, catalogue.root(entry)
    numbers = (expect["n_instances"], expect["n_features"], len(expect["classes"]))
    return [name, *map(str, numbers), ", ".join(root.sources)]
