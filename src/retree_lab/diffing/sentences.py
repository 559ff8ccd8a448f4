"""The sentences of ``retree diff``, for the screen and the results changelog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console

from retree.errors import RetreeError
from retree_lab.diffing.result_folders import PaperDiff, TableDiff
from retree_lab.diffing.tables import ABSENT, CELLS, Change, ChangeKind
from retree_lab.experiments.planning.splits import inner_words
from retree_lab.experiments.verifying.verification import ROUNDING
from retree_lab.reports.files import item_title, write
from retree_lab.screen import print_table, say, say_all
from retree_lab.study.folders import named

SHOWN, LOGGED = 40, 5
WORDS = {
    ChangeKind.MOVED: "numbers moved",
    ChangeKind.VERDICT: "verdicts changed",
    ChangeKind.CLAIM: "claims changed",
    ChangeKind.BLANK: "rows removed",
    ChangeKind.NEW: "rows added",
    ChangeKind.PAGE: "lines of pages changed",
}
CHANGELOG = "CHANGELOG.md"
HEAD = """\
# Results changelog

`retree diff --log "reason"` writes an entry below when committed numbers move: how many rows of
each table, and of each paper at most five changed claims or largest moves, old → new. All of them
stand in git, in the change of the tables' csv files.
"""


def print_paper(diff: PaperDiff, console: Console) -> None:
    """Print each change of a paper, then one line a table, and what was not compared."""
    lines = [
        *diff.unverified,
        *diff.data,
        *(line for table in diff.tables for line in _lines(table, diff.paper)),
    ]
    say_all(lines[:SHOWN], console)
    if len(lines) > SHOWN:
        say(f"… and {len(lines) - SHOWN} more: --csv FILE writes all of them.", console)
    rows = [
        [item_title(table.name), str(table.n_rows)]
        + [str(_counts([table])[kind] or "") for kind in ChangeKind]
        for table in diff.tables
    ]
    heads = ("rows", "moved", "verdicts", "claims", "blanks", "new", "lines")
    print_table([diff.paper, *heads], rows, console)
    source = "one platform" if diff.n_pages is None else "the same cells"
    how = f"exactly, since both come from {source}"
    if not diff.exact:
        how = (
            f"to within {ROUNDING:g} times the greater of 1 and the committed number, since they "
            "do not come from one recorded platform"
        )
    say(f"Numbers are compared {how}.", console)
    if diff.n_pages is None:
        say(
            "Pages and pictures are not compared, since not all cells are the committed ones.",
            console,
        )
    else:
        say(f"{diff.n_pages} pages and pictures are compared byte by byte.", console)
    for reason, count in diff.skipped.items():
        if count:
            say(f"Not compared: {count} {reason}.", console)


def verdict_line(diffs: Sequence[PaperDiff]) -> str:
    """Return the sentence that says whether all is as committed."""
    tables = [table for diff in diffs for table in diff.tables]
    if all(diff.same for diff in diffs):
        names = ", ".join(diff.paper for diff in diffs)
        return f"Unchanged: {sum(table.n_rows for table in tables)} rows of {names}."
    counts = _in_words(_counts(tables))
    if lost := sum(len(diff.data) for diff in diffs):
        counts.append(f"data sets other than the committed ones: {lost}")
    if lost := sum(len(diff.unverified) for diff in diffs):
        counts.append(f"files other than the verified ones: {lost}")
    return (
        f"Changed: {', '.join(counts)}. If that was intended, log it with "
        'retree diff --log "REASON", and render it with retree report.'
    )


def cell_name(change: Change) -> str:
    """Return the row that changed, as a reader calls it."""
    names = list(change.cell)
    if change.item == CELLS:
        *names, repeat, fold, inner = names
        names += [f"repeat {repeat}", f"fold {fold}{inner_words(int(inner))}"]
    return ", ".join(text for text in names if text and text != "{}")


def add_entry(folder: Path, diffs: Sequence[PaperDiff], reason: str, when: str) -> Path:
    """Append an entry on all changes to ``CHANGELOG.md`` and return its path."""
    absent = [change for diff in diffs for change in diff.changes if change.new == ABSENT]
    if absent:
        raise RetreeError(
            f"{len(absent)} numbers are not computed ({absent[0].item}: "
            f"{cell_name(absent[0])}), so nothing is logged; run them first, or restrict the "
            "comparison with paper=, item= and datasets=."
        )
    path = folder / CHANGELOG
    before = path.read_text() if path.exists() else HEAD
    lines = [f"## {when}", "", reason, ""]
    for diff in diffs:
        changed = [table for table in diff.tables if table.changes]
        counts = [f"{table.name} {', '.join(_in_words(_counts([table])))}" for table in changed]
        lines += [f"- **{diff.paper}**: {'; '.join(counts)}."] if counts else []
        lines += [f"  - {c.item}, {cell_name(c)}: {_text(c)}" for c in _examples(diff)]
        lines += [f"- **{diff.paper}**: {sentence}" for sentence in diff.data]
    return write(path, before.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n")


def _examples(diff: PaperDiff) -> list[Change]:
    """Return the claims that changed, then the largest moves of numbers that tables show."""
    claims = [change for change in diff.changes if change.kind == ChangeKind.CLAIM]
    moved = [c for c in diff.changes if c.kind == ChangeKind.MOVED and c.column == "reproduced"]
    return [*claims, *sorted(moved, key=lambda change: -change.size)][:LOGGED]


def _counts(tables: Sequence[TableDiff]) -> Counter[ChangeKind]:
    """Return the number of rows with each kind of change."""
    rows = {(id(table), c.kind, c.cell) for table in tables for c in table.changes}
    return Counter(kind for _, kind, _ in rows)


def _in_words(counts: Counter[ChangeKind]) -> list[str]:
    return [f"{counts[kind]} {words}" for kind, words in WORDS.items() if counts[kind]]


def _lines(table: TableDiff, paper: str) -> Iterator[str]:
    """Yield a line for each data set that lacks numbers, for all new rows, for each other row."""
    blanks = [change for change in table.changes if change.kind == ChangeKind.BLANK]
    new = [change for change in table.changes if change.kind == ChangeKind.NEW]
    at = 1 if table.name == CELLS else 0

    def place(change: Change) -> tuple[str, str]:
        return change.cell[at], change.new

    for (name, why), group in groupby(sorted(blanks, key=place), key=place):
        some, fix = list(group), "."
        if why == ABSENT:
            item = some[0].cell[0] if table.name == CELLS else table.name
            fix = f": retree run {named(paper)} item={item} datasets=[{name}]"
        text = f"{len(some)} committed rows of {name} have {why} now ({_first(some)}){fix}"
        yield f"{table.name}: {text}"
    if new:
        fix = f"retree report {named(paper)} item=all, and commit"
        yield f"{table.name}: {len(new)} rows are not committed ({_first(new)}): {fix}"
    rows: dict[tuple[str, ...], list[Change]] = {}
    for change in table.changes:
        if change.kind not in (ChangeKind.BLANK, ChangeKind.NEW):
            rows.setdefault(change.cell, []).append(change)
    # Those of other verdicts first.
    for some in sorted(rows.values(), key=lambda row: {c.kind for c in row} == {ChangeKind.MOVED}):
        yield f"{table.name}: {cell_name(some[0])}: {'; '.join(map(_text, some))}"


def _first(changes: Sequence[Change]) -> str:
    return f"{cell_name(changes[0])}: {_text(changes[0])}{', …' if len(changes) > 1 else ''}"


def _text(change: Change) -> str:
    """Return the column that changed, with its old and its new value."""
    column = f"{change.column} " if change.column else ""
    return f"{column}{change.old or 'nothing'} → {change.new or 'nothing'}"
