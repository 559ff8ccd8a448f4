"""The results changelog."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retree.diffing.changes import ABSENT, Change, ChangeKind
from retree.diffing.layouts import CELLS
from retree.diffing.result_folders import PaperDiff, TableDiff
from retree.errors import RetreeError
from retree.experiments.planning.splits import inner_words
from retree.reports.files import write

CHANGELOG = "CHANGELOG.md"
HEAD = """\
# Results changelog

`retree diff --log "reason"` writes an entry below when committed numbers move: how many rows of
each table, and of each paper at most five changed claims or largest moves, old → new. All of them
stand in git, in the change of the tables' csv files.
"""
SHOWN = 5
WORDS = {
    ChangeKind.MOVED: "numbers moved",
    ChangeKind.VERDICT: "verdicts changed",
    ChangeKind.CLAIM: "claims changed",
    ChangeKind.BLANK: "rows removed",
    ChangeKind.NEW: "rows added",
}


def add_entry(folder: Path, diffs: Sequence[PaperDiff], reason: str, when: str) -> Path:
    """Append an entry on all changes to ``CHANGELOG.md`` and return its path."""
    blanks = [c for diff in diffs for c in diff.changes if c.kind == ChangeKind.BLANK]
    absent = [change for change in blanks if change.new == ABSENT]
    if absent:
        raise RetreeError(
            f"{len(absent)} numbers are not computed ({absent[0].item}: "
            f"{cell_name(absent[0])}), so nothing is logged; run them first, or restrict the "
            "comparison with paper=, item= and datasets=."
        )
    path = folder / CHANGELOG
    before = path.read_text() if path.exists() else HEAD
    return write(path, before.rstrip("\n") + "\n\n" + entry(diffs, reason, when))


def entry(diffs: Sequence[PaperDiff], reason: str, when: str) -> str:
    """Return an entry of the log, as Markdown."""
    lines = [f"## {when}", "", reason, ""]
    for diff in diffs:
        if counts := [f"{t.name} {_counts(t)}" for t in diff.tables if t.changes]:
            lines.append(f"- **{diff.paper}**: {'; '.join(counts)}.")
            lines += [f"  - {text}" for text in _examples(diff)]
        lines += [f"- **{diff.paper}**: {sentence}" for sentence in diff.data]
    return "\n".join(lines) + "\n"


def cell_name(change: Change) -> str:
    """Return the row that changed, as a reader calls it."""
    names = list(change.cell)
    if change.item == CELLS:
        *names, repeat, fold, inner = names
        names += [f"repeat {repeat}", f"fold {fold}{inner_words(int(inner))}"]
    return ", ".join(text for text in names if text and text != "{}")


def change_text(change: Change) -> str:
    """Return what of a row changed, with the old and the new value."""
    column = f"{change.column} " if change.column else ""
    return f"{column}{change.old or 'nothing'} → {change.new or 'nothing'}"


def _counts(table: TableDiff) -> str:
    parts = []
    for kind, words in WORDS.items():
        rows = {change.cell for change in table.changes if change.kind == kind}
        if rows:
            parts.append(f"{len(rows)} {words}")
    return ", ".join(parts)


def _examples(diff: PaperDiff) -> list[str]:
    """Return the claims that changed, then the largest moves of numbers that tables show."""
    changes = [change for change in diff.changes if change.item != CELLS]
    claims = [change for change in changes if change.kind == ChangeKind.CLAIM]
    moved = [change for change in changes if change.column == "reproduced"]
    moved.sort(key=lambda change: -change.size)
    shown = [*claims, *(change for change in moved if change.kind == ChangeKind.MOVED)][:SHOWN]
    return [f"{change.item}, {cell_name(change)}: {change_text(change)}" for change in shown]
