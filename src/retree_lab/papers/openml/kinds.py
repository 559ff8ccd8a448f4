"""Published accuracies beside ours as counts of right rows."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.comparison import Comparison, Judgement, comparison_table
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kind import NumericKind
from retree_lab.reports.published import published_name
from retree_lab.reports.right_rows import blank_number, methods_table, numbers_table
from retree_lab.reports.words import Word
from retree_lab.statistics import Digits, Verdict

from .datasets import is_known_by_name
from .worth import DECIMALS, METRIC, Counts, find_counts, published_count

OTHERS, LARGER = "others.csv", "larger.csv"
GROUPS = {True: "Tasks known by name", False: "Tasks whose file was matched by its results"}
_HEADER = ["learner", "published", "reproduced", "equal", "at most 3 rows away", "further away"]
_LEGEND = (
    "A number is how many rows are right, of all rows of the task. = is equal to the published "
    f"accuracy to all {DECIMALS} decimals; otherwise the published number of rows follows in "
    "brackets.",
    "Tasks known by name are those whose data set is known by its name; OpenML's own splits say "
    "that rows and classes are in its order. The file of another task was found among many by "
    "published numbers that it gives, so that its numbers are equal in part because the file was "
    "chosen by them.",
)


@dataclass(frozen=True, kw_only=True)
class CountTable(NumericKind):
    """A row for each task, a column for each learner; every row of the data is tested on once."""

    metrics: tuple[str, ...] = (METRIC,)
    chooses = False

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by task and learner."""
        counts = find_counts(context)
        return [
            _compare(context, dataset, method, counts)
            for dataset in context.item.datasets
            for method in context.item.methods
        ]

    def tables(self, rows: Sequence[Comparison]) -> Mapping[str, pd.DataFrame]:
        """Return the rows as a csv file, with the counts and how the task's file is known."""
        table = comparison_table(rows)
        known = ["name" if is_known_by_name(c.dataset_key) else "results" for c in rows]
        counts = [None if math.isnan(c.reproduced) else _correct(c) for c in rows]
        table["correct"] = pd.array(counts, dtype="Int64")
        return {"": table.assign(rows=[c.n_test for c in rows], known_by=known)}

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts of each learner, what differs, and all numbers."""
        parts = {
            group: own
            for by_name, group in GROUPS.items()
            if (own := [c for c in rows if is_known_by_name(c.dataset_key) == by_name])
        }
        learners = [published_name(method) for method in context.item.methods]
        tables = [
            methods_table(_HEADER, own, learners, _counted, _title(group, own), total=True)
            for group, own in parts.items()
        ]
        if away := [c for c in rows if c.verdict == Verdict.DIFFERS]:
            tables.append(_differences(away))
        tables += [
            numbers_table(own, learners, _cell, f"{group}: all numbers", ("task", "rows"), _lead)
            for group, own in parts.items()
        ]
        return Document(introduction(context), [*tables, Bullets([*_LEGEND, _blocked(context)])])


def _compare(context: Context, dataset: str, method: Method, counts: Counts) -> Comparison:
    name = published_name(method)
    theirs = context.find_published(context.item.label(dataset), name, METRIC)
    number = replace(
        blank_number(context, (dataset, method, METRIC), theirs, Comparison), method=name
    )
    found = counts.get((dataset, method.key, 0))
    if found is None:
        return number
    correct, total = found
    judged, reason = _judge(theirs.value, correct, total)
    return replace(
        number,
        reproduced=correct / total,
        n_folds=context.item.protocol.folds,
        n_test=total,
        reason=reason,
        judgement=judged,
    )


def _judge(published: float, correct: int, total: int) -> tuple[Judgement, str]:
    """Return whether so many right rows are the published ones, and what to know of it."""
    if math.isnan(published):
        return Judgement(), ""
    if (count := published_count(published, total)) is None:
        judged = Judgement(Verdict.DIFFERS, digits=Digits.ROUNDED)
        return judged, f"no number of {total} rows gives {published:.{DECIMALS}f}"
    verdict = Verdict.EQUAL if count == correct else Verdict.DIFFERS
    return Judgement(verdict, steps=float(abs(count - correct)), digits=Digits.ROUNDED), ""


def _correct(c: Comparison) -> int:
    return round(c.reproduced * c.n_test)


def _title(group: str, rows: Sequence[Comparison]) -> str:
    return f"{group}: {len({c.dataset for c in rows})} tasks, {len(rows):,} numbers"


def _counted(rows: Sequence[Comparison]) -> list[str]:
    published = [c for c in rows if not math.isnan(c.published)]
    reproduced = [c for c in published if not math.isnan(c.reproduced)]
    equal = sum(c.verdict == Verdict.EQUAL for c in published)
    near = sum(0 < c.steps <= 3 for c in published)
    counts = (len(published), len(reproduced), equal, near, len(reproduced) - equal - near)
    return [f"{count:,}" for count in counts]


def _differences(rows: Sequence[Comparison]) -> Table:
    header = ["task", "learner", "published", "reproduced", "right rows", "rows away"]
    lines: list[list[Entry]] = [
        [
            c.dataset,
            c.method,
            f"{c.published:.{DECIMALS}f}",
            TableCell(f"{c.reproduced:.{DECIMALS}f}", c.reason, comparison=c),
            f"{_correct(c):,} of {c.n_test:,}",
            BLANK if math.isnan(c.steps) else f"{c.steps:.0f}",
        ]
        for c in rows
    ]
    return Table(header, lines, left=2, title="What differs")


def _lead(own: Sequence[Comparison]) -> list[Entry]:
    n_rows = max(c.n_test for c in own)
    return [own[0].dataset, f"{n_rows:,}" if n_rows else BLANK]


def _cell(c: Comparison) -> Entry:
    if math.isnan(c.reproduced):
        return TableCell(BLANK, c.reason, comparison=c)
    text = f"{_correct(c):,}"
    if c.verdict == Verdict.EQUAL:
        return TableCell(text, marks=Word.MATCH.sign, word=c.word)
    facts = [f"{text} of {c.n_test:,} rows, {c.reproduced:.{DECIMALS}f}"]
    facts.append(f"published {c.published:.{DECIMALS}f}")
    count = published_count(c.published, c.n_test)
    theirs = f"{c.published:.{DECIMALS}f}" if count is None else f"{count:,}"
    return TableCell(text, c.reason, comparison=c, facts=facts, published=f"({theirs})")


def _blocked(context: Context) -> str:
    with (context.paper.folder / OTHERS).open(newline="", encoding="utf-8") as file:
        others = [row["task"] for row in csv.DictReader(file)]
    items = context.paper.items
    n_known, n_here = (len(items[name]["datasets"]) for name in ("table1", context.item.name))
    blocked = (
        f"{len(others)} of the {n_known + len(others)} tasks of the study are blocked, since no "
        f"file of them is known here, or one repeats another (see notes.md); their published "
        f"numbers are in conf/paper/openml/{OTHERS}."
    )
    if n_here == n_known:
        return blocked
    return (
        f"{blocked} {n_here} of the {n_known} others are computed here, by their size (see "
        f"notes.md); what is published of the larger ones is in conf/paper/openml/{LARGER}."
    )
