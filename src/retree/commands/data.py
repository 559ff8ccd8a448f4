"""The command ``retree data``: list, fetch and verify data sets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable

from rich.console import Console
from rich.table import Table

from retree.datasets import acquire, cache, catalogue, comparing, own
from retree.datasets.catalogue import SOURCES, CatalogueEntry
from retree.datasets.loading import load_dataset
from retree.errors import DataError, RetreeError, unknown_name


def run(args: argparse.Namespace, console: Console | None = None) -> int:
    """Run the chosen action; return 0, or 1 if it failed for any set.

    Parameters
    ----------
    args : Namespace
        What `retree.arguments` made of the command line.
    console : rich.console.Console, optional
        Where to print.

    Raises
    ------
    UnknownNameError
        If there is no such source or data set.
    """
    console = console or Console()
    source = getattr(args, "source", None)
    if source is not None and source not in SOURCES:
        raise unknown_name("source", source, SOURCES)
    if args.study is not None:
        return _of_study(args, console)
    if args.action == "list":
        console.print(_table())
        return 0
    if args.action == "fetch":
        return _fetch(args, console)
    names = args.names or _with_source(args.source)
    if args.source is None:
        return _for_each(names, _verify, console)
    return _for_each(names, lambda name: comparing.verify(_root(name), args.source), console)


def _of_study(args: argparse.Namespace, console: Console) -> int:
    """Load the data sets of a study and hold them against its ``data.lock``."""
    valid = own.own_names(args.study)
    names = getattr(args, "names", None) or valid
    for name in names:
        if name not in valid:
            raise unknown_name(f"data set of {args.study.name}", name, valid)
    return _for_each(names, _describe, console)


def _describe(name: str) -> str:
    dataset = load_dataset(name)
    target = "numbers" if dataset.is_regression else f"{dataset.y.nunique()} classes"
    rows, columns = dataset.X.shape
    return f"{rows} rows, {columns} columns, {target}, as in {own.LOCK}"


def _fetch(args: argparse.Namespace, console: Console) -> int:
    if bool(args.names) == args.all:
        console.print("Name the sets to fetch, or give --all.", style="red")
        return 1
    if args.accept and not args.source:
        console.print("--accept needs --source: say whose content is to be trusted.", style="red")
        return 1
    names = _with_source(args.source) if args.all else args.names
    counts = comparing.Counts()

    def fetch(name: str) -> str:
        if comparing.comparable(_root(name), args.source):
            if args.accept:
                raise DataError(
                    f"{name} is bundled, and its own rows count: leave --accept out to see what "
                    f"{args.source} has otherwise."
                )
            return comparing.fetch(_root(name), args.source, args.force, counts)
        return _fetch_one(name, args.source, args.force, args.accept)

    code = _for_each(names, fetch, console)
    for sentence in counts.sentences():
        console.print(sentence, markup=False, highlight=False)
    return max(code, int(counts.silent > 0))


def _root(name: str) -> CatalogueEntry:
    return catalogue.root(catalogue.find(name))


def _with_source(source: str | None) -> list[str]:
    """Return the sets that have content of their own (from `source`, if given)."""
    entries = [catalogue.find(name) for name in catalogue.names()]
    return [e.name for e in entries if e.base is None and (not source or source in e.sources)]


def _fetch_one(name: str, source: str | None, force: bool, accept: bool) -> str:
    if accept and source:
        content = acquire.fetch(_root(name), source, accept=True)
    else:
        content = acquire.acquire(_root(name), [source] if source else None, force=force)
    dataset = load_dataset(name, sources=[content.source])
    return f"{content.source}, {dataset.X.shape[0]} rows, {dataset.X.shape[1]} columns"


def _verify(name: str) -> str:
    entry = _root(name)
    checked = [source for source in entry.sources if acquire.cached(entry, source) is not None]
    if "bundled" in entry.sources:
        acquire.bundled_content(entry)
        checked.append("bundled")
    found = [f"{', '.join(checked)} verified"] if checked else []
    return "; ".join([*found, *comparing.known(entry)]) or "nothing cached"


def _for_each(names: Iterable[str], action: Callable[[str], str], console: Console) -> int:
    failed = 0
    for name in names:
        try:
            console.print(f"{name}: {action(name)}", markup=False, highlight=False, soft_wrap=True)
        except RetreeError as error:
            failed += 1
            console.print(
                f"{name}: {error}", markup=False, highlight=False, style="red", soft_wrap=True
            )
    if failed:
        console.print(f"{failed} failed.", style="red")
    return int(failed > 0)


def _cached_sources(entry: CatalogueEntry) -> list[str]:
    root = catalogue.root(entry)
    return [source for source in root.sources if cache.path_of(root, source).exists()]


def _table() -> Table:
    table = Table(title="Data sets")
    table.add_column("name", no_wrap=True)
    for heading in ("rows", "columns", "classes"):
        table.add_column(heading, justify="right")
    table.add_column("sources")
    table.add_column("cached or compared")
    for name in catalogue.names():
        entry = catalogue.find(name)
        expect = entry.expect
        numbers = (expect["n_instances"], expect["n_features"], len(expect["classes"]))
        sources = ", ".join(catalogue.root(entry).sources)
        state = ", ".join([*_cached_sources(entry), *comparing.known(catalogue.root(entry))])
        table.add_row(name, *map(str, numbers), sources, state or "-")
    return table
