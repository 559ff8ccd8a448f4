"""Accuracies that are equal to the published digit, or so many rows away from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retree.reports.comparison import Comparison, Judgement
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.formatting import BLANK, SIGNS
from retree.reports.kind import NumericKind
from retree.statistics import Digits, Verdict

from .accuracies import pooled, published_digit, rows_away
from .weka_counts import RULE, counts_table

METRIC = "correct_pct"
_NEAR = 3
_RULE = (
    "= the published digit: right test rows of all folds together, in %, cut after one digit. "
    "Otherwise the published number follows, and from how many rows more or fewer it would come."
)


@dataclass(frozen=True, kw_only=True)
class DigitTable(NumericKind):
    """A row for each data set, a column for each method; every test row counts once."""

    metrics: tuple[str, ...] = (METRIC,)
    # Published names of data sets whose file is not the one that the paper ran, and why: their
    # numbers are not judged.
    blocked: Mapping[str, str] = field(default_factory=dict)
    # For which methods a data set is blocked, if not for all.
    blocked_only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The table of the published numbers, by default that of the item. Those of another table are
    # judged there, so that each counts once.
    published_in: str = ""

    def is_blocked(self, dataset: str, method: str) -> bool:
        """Whether a number, by published names, is not judged."""
        return dataset in self.blocked and method in self.blocked_only.get(dataset, (method,))

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by data set and method."""
        item = context.item
        return [
            replace(
                self._compare(context, dataset, method.key, (item.label(dataset), method.name)),
                dataset_key=dataset,
                method_key=method.key,
            )
            for dataset in item.datasets
            for method in item.methods
        ]

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts for each method, and the table."""
        names = [method.name for method in context.item.methods]
        counts = [[name, *_counts([c for c in rows if c.method == name])] for name in names]
        header = ["method", "published", "reproduced", "equal", f"at most {_NEAR} rows away"]
        header += ["further away", "blocked"]
        places = {(c.dataset, c.method): c for c in rows}
        lines = [
            [dataset, *(_cell(places[dataset, name]) for name in names)]
            for dataset in dict.fromkeys(c.dataset for c in rows)
        ]
        tables = [
            Table(header, counts, title="Numbers equal to the published digit"),
            counts_table(context),
            Table(["data set", *names], lines, title="All numbers"),
        ]
        return Document(introduction(context), [*tables, Bullets([_RULE, RULE])])

    def _compare(
        self, context: Context, dataset: str, method: str, names: tuple[str, str]
    ) -> Comparison:
        table = self.published_in or context.item.name
        printed = context.published.find(table, *names, METRIC)
        choice = context.best.get((dataset, method))
        if choice is None or choice.folds.empty:
            reason = context.plan.reason(dataset, method)
            unjudged = self.published_in or math.isnan(printed.value)
            blank = Comparison(*names, METRIC, math.nan, math.nan, printed, reason=reason)
            return blank if unjudged else replace(blank, judgement=Judgement(Verdict.MISSING))
        correct, total = pooled(choice.folds)
        ours, reason, steps = published_digit(correct, total), "", math.nan
        judged: str = ""
        if self.is_blocked(*names):
            reason, judged = f"{names[0]} is blocked: {self.blocked[names[0]]}", Verdict.MISSING
        elif not math.isnan(printed.value):
            away = rows_away(correct, total, printed.value)
            judged = Verdict.DIFFERS if away else Verdict.EQUAL
            steps = math.nan if away is None else float(away)
            if away is None:
                judged, reason = Verdict.DIFFERS, f"no number of {total} rows gives {printed.value}"
        verdict = "" if self.published_in else judged
        return Comparison(
            *(*names, METRIC, ours, math.nan, printed, len(choice.folds), choice.params, reason),
            n_test=total,
            judgement=Judgement(verdict, steps=abs(steps), digits=Digits.CUT),
        )


def _counts(column: Sequence[Comparison]) -> list[str]:
    published = [c for c in column if not math.isnan(c.published)]
    blocked = sum("is blocked:" in c.reason for c in published)
    n_reproduced = sum(not math.isnan(c.reproduced) for c in published)
    n_equal = sum(c.steps == 0 for c in published)
    n_near = sum(0 < c.steps <= _NEAR for c in published)
    n_far = n_reproduced - blocked - n_equal - n_near
    numbers = [len(published), n_reproduced, n_equal, n_near, n_far, blocked]
    return [str(number) for number in numbers]


def _cell(c: Comparison) -> Entry:
    if math.isnan(c.reproduced):
        return TableCell(BLANK, c.reason, comparison=c)
    text = f"{c.reproduced:.1f}"
    if c.steps == 0 or math.isnan(c.published):
        sign = SIGNS[Verdict.EQUAL] if c.steps == 0 else ""
        return TableCell(text, comparison=c, marks=sign, verdict=c.verdict)
    away = "" if math.isnan(c.steps) else f", {c.steps:.0f}"
    return TableCell(text, c.reason, comparison=c, published=f"({c.published:.1f}{away})")
