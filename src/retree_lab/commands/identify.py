"""Find the learner, options and protocol that give the numbers of a table.

The rows of the table are data sets; one number works too: --dataset iris 94.67. Each column is
compared with an index of the results of Weka's learners on well-known data sets, under the usual
protocols. --recompute fits the best explanation again and shows its numbers beside those of the
table. --data mine.arff adds your own data set, whose class is the last column; that takes a while.
"""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from retree.errors import RetreeError, as_usage
from retree_lab.commands.audit import add_metric, read_file
from retree_lab.outside.audit import is_share
from retree_lab.outside.index import Index, read_index
from retree_lab.outside.matching import Explanation, Identified, Name, differing, identify
from retree_lab.outside.reading import Number, number_of
from retree_lab.screen import print_table, say, say_all

if TYPE_CHECKING:
    from retree_lab.datasets.loading import Dataset

SHOWN = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="csv, Markdown or LaTeX; - for standard input"
    )
    parser.add_argument(
        "--dataset", nargs=2, metavar=("NAME", "VALUE"), help="one number instead of a table"
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="an ARFF file; may be repeated",
    )
    parser.add_argument(
        "--recompute", action="store_true", help="fit the first explanation on these data sets now"
    )
    parser.add_argument("--all", action="store_true", help="show 20 explanations of each column")
    add_metric(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Print what may have made each column; return 0, or 1 if no column is identified."""
    with as_usage():
        columns, others = _columns(args)
        datasets = dict(_own_data(file) for file in args.data)
        index = _with_data(read_index(), datasets)
        identified = []
        unknown: dict[str, str] = {}
        for name, numbers in columns.items():
            answers = {}
            for dataset, number in numbers.items():
                try:
                    index.place(dataset)
                    answers[dataset] = number
                except RetreeError as error:
                    unknown[dataset] = str(error)
            if answers:
                identified.append((identify(index, name, answers), answers))
        if not identified:
            raise RetreeError(next(iter(unknown.values())))
    say("Numbers are read as accuracies or error rates.", console)
    if others:
        say(f"Skipped, since the index has only accuracies: {', '.join(others)}.", console)
    if unknown:
        names = ", ".join(unknown)
        say(f"Data sets not in the index: {names}. Add one with --data FILE.", console)
    for each, answers in identified:
        _print(each, answers, index, args, console)
        if args.recompute and each.explanations:
            _print_recomputed(each.explanations[0], answers, index, datasets, console)
    return int(not any(each.named for each, _ in identified))


def _columns(args: argparse.Namespace) -> tuple[dict[str, dict[str, Number]], list[str]]:
    """Return the numbers that are asked about, by column and data set, and the other metrics."""
    if (args.file is None) == (args.dataset is None):
        raise RetreeError("Give a file with a table, or one number with --dataset NAME VALUE.")
    if args.dataset is not None:
        name, text = args.dataset
        number = number_of(text)
        if number is None:
            raise RetreeError(f"{text!r} is not a number: write it like 94.67.")
        return {f"{text} on {name}": {name: number}}, []
    tables = read_file(args.file, args.metric)
    shares = [table for table in tables if is_share(table.metric)]
    others = list(dict.fromkeys(t.metric for t in tables if not is_share(t.metric)))
    if not shares:
        raise RetreeError(
            f"The table has {', '.join(others)}, and the index only accuracies: nothing to compare."
        )
    columns = {}
    for table in shares:
        about = ", ".join(filter(None, (table.name, table.metric))) if len(tables) > 1 else ""
        for method in table.methods:
            columns[f"{method} ({about})" if about else method] = table.column(method)
    return columns, others


def _own_data(file: Path) -> tuple[str, Dataset]:
    """Return the name and the data set of an ARFF file of the user's."""
    from retree_lab.datasets.arff import read_arff
    from retree_lab.datasets.loading import Dataset

    try:
        table = read_arff(file.read_bytes(), file.name)
    except OSError as error:
        raise RetreeError(f"{file} cannot be read ({error}): give an ARFF file.") from error
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    if y.dtype != "category" or y.isna().any():
        raise RetreeError(f"{file}: the last column must be the class, without missing values.")
    return file.stem, Dataset(file.stem, X, y, "own", "", "")


def _with_data(index: Index, datasets: Mapping[str, Dataset]) -> Index:
    """Return the index with data sets of the user's, computed on the spot."""
    for name, dataset in datasets.items():
        from retree_lab.outside.computing import computed_index

        index = index.with_data(name, computed_index(name, dataset))
    return index


def _print(
    answer: Identified,
    numbers: dict[str, Number],
    index: Index,
    args: argparse.Namespace,
    console: Console,
) -> None:
    """Say what made a column."""
    title = answer.column if args.dataset else f"{answer.column}, {_count(len(numbers), 'number')}"
    say(f"\n{title}", console, style="bold")
    name, unit = answer.named, min(number.unit for number in numbers.values())
    named = name.entries if name else ()
    if name:
        say(f"  {_named(name)}", console)
        say(f"  {_evidence(named[0])} Probability: {name.probability:.0%}.", console)
        if len(named) > 1:
            others = "; ".join(_other(other, named[0]) for other in named[1:SHOWN])
            more = f"; and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
            say(f"  These give the same numbers: {others}{more}.", console)
    else:
        say(f"  {_why_not(answer, numbers)}", console)
    rivals = (named or answer.explanations)[:2]
    if args.all or not named:
        explanations = answer.explanations[: None if args.all else SHOWN]
        rows = [
            [e.learner, e.protocol, str(e.writing), f"{len(e.equal)} of {e.compared}"]
            for e in explanations
        ]
        if rows:
            head = ["learner", "protocol", "written as", "equal"]
            print_table(head, rows, console, left=head[:3])
    if len(rivals) == 2 and (apart := differing(index, rivals, unit)):
        say(f"  {', '.join(apart[:SHOWN])} would tell the first two apart.", console)
    say_all((f"  {line}" for line in _impossible(numbers, index)), console)
    if answer.explanations and not args.recompute:
        say(f"  Recompute: {_command(args)}", console)
    if named:
        say(f"  {_in_python(named[0])}", console)


def _print_recomputed(
    explanation: Explanation,
    numbers: dict[str, Number],
    index: Index,
    datasets: Mapping[str, Dataset],
    console: Console,
) -> None:
    """Fit an explanation now, and print its numbers beside the table's."""
    from retree_lab.outside.computing import recompute

    # Two digits more than the table has.
    decimals = 2 - round(math.log10(min(number.unit for number in numbers.values())))
    rows = [
        [
            dataset,
            f"{number.value:g}",
            f"{value:.{decimals}f}",
            "" if math.isnan(std) else f"{std:.{decimals}f}",
            "equal" if equal else "not equal",
        ]
        for dataset, number, value, std, equal in recompute(explanation, numbers, index, datasets)
    ]
    say(f"  {_name(explanation)}, fitted now:", console)
    print_table(["data set", "table", "recomputed", "deviation", ""], rows, console)


def _name(explanation: Explanation) -> str:
    return f"{explanation.learner}; {explanation.protocol}; {explanation.writing}"


def _named(name: Name) -> str:
    """Return the sure and the open findings about a column."""
    first = name.entries[0]
    if not name.any_options and not name.any_folds:
        return _name(first)
    learner = " or ".join(name.learners) if name.any_options else first.learner
    protocol = (
        " or ".join(name.protocols) or f"folds or seed unclear (for example {first.protocol})"
    )
    alike = "" if first.learner in name.learners else f"; for example {first.learner}"
    options = f" (options unclear{alike})" if name.any_options else ""
    return f"{learner}{options}; {protocol}; {first.writing}"


def _other(explanation: Explanation, first: Explanation) -> str:
    """Return how one is called beside another: by its learner, if nothing else differs."""
    same = (explanation.protocol, explanation.writing) == (first.protocol, first.writing)
    return explanation.learner if same else _name(explanation)


def _evidence(explanation: Explanation) -> str:
    equal, n, spread = len(explanation.equal), explanation.compared, explanation.spread
    said = (
        f"{equal} of {_count(n, 'number')} equal; for other entries of the index it is "
        f"{explanation.by_chance:.1f} on average."
    )
    if spread.compared:
        said += f" {spread.equal} of {_count(spread.compared, 'deviation')} equal"
        said += f", over {spread.folds} folds by {spread.divisor}." if spread.equal else "."
    return said


def _command(args: argparse.Namespace) -> str:
    """Return the command that recomputes what is found."""
    asked = [args.file] if args.file is not None else ["--dataset", *args.dataset]
    data = [part for file in args.data for part in ("--data", str(file))]
    return shlex.join(["retree", "identify", *asked, *data, "--recompute"])


def _in_python(explanation: Explanation) -> str:
    """Return the estimator and the folds that give the numbers."""
    from retree_lab.outside.computing import LEARNERS, PROTOCOLS

    model = " ".join(repr(LEARNERS[explanation.learner]).split())
    return f"In Python: {model}, {PROTOCOLS[explanation.protocol].code}."


def _why_not(identified: Identified, numbers: Iterable[str]) -> str:
    if identified.likely:
        first = identified.likely.entries[0]
        others = [name for name in numbers if name not in first.equal]
        return (
            f"{len(first.equal)} of {first.compared} numbers equal the results of {_name(first)}. "
            f"Others ({', '.join(others[:SHOWN])}) do not: misprints, or another option, release "
            "or file."
        )
    best = identified.explanations[:1]
    if best and len(best[0].equal) == best[0].compared:
        n = best[0].compared
        few = "1 number is too few" if n == 1 else f"{n} numbers are too few"
        return f"Consistent with {_name(best[0])}, {n} of {n}, but {few} to tell."
    if best and len(best[0].equal) >= best[0].compared / 2:
        return "These numbers cannot tell; more data sets or more digits would help."
    near = f"the nearest is {identified.nearest:.2g} points off on average"
    return f"No learner and protocol in the index gives these numbers; {near}."


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
                f"{name}: no number of correct rows out of {rows} gives {number.value:g}, so it is "
                "a mean over folds or runs, or a misprint."
            )
    return lines


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
