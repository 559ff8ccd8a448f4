"""Accuracies beside the published ones, fold by fold as counts of right rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from retree.reports.comparison import Comparison, Judgement, comparison_table
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.formatting import BLANK, SIGNS
from retree.reports.kind import NumericKind
from retree.statistics import Digits, Verdict

from .counts import METRIC, Counts, fold_counts, published_counts, rows_apart

_HEADER = ["learner", "folds published", "folds reproduced", "equal", "in %", "one row away"]
_HEADER += ["further away", "accuracies reproduced", "equal in all folds"]
_LEGEND = (
    "A number is the average of the folds' accuracies in %. = is equal in every fold: as many "
    "right test rows as published. Otherwise the number of equal folds follows in brackets.",
    "Every published accuracy of a fold is a count of right rows over the rows of the fold, to the "
    "last bit; so a fold is equal or it is not.",
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
        return rows_apart(self.ours, self.published_folds)


@dataclass(frozen=True, kw_only=True)
class FoldTable(NumericKind):
    """A row for each data set, a column for each learner."""

    metrics: tuple[str, ...] = (METRIC,)

    def compare(self, context: Context) -> Sequence[FoldComparison]:
        """Return the numbers by data set and learner."""
        item = context.item
        return [
            _compare(context, dataset, method.key, method.name)
            for dataset in item.datasets
            for method in item.methods
        ]

    def tables(self, rows: Sequence[Comparison]) -> Mapping[str, pd.DataFrame]:
        """Return the rows as a csv file, with the right rows of each fold."""
        own = [c for c in rows if isinstance(c, FoldComparison)]
        more: dict[str, Any] = {
            "correct": [" ".join(map(str, c.ours)) for c in own],
            "published_correct": [" ".join(map(str, c.published_folds)) for c in own],
            "folds_equal": pd.array(
                [c.apart.count(0) if c.apart else None for c in own], dtype="Int64"
            ),
        }
        table = comparison_table(own)
        for name, values in more.items():
            table[name] = values
        return {"": table}

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts of each learner, what differs, and all numbers."""
        own = [c for c in rows if isinstance(c, FoldComparison)]
        learners = [method.name for method in context.item.methods]
        tables = [_summary(own, learners)]
        if away := [c for c in own if any(c.apart)]:
            tables.append(_differences(away))
        tables.append(_numbers(own, learners))
        return Document(introduction(context), [*tables, Bullets(_LEGEND)])


def _compare(context: Context, dataset: str, key: str, method: str) -> FoldComparison:
    label = context.item.label(dataset)
    theirs = context.find_published(label, method, METRIC)
    place = context.item.name, label, method
    found = FoldComparison(
        *(label, method, METRIC, math.nan, math.nan, theirs),
        dataset_key=dataset,
        method_key=key,
        published_folds=published_counts(context.paper.folder).get(place, ()),
    )
    choice = context.best.get((dataset, key))
    if choice is None or choice.folds.empty:
        judged = Judgement("" if math.isnan(theirs.value) else Verdict.MISSING)
        return replace(found, reason=context.plan.reason(dataset, key), judgement=judged)
    folds = choice.folds
    found = replace(
        found,
        reproduced=float(folds["accuracy"].mean()),
        reproduced_std=float(folds["accuracy"].std()),
        n_folds=len(folds),
        n_test=int(folds["n_test"].sum()),
        ours=fold_counts(folds),
    )
    if not found.published_folds:
        return found
    steps = float(sum(map(abs, found.apart)))
    verdict = Verdict.DIFFERS if steps else Verdict.EQUAL
    return replace(found, judgement=Judgement(verdict, steps=steps, digits=Digits.ROUNDED))


def _summary(rows: Sequence[FoldComparison], learners: Sequence[str]) -> Table:
    lines: list[list[Entry]] = [
        [name, *_counted([c for c in rows if c.method == name])] for name in learners
    ]
    if len(learners) > 1:
        lines.append([TableCell(text, strong=True, sums=True) for text in ("all", *_counted(rows))])
    return Table(_HEADER, lines, title="Equal folds")


def _counted(rows: Sequence[FoldComparison]) -> list[str]:
    apart = [abs(steps) for c in rows for steps in c.apart]
    equal = apart.count(0)
    share = f"{100 * equal / len(apart):.2f}" if apart else BLANK
    reproduced = [c for c in rows if c.apart]
    counts = [sum(len(c.published_folds) for c in rows), len(apart), equal]
    last = [apart.count(1), len(apart) - equal - apart.count(1), len(reproduced)]
    last.append(sum(not any(c.apart) for c in reproduced))
    return [*(f"{n:,}" for n in counts), share, *(f"{n:,}" for n in last)]


def _differences(rows: Iterable[FoldComparison]) -> Table:
    header = ["data set", "learner", "fold", "right rows", "published", "rows apart"]
    lines: list[list[Entry]] = [
        [c.dataset, c.method, str(fold), str(own), str(other), f"{own - other:+d}"]
        for c in rows
        for fold, (own, other) in enumerate(zip(c.ours, c.published_folds, strict=True), 1)
        if own != other
    ]
    return Table(header, lines, left=2, title="Folds that differ")


def _numbers(rows: Sequence[FoldComparison], learners: Sequence[str]) -> Table:
    places = {(c.dataset, c.method): c for c in rows}
    names = dict.fromkeys(c.dataset for c in rows)
    lines = [[name, *(_cell(places[name, learner]) for learner in learners)] for name in names]
    return Table(["data set", *learners], lines, title="All numbers")


def _cell(c: FoldComparison) -> Entry:
    if math.isnan(c.reproduced):
        return TableCell(BLANK, c.reason, comparison=c)
    text = f"{100 * c.reproduced:.1f}"
    if c.verdict == Verdict.EQUAL:
        return TableCell(text, marks=SIGNS[Verdict.EQUAL], verdict=c.verdict)
    facts = ["right rows " + " ".join(map(str, c.ours))]
    facts.append("published " + " ".join(map(str, c.published_folds)))
    equal = f"({c.apart.count(0)} of {len(c.apart)})" if c.apart else ""
    return TableCell(text, comparison=c, facts=facts, published=equal)
