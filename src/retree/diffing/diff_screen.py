"""What ``retree diff`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console

from retree.diffing.changelog import cell_name, change_text
from retree.diffing.changes import ABSENT, Change, ChangeKind
from retree.diffing.layouts import CELLS
from retree.diffing.result_folders import PaperDiff, TableDiff
from retree.experiments.verifying.cell_difference import ROUNDING
from retree.reports.files import item_title
from retree.screen import print_table, say
from retree.study.folders import named

SHOWN = 40


def print_paper(diff: PaperDiff, console: Console) -> None:
    """Print each change of a paper, then one line a table, and what was not compared."""
    lines = list(diff.data)
    for table in diff.tables:
        lines += [*_blank_lines(table, diff.paper), *_new_lines(table, diff.paper)]
        lines += _row_lines(table)
    for line in lines[:SHOWN]:
        say(line, console)
    if len(lines) > SHOWN:
        say(f"… and {len(lines) - SHOWN} more: --csv FILE writes all of them.", console)
    _print_summary(diff, console)
    how = "exactly, since both come from one platform"
    if not diff.exact:
        how = (
            f"up to {ROUNDING:g} times the greater of 1 and the committed number, since they do "
            "not come from one recorded platform"
        )
    say(f"Numbers are compared {how}. Pictures are not: their numbers are {CELLS}.", console)
    for reason, count in diff.skipped.items():
        if count:
            say(f"Not compared: {count} {reason}.", console)


def verdict_line(diffs: Sequence[PaperDiff]) -> str:
    """Return the sentence that says whether all is as committed."""
    counts = Counter(kind for diff in diffs for table in diff.tables for kind in _kinds(table))
    lost = sum(len(diff.data) for diff in diffs)
    rows = sum(table.n_rows for diff in diffs for table in diff.tables)
    names = ", ".join(diff.paper for diff in diffs)
    if not counts and not lost:
        return f"As committed: {rows} rows of {names}."
    words = {
        ChangeKind.MOVED: "rows that moved",
        ChangeKind.VERDICT: "changed verdicts",
        ChangeKind.CLAIM: "changed claims",
        ChangeKind.BLANK: "blanks",
        ChangeKind.NEW: "rows that are not committed",
    }
    parts = [f"{text}: {counts[kind]}" for kind, text in words.items() if counts[kind]]
    parts += [f"data sets that are not the committed ones: {lost}"] if lost else []
    return (
        f"Not as committed: {', '.join(parts)}. What moved on purpose is logged by "
        'retree diff --log "REASON", and rendered by retree report.'
    )


def _kinds(table: TableDiff) -> Iterator[ChangeKind]:
    """Yield a kind once for each row that it happened to."""
    return (kind for kind, _ in {(change.kind, change.cell) for change in table.changes})


def _blank_lines(table: TableDiff, paper: str) -> Iterator[str]:
    """Yield a line for each data set of a table that lacks numbers."""
    blanks = [change for change in table.changes if change.kind == ChangeKind.BLANK]
    blanks.sort(key=lambda c: (_set(c, table), c.new))
    for (name, why), group in groupby(blanks, key=lambda c: (_set(c, table), c.new)):
        some = list(group)
        fix = "."
        if why == ABSENT:
            item = some[0].cell[0] if table.name == CELLS else table.name
            fix = f": retree run {named(paper)} item={item} datasets=[{name}]"
        yield (
            f"{table.name}: {len(some)} committed rows of {name} have {why} now "
            f"({_first(some)}){fix}"
        )


def _new_lines(table: TableDiff, paper: str) -> Iterator[str]:
    """Yield a line for all rows of a table that are not committed."""
    some = [change for change in table.changes if change.kind == ChangeKind.NEW]
    if some:
        fix = f"retree report {named(paper)} item=all, and commit"
        yield f"{table.name}: {len(some)} rows are not committed ({_first(some)}): {fix}"


def _first(changes: Sequence[Change]) -> str:
    rest = ", …" if len(changes) > 1 else ""
    return f"{cell_name(changes[0])}: {change_text(changes[0])}{rest}"


def _set(change: Change, table: TableDiff) -> str:
    return change.cell[1 if table.name == CELLS else 0]


def _row_lines(table: TableDiff) -> Iterator[str]:
    """Yield a line for each row that changed, those of other verdicts first."""
    rows: dict[tuple[str, ...], list[Change]] = {}
    for change in table.changes:
        if change.kind not in (ChangeKind.BLANK, ChangeKind.NEW):
            rows.setdefault(change.cell, []).append(change)
    for some in sorted(rows.values(), key=_is_move):
        yield f"{table.name}: {cell_name(some[0])}: {'; '.join(map(change_text, some))}"


def _is_move(changes: Sequence[Change]) -> bool:
    return not {ChangeKind.VERDICT, ChangeKind.CLAIM}.intersection(
        change.kind for change in changes
    )


def _print_summary(diff: PaperDiff, console: Console) -> None:
    rows = []
    for table in diff.tables:
        counts = Counter(_kinds(table))
        share = "" if table.share is None else f"{table.share:.0%}"
        numbers = [str(counts[kind] or "") for kind in ChangeKind]
        rows.append([item_title(table.name), str(table.n_rows), *numbers, share])
    heads = ("rows", "moved", "verdicts", "claims", "blanks", "new", "agreeing")
    print_table([diff.paper, *heads], rows, console)
