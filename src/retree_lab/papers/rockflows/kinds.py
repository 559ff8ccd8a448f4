"""Accuracies beside the published ones, fold by fold as counts of right rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.comparison import Comparison, Judgement, Word, comparison_table
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kinds.equality import (
    RightRowsTable,
    methods_table,
    numbers_table,
    right_rows,
)
from retree_lab.reports.sections import entries_table
from retree_lab.reports.selection import Choice
from retree_lab.statistics import Digits, Verdict

METRIC = "accuracy"
COUNTS = "published_counts.csv"
Counts = tuple[int, ...]
_LEGEND = (
    f"A number is the average of the folds' accuracies in %. {Word.MATCH.sign} means equal in all "
    "folds: as many right test rows as published. Otherwise the number of equal folds follows in "
    "brackets.",
    "Every published accuracy of a fold is the number of its right rows over all its rows, to the "
    "last bit. So a fold is equal or it is not.",
)


@dataclass(frozen=True)
class FoldComparison(Comparison):
    """An average of folds beside the published one, with the right rows of each fold."""

    ours: Counts = ()
    published_folds: Counts = ()  # () where a published accuracy is no count of the file's rows

    @property
    def apart(self) -> Counts:
        """For each fold, how many right rows ours has more; () unless both are known."""
        if not (self.ours and self.published_folds):
            return ()
        pairs = zip(self.ours, self.published_folds, strict=True)
        return tuple(ours - other for ours, other in pairs)


@dataclass(frozen=True, kw_only=True)
class FoldTable(RightRowsTable):
    """Averages of folds, each of which is a count of right rows."""

    def number(self, context: Context, dataset: str, method: Method) -> FoldComparison:
        """Return the number of a learner on a data set, with the right rows of each fold."""
        number = super().number(context, dataset, method)
        place = context.item.name, number.dataset, number.method
        theirs = published_counts(context.paper.folder).get(place, ())
        choice = context.best.get((dataset, method.key))
        has_folds = choice is not None and not choice.folds.empty
        ours = tuple(right_rows(choice.folds.sort_values("fold"))) if choice and has_folds else ()
        one = FoldComparison(**vars(number), ours=ours, published_folds=theirs)
        if not one.apart:
            return one
        steps = float(sum(map(abs, one.apart)))
        verdict = Verdict.DIFFERS if steps else Verdict.EQUAL
        return replace(one, judgement=Judgement(verdict, steps=steps, digits=Digits.ROUNDED))

    def judged(self, context: Context, number: Comparison, choice: Choice) -> Comparison:
        """Return the average of the folds, whose right rows are judged."""
        shares = choice.folds["accuracy"]
        mean, std = float(shares.mean()), float(shares.std())
        return replace(number, reproduced=mean, reproduced_std=std, judgement=Judgement())

    def tables(self, rows: Sequence[Comparison]) -> Mapping[str, pd.DataFrame]:
        """Return the rows as a csv file, with the right rows of each fold."""
        by_fold = [c for c in rows if isinstance(c, FoldComparison)]
        more: dict[str, Any] = {
            "correct": [" ".join(map(str, c.ours)) for c in by_fold],
            "published_correct": [" ".join(map(str, c.published_folds)) for c in by_fold],
            "folds_equal": pd.array(
                [c.apart.count(0) if c.apart else None for c in by_fold], dtype="Int64"
            ),
        }
        table = comparison_table(by_fold)
        for name, values in more.items():
            table[name] = values
        return {"": table}

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts of each learner, what differs, and all numbers."""
        by_fold = [c for c in rows if isinstance(c, FoldComparison)]
        learners = [method.name for method in context.item.methods]
        several = len(learners) > 1
        title = "Equal folds"
        tables = [methods_table(by_fold, learners, _counted, title, several, head="learner")]
        if away := [c for c in by_fold if any(c.apart)]:
            tables.append(_differences(away))
        tables.append(numbers_table(by_fold, self.cell))
        return Document(introduction(context), [*tables, Bullets(_LEGEND)])

    def reproduced_cell(self, number: Comparison) -> TableCell:
        """Return an average, behind it how many folds are equal where not all are."""
        text = f"{100 * number.reproduced:.1f}"
        assert isinstance(number, FoldComparison)
        if number.verdict == Verdict.EQUAL:
            return TableCell(text, marks=Word.MATCH.sign, word=number.word)
        facts = ["right rows " + " ".join(map(str, number.ours))]
        facts.append("published " + " ".join(map(str, number.published_folds)))
        apart = number.apart
        equal = f"({apart.count(0)} of {len(apart)})" if apart else ""
        return TableCell(text, comparison=number, facts=facts, published=equal)


def _counted(rows: Sequence[FoldComparison]) -> dict[str, str]:
    apart = [abs(steps) for c in rows for steps in c.apart]
    equal, near = apart.count(0), apart.count(1)
    reproduced = [c for c in rows if c.apart]
    counts = {
        "folds published": sum(len(c.published_folds) for c in rows),
        "folds reproduced": len(apart),
        "equal": equal,
        "in %": f"{100 * equal / len(apart):.2f}" if apart else BLANK,
        "one row away": near,
        "further away": len(apart) - equal - near,
        "accuracies reproduced": len(reproduced),
        "equal in all folds": sum(not any(c.apart) for c in reproduced),
    }
    return {head: n if isinstance(n, str) else f"{n:,}" for head, n in counts.items()}


def _differences(rows: Iterable[FoldComparison]) -> Table:
    lines: list[dict[str, Entry]] = [
        {
            **{"data set": c.dataset, "learner": c.method, "fold": str(fold)},
            **{"right rows": str(ours), "published": str(other), "rows apart": f"{steps:+d}"},
        }
        for c in rows
        for fold, ours, other, steps in zip(
            count(1), c.ours, c.published_folds, c.apart, strict=False
        )
        if steps
    ]
    return entries_table(lines, left=2, title="Folds that differ")


@cache
def published_counts(folder: Path) -> Mapping[tuple[str, str, str], Counts]:
    """Return the right rows of each fold by table, data set and learner, as published."""
    with (folder / COUNTS).open(newline="", encoding="utf-8") as file:
        return {
            (row["table"], row["dataset"], row["method"]): tuple(map(int, row["correct"].split()))
            for row in csv.DictReader(file)
        }
