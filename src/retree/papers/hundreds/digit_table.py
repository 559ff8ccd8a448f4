"""Accuracies that are equal to the published digit, or so many rows away from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retree.papers.hundreds.accuracies import pooled, published_digit, rows_away
from retree.papers.hundreds.weka_counts import RULE, counts_table
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell, Tex
from retree.reports.formatting import BLANK, SIGNS
from retree.reports.kind import NumericKind
from retree.statistics import Verdict

METRIC = "correct_pct"
_NEAR = 3
_RULE = (
    "= the published digit: right test rows of all folds together, in %, cut after one digit. "
    "Otherwise the published number follows, and from how many rows more or fewer it would come."
)


@dataclass(frozen=True, kw_only=True)
class DigitTable(NumericKind):
    """A row for each data set, a column for each method; every test row counts once.

    Attributes
    ----------
    blocked : dict of str to str
        Published names of data sets whose file is not the one that the paper ran, and why: their
        numbers are not judged.
    blocked_only : dict of str to tuple of str
        For which methods a data set is blocked, if not for all.
    published_in : str
        The table of the published numbers, by default that of the item.
    """

    metrics: tuple[str, ...] = (METRIC,)
    blocked: Mapping[str, str] = field(default_factory=dict)
    blocked_only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    published_in: str = ""

    def is_blocked(self, dataset: str, method: str) -> bool:
        """Whether a number, by published names, is not judged."""
        return dataset in self.blocked and method in self.blocked_only.get(dataset, (method,))

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by data set and method."""
        item = context.item
        return [
            self._compare(context, dataset, method.key, (item.label(dataset), method.name))
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
        caption = context.item.caption
        tables = [
            Table(header, counts, title="Numbers equal to the published digit"),
            counts_table(context),
            Table(
                ["data set", *names], lines, title="All numbers", tex=Tex(caption, legend=[_RULE])
            ),
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
            return Comparison(
                *names, METRIC, math.nan, math.nan, *printed, _missing(printed.value), 0, "", reason
            )
        correct, total = pooled(choice.folds)
        ours, reason, judged, steps = published_digit(correct, total), "", "", math.nan
        if self.is_blocked(*names):
            reason, judged = f"{names[0]} is blocked: {self.blocked[names[0]]}", Verdict.MISSING
        elif not math.isnan(printed.value):
            away = rows_away(correct, total, printed.value)
            judged = Verdict.DIFFERS if away else Verdict.EQUAL
            steps = math.nan if away is None else float(away)
            if away is None:
                judged, reason = Verdict.DIFFERS, f"no number of {total} rows gives {printed.value}"
        numbers, n_folds = (ours, math.nan, *printed), len(choice.folds)
        found = Comparison(*names, METRIC, *numbers, judged, n_folds, choice.params, reason)
        return replace(found, steps=abs(steps), n_test=total)


def _missing(published: float) -> str:
    return "" if math.isnan(published) else Verdict.MISSING


def _counts(column: Sequence[Comparison]) -> list[str]:
    published = [c for c in column if not math.isnan(c.published)]
    differing = [c for c in published if c.verdict == Verdict.DIFFERS]
    n_near = sum(c.steps <= _NEAR for c in differing)
    blocked = sum("is blocked:" in c.reason for c in published)
    numbers = [
        len(published),
        sum(not math.isnan(c.reproduced) for c in published),
        sum(c.verdict == Verdict.EQUAL for c in published),
        n_near,
        len(differing) - n_near,
        blocked,
    ]
    return [str(number) for number in numbers]


def _cell(c: Comparison) -> Entry:
    if math.isnan(c.reproduced):
        return TableCell(BLANK, c.reason, comparison=c)
    text = f"{c.reproduced:.1f}"
    if c.verdict == Verdict.EQUAL or math.isnan(c.published):
        sign = SIGNS[Verdict.EQUAL] if c.verdict else ""
        return TableCell(text, comparison=c, marks=sign, verdict=c.verdict)
    away = "" if math.isnan(c.steps) else f", {c.steps:.0f}"
    return TableCell(text, c.reason, comparison=c, published=f"({c.published:.1f}{away})")
