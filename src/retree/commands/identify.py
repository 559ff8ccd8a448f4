"""Find the learner, options and protocol that give the numbers of a table.

The table is a csv, Markdown or LaTeX file, or - for standard input, with data sets as rows; or one
number: --dataset iris 94.67. Each column is compared with an index of what Weka's learners give on
well-known data sets by the usual protocols. --data mine.arff adds a data set of your own, whose
class is the last column; that takes a while.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from retree.commands.audit import read_file
from retree.errors import RetreeError, as_usage
from retree.outside.index import Index, read_index
from retree.outside.matching import Explanation, Identified, differing, identify
from retree.outside.reading import Number, number_of
from retree.screen import print_table, say

SHOWN = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a table; - reads standard input")
    parser.add_argument(
        "--dataset", nargs=2, metavar=("NAME", "VALUE"), help="one number instead of a table"
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="an ARFF file; repeat",
    )
    parser.add_argument("--all", action="store_true", help="show 20 explanations of each column")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Print what may have made each column; return 0, or 1 if no column is identified."""
    with as_usage():
        columns = _columns(args)
        index = read_index()
        for file in args.data:
            index = _with_file(index, file)
        found = []
        unknown: dict[str, str] = {}
        for name, numbers in columns.items():
            known = {}
            for dataset, number in numbers.items():
                try:
                    index.place(dataset)
                    known[dataset] = number
                except RetreeError as error:
                    unknown[dataset] = str(error)
            if known:
                found.append((identify(index, name, known), known))
        if not found:
            raise RetreeError(next(iter(unknown.values())))
    if unknown:
        names = ", ".join(unknown)
        say(f"Not in the index: {names}. --data FILE adds a data set.", console)
    for each, known in found:
        _print(each, known, index, args.all, console)
    return int(not any(each.named for each, _ in found))


def _columns(args: argparse.Namespace) -> dict[str, dict[str, Number]]:
    """Return the numbers that are asked about, by column and data set."""
    if (args.file is None) == (args.dataset is None):
        raise RetreeError("Name a file, or one number by --dataset NAME VALUE.")
    if args.dataset is not None:
        name, text = args.dataset
        number = number_of(text)
        if number is None:
            raise RetreeError(f"{text!r} is no number: write it like 94.67.")
        return {"number": {name: number}}
    table = read_file(args.file)
    return {method: table.column(method) for method in table.methods}


def _with_file(index: Index, file: Path) -> Index:
    """Return the index with a data set of the user's, computed on the spot."""
    from retree.datasets.arff import read_arff
    from retree.datasets.loading import Dataset
    from retree.outside.computing import computed_index

    try:
        table = read_arff(file.read_bytes(), file.name)
    except OSError as error:
        raise RetreeError(f"{file} cannot be read ({error}): name an ARFF file.") from error
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    if y.dtype != "category" or y.isna().any():
        raise RetreeError(f"{file}: the last column must be the class, without missing values.")
    return index.with_data(
        file.stem, computed_index(file.stem, Dataset(file.stem, X, y, "own", "", ""))
    )


def _print(
    found: Identified, numbers: dict[str, Number], index: Index, everything: bool, console: Console
) -> None:
    """Say what made a column."""
    say(f"\n{found.column}, {_count(len(numbers), 'number')}", console, style="bold")
    named, unit = found.named, min(number.unit for number in numbers.values())
    if named:
        first = named[0]
        say(f"  {_name(first)}", console)
        say(f"  {_evidence(first)}", console)
        for other in named[1:SHOWN]:
            say(f"  or {_name(other)}, with the same numbers", console)
        say(f"  {_recomputed(first)}", console)
        rivals = named[:2]
    else:
        say(f"  {_why_not(found, numbers)}", console)
        rivals = found.explanations[:2]
    if everything or not named:
        shown = found.explanations[: None if everything else SHOWN]
        rows = [
            [e.learner, e.protocol, str(e.writing), f"{len(e.equal)} of {e.compared}"]
            for e in shown
        ]
        if rows:
            head = ["learner", "protocol", "written as", "equal"]
            print_table(head, rows, console, left=head[:3])
    if len(rivals) == 2 and (apart := differing(index, rivals, unit)):
        say(f"  {', '.join(apart[:SHOWN])} would tell the first two apart.", console)
    for line in _impossible(numbers, index):
        say(f"  {line}", console)


def _name(explanation: Explanation) -> str:
    return f"{explanation.learner}; {explanation.protocol}; {explanation.writing}"


def _evidence(explanation: Explanation) -> str:
    equal, n = len(explanation.equal), explanation.compared
    return (
        f"{equal} of {_count(n, 'number')} equal; other entries of the index give "
        f"{explanation.by_chance:.1f} on average."
    )


def _recomputed(explanation: Explanation) -> str:
    """Return the estimator and the folds that give the numbers."""
    from retree.outside.computing import LEARNERS, PROTOCOLS

    model = " ".join(repr(LEARNERS[explanation.learner]()).split())
    return f"In Python: {model}, {PROTOCOLS[explanation.protocol].code}."


def _why_not(found: Identified, numbers: Iterable[str]) -> str:
    if found.likely:
        first = found.likely[0]
        others = [name for name in numbers if name not in first.equal]
        return (
            f"{len(first.equal)} of {first.compared} numbers are those of {_name(first)}. Others "
            f"({', '.join(others[:SHOWN])}) are not: misprints, or another option, release or file."
        )
    best = found.explanations[:1]
    if best and len(best[0].equal) >= best[0].compared / 2:
        return "These numbers do not tell: more data sets, or more digits, would."
    near = f"the nearest is {found.nearest:.1f} points off on average"
    return f"None of the learners and protocols in the index; {near}."


def _impossible(numbers: dict[str, Number], index: Index) -> list[str]:
    """Return which numbers no count of right rows gives."""
    full = 1.0 if all(number.value <= 1 for number in numbers.values()) else 100.0
    lines = []
    for name, number in numbers.items():
        rows = int(index.rows[index.place(name)])
        written = full * np.arange(rows + 1) / rows
        near = abs(written - number.value)
        # Cut or rounded, it is less than a unit away.
        if near.min() >= number.unit:
            lines.append(
                f"{name}: no count of {rows} rows gives {number.value:g}, so it is a mean over "
                "folds or runs, or a misprint."
            )
    return lines


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
