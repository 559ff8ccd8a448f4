"""Published accuracies beside ours as counts of right rows, and what a match is worth."""

from __future__ import annotations

import csv
import math
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from retree_lab.reports.comparison import Comparison, Judgement, Word, comparison_table
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kinds.equality import (
    RightRowsTable,
    complete_runs,
    count_numbers,
    methods_table,
    numbers_table,
    pooled,
)
from retree_lab.reports.published import published_name
from retree_lab.reports.sections import entries_table
from retree_lab.reports.selection import Choice
from retree_lab.statistics import Digits, Verdict

from .datasets import is_known_by_name

METRIC, OTHERS = "accuracy", "others.csv"
DECIMALS = 6
GROUPS = {True: "Tasks known by name", False: "Tasks whose file was matched by its results"}
_LEGEND = (
    f"A number says how many of the task's rows are classified correctly. {Word.MATCH.sign} means "
    f"equal to the published accuracy to all {DECIMALS} decimals; otherwise the published number "
    "of rows follows in brackets.",
    "A task is known by name if its data set is; OpenML's own splits show that rows and classes "
    "are in its order. The file of any other task was found among many by the published numbers "
    "that it gives. So its numbers are equal in part because the file was chosen by them.",
)


@dataclass(frozen=True, kw_only=True)
class CountTable(RightRowsTable):
    """A row for each task, a column for each learner; every row of the data is tested on once."""

    def tables(self, rows: Sequence[Comparison]) -> Mapping[str, pd.DataFrame]:
        """Return the rows as a csv file, with the counts and how the task's file is known."""
        table = comparison_table(rows)
        known_by = ["name" if is_known_by_name(c.dataset_key) else "results" for c in rows]
        counts = [None if math.isnan(c.reproduced) else _correct(c) for c in rows]
        table["correct"] = pd.array(counts, dtype="Int64")
        return {"": table.assign(rows=[c.n_test for c in rows], known_by=known_by)}

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts of each learner, what differs, and all numbers."""
        by_group = {
            group: numbers
            for by_name, group in GROUPS.items()
            if (numbers := [c for c in rows if is_known_by_name(c.dataset_key) == by_name])
        }
        learners = [published_name(method) for method in context.item.methods]
        tables = [
            methods_table(
                *(numbers, learners, count_numbers, _title(group, numbers)),
                total=True,
                head="learner",
            )
            for group, numbers in by_group.items()
        ]
        if away := [c for c in rows if c.verdict == Verdict.DIFFERS]:
            tables.append(_differences(away))
        tables += [
            numbers_table(numbers, self.cell, f"{group}: all numbers", _lead)
            for group, numbers in by_group.items()
        ]
        return Document(introduction(context), [*tables, Bullets([*_LEGEND, _blocked(context)])])

    def judged(self, context: Context, number: Comparison, choice: Choice) -> Comparison:
        """Return the share of right rows, and whether so many are published."""
        (correct, total), theirs, reason = pooled(choice.folds), number.published, ""
        judgement = Judgement()
        if not math.isnan(theirs):
            count = published_count(theirs, total)
            verdict = Verdict.EQUAL if count == correct else Verdict.DIFFERS
            steps = math.nan if count is None else float(abs(count - correct))
            judgement = Judgement(verdict, steps=steps, digits=Digits.ROUNDED)
            reason = f"no number of {total} rows gives {theirs:.{DECIMALS}f}" * (count is None)
        return replace(number, reproduced=correct / total, reason=reason, judgement=judgement)

    def reproduced_cell(self, number: Comparison) -> TableCell:
        """Return the right rows, behind them the published ones where these are others."""
        c, text = number, f"{_correct(number):,}"
        if c.verdict == Verdict.EQUAL:
            return TableCell(text, marks=Word.MATCH.sign, word=c.word)
        facts = [f"{text} of {c.n_test:,} rows, {c.reproduced:.{DECIMALS}f}"]
        facts.append(f"published {c.published:.{DECIMALS}f}")
        count = published_count(c.published, c.n_test)
        theirs = f"{c.published:.{DECIMALS}f}" if count is None else f"{count:,}"
        return TableCell(text, c.reason, comparison=c, facts=facts, published=f"({theirs})")


def _correct(c: Comparison) -> int:
    return round(c.reproduced * c.n_test)


def _title(group: str, rows: Sequence[Comparison]) -> str:
    return f"{group}: {len({c.dataset for c in rows})} tasks, {len(rows):,} numbers"


def _differences(rows: Sequence[Comparison]) -> Table:
    lines: list[dict[str, Entry]] = [
        {
            **{"task": c.dataset, "learner": c.method, "published": f"{c.published:.{DECIMALS}f}"},
            "reproduced": TableCell(f"{c.reproduced:.{DECIMALS}f}", c.reason, comparison=c),
            "right rows": f"{_correct(c):,} of {c.n_test:,}",
            "rows away": BLANK if math.isnan(c.steps) else f"{c.steps:.0f}",
        }
        for c in rows
    ]
    return entries_table(lines, left=2, title="What differs")


def _lead(numbers: Sequence[Comparison]) -> dict[str, Entry]:
    n_rows = max(c.n_test for c in numbers)
    return {"task": numbers[0].dataset, "rows": f"{n_rows:,}" if n_rows else BLANK}


def _blocked(context: Context) -> str:
    with (context.paper.folder / OTHERS).open(newline="", encoding="utf-8") as file:
        others = [row["task"] for row in csv.DictReader(file)]
    n_known = len(context.paper.items["table1"]["datasets"])
    return (
        f"{len(others)} of the {n_known + len(others)} tasks of the study are blocked because we "
        "know no file for them, or because they repeat another task (see notes.md). Their "
        f"published numbers are in conf/paper/openml/{OTHERS}."
    )


# Right rows and all rows by data set, method and number of the run.
Counts = dict[tuple[str, str, int], tuple[int, int]]


def find_counts(context: Context) -> Counts:
    """Return the counts of all runs without a missing fold."""
    runs = complete_runs(context).items()
    return {(dataset, method, run): pooled(folds) for (dataset, method, _, run), folds in runs}


def published_count(published: float, total: int) -> int | None:
    """Return how many of `total` rows give the published decimals, None if no number does."""
    count = round(published * total)
    return count if f"{count / total:.{DECIMALS}f}" == f"{published:.{DECIMALS}f}" else None


_COLUMNS = ("changed", "method", "known", "equal")


def worth(
    context: Context,
    *,
    table: str,
    other_releases: Mapping[str, str],
    other_seeds: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return how many numbers of `table` are equal as they are, and after each change.

    `other_releases`, `other_seeds`: by the key of a method, the one in the place of which it is
    compared.
    """
    changes = {
        "the release of Weka": other_releases,
        "the seed": {} if other_seeds is None else other_seeds,
    }
    changed = {key: change for change, keys in changes.items() for key in keys}
    counts = dict(sorted(find_counts(context).items()))
    names = {method.key: published_name(method) for method in context.item.methods}
    stands_for = dict(ChainMap(*map(dict, changes.values()), {key: key for key in names}))
    published = {
        (dataset, key): context.published.find(
            table, context.item.label(dataset), names[stands_for[key]], METRIC
        ).value
        for dataset in context.item.datasets
        for key in names
    }
    rows = [*_rows(counts, published, changed), *_other_tasks(context, counts, published)]
    compared = pd.DataFrame(rows, columns=list(_COLUMNS))
    by_name = compared["known"].astype(bool)
    groups = {"Tasks known by name": by_name, "Tasks matched by results": ~by_name}
    if by_name.any() and not by_name.all():
        groups = {"All tasks": by_name | True} | groups
    tables = []
    for group, inside in groups.items():
        counted = compared[inside].groupby("changed", sort=False)["equal"]
        summed = counted.agg(numbers="size", equal="sum", share="mean").reset_index()
        tables.append(summed.assign(group=group, share_pct=100 * summed["share"]))
    return pd.concat(tables, ignore_index=True).drop(columns="share")


def _rows(
    counts: Counts, published: Mapping[tuple[str, str], float], changed: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    """Yield whether counts are the published ones: as they are, and after each change.

    `changed`: what is, by the keys of the methods that are not those of the table.
    """
    for (dataset, key, repeat), (right, total) in counts.items():
        if key in changed and repeat > 0:
            continue
        change = "the folds: three other shuffles" if repeat > 0 else changed.get(key, "nothing")
        equal = _is_equal(right, total, published[dataset, key])
        yield change, key, is_known_by_name(dataset), equal


def _other_tasks(
    context: Context, counts: Counts, published: Mapping[tuple[str, str], float]
) -> Iterator[tuple[object, ...]]:
    """Yield whether counts are the published numbers of every other task."""
    names = context.item.datasets
    for (dataset, key, repeat), (right, total) in counts.items():
        if repeat == 0:
            for other in (name for name in names if name != dataset):
                equal = _is_equal(right, total, published[other, key])
                yield "the task: every other one", key, is_known_by_name(dataset), equal


def _is_equal(right: int, total: int, published: float) -> bool:
    return f"{right / total:.{DECIMALS}f}" == f"{published:.{DECIMALS}f}"
