"""List, fetch and verify the data sets."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console

from retree.commands import add_study, enter_study
from retree.datasets import acquire, cache, catalogue
from retree.datasets.catalogue import SERVERS, SOURCES, CatalogueEntry
from retree.datasets.loading import load_dataset
from retree.datasets.own import LOCK, own_names
from retree.datasets.servers import OFFLINE, is_offline
from retree.errors import DataError, RetreeError, unknown_name
from retree.screen import print_table, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="show the catalogue and what is cached")
    fetch = actions.add_parser("fetch", help="fetch data sets that are not bundled, and keep them")
    fetch.add_argument("names", nargs="*", metavar="NAME")
    fetch.add_argument("--all", action="store_true", help="all sets of the catalogue")
    fetch.add_argument("--source", metavar="SOURCE", help="this source only")
    fetch.add_argument("--force", action="store_true", help="fetch anew what was fetched before")
    fetch.add_argument(
        "--accept",
        action="store_true",
        help="track the checksum of what --source gives, if rows and class counts are right",
    )
    verify = actions.add_parser(
        "verify", help="check bundled and cached content, and compare with OpenML and UCI"
    )
    verify.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    verify.add_argument(
        "--source", metavar="SOURCE", help="compare this source with the bundled rows"
    )
    for action in actions.choices.values():
        add_study(action)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Run the chosen action; return 0, or 1 if it failed for any set."""
    enter_study(args.study, ())
    source = getattr(args, "source", None)
    if source is not None and source not in SOURCES:
        raise unknown_name("source", source, SOURCES)
    if args.study is not None:
        return _of_study(args, console)
    if args.action == "list":
        head = ["data set", "rows", "columns", "classes", "sources", "cached"]
        print_table(head, map(_row, catalogue.names()), console, left=("sources", "cached"))
        return 0
    if args.action == "fetch":
        return _fetch(args, console)
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


def _fetch(args: argparse.Namespace, console: Console) -> int:
    if bool(args.names) == args.all:
        console.print("Name the sets to fetch, or give --all.", style="red")
        return 1
    if args.accept and not args.source:
        console.print("--accept needs --source: say whose content is to be trusted.", style="red")
        return 1
    names = _with_source(args.source) if args.all else args.names

    def fetch(name: str) -> str:
        if args.accept and args.source in SERVERS and "bundled" in _root(name).sources:
            raise DataError(
                f"{name} is bundled, and its own rows count: leave --accept out to see what "
                f"{args.source} has otherwise."
            )
        return _fetch_one(name, args.source, args.force, args.accept)

    return _for_each(names, fetch, console)


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


def _verify(args: argparse.Namespace, console: Console) -> int:
    """Check what is here, and hold bundled sets against the servers, or against one source.

    A source that differs is an error only where it is asked for by its name.
    """
    found: Counter[tuple[str, str]] = Counter()
    names = args.names or _with_source(args.source)
    if args.source in acquire.COPIES:
        return _for_each(names, lambda name: _verify_source(_root(name), args.source), console)
    code = _for_each(names, lambda name: _verify_all(_root(name), found), console)
    for source in dict.fromkeys(source for source, _ in found):
        counts = (f"{found[source, o]} {o}" for o in ("agree", "differ", "unavailable"))
        say(f"{source}: {', '.join(counts)}", console)
    if is_offline():
        console.print(f"OpenML and UCI are not asked, since {OFFLINE} is set.")
    return max(code, int(any(outcome == "unavailable" for _, outcome in found)))


def _verify_source(entry: CatalogueEntry, source: str) -> str:
    """Return that `source` has the bundled rows, or raise a DataError that says how it differs."""
    if "bundled" not in entry.sources:
        raise DataError("It is not bundled, so there is nothing to compare; leave out --source.")
    if differences := acquire.compare(entry, source):
        raise DataError("\n  ".join([f"{source} differs: {differences[0]}", *differences[1:]]))
    return f"{source} agrees"


def _verify_all(entry: CatalogueEntry, found: Counter[tuple[str, str]]) -> str:
    """Return what of a set is here, and what the servers say; count the latter in `found`."""
    here = [source for source in entry.sources if acquire.cached(entry, source) is not None]
    is_bundled = "bundled" in entry.sources
    if is_bundled:
        acquire.fetch(entry, "bundled")
        here.append("bundled")
    parts = [f"{', '.join(here)} verified" if here else "nothing cached"]
    for source in SERVERS if is_bundled and not is_offline() else ():
        if source not in entry.sources:
            continue
        try:
            differences = acquire.compare(entry, source)
        except DataError as error:
            found[source, "unavailable"] += 1
            parts.append(f"{source} unavailable ({str(error).rstrip('.')})")
        else:
            found[source, "differ" if differences else "agree"] += 1
            how = f"differs: {differences[0]}" if differences else "agrees"
            parts.append(f"{source} {how}")
    return "; ".join(parts)


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
    """Return a line of the list: name, sizes, sources, and those of which the content is cached."""
    entry = catalogue.find(name)
    expect, root = entry.expect, catalogue.root(entry)
    numbers = (expect["n_instances"], expect["n_features"], len(expect["classes"]))
    cached = [source for source in root.sources if cache.path_of(root, source).exists()]
    return [name, *map(str, numbers), ", ".join(root.sources), ", ".join(cached) or "-"]
