"""Accuracies to the published digit, and how files are scaled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import introduction
from retree_lab.reports.document import Bullets, Document, Entry, TableCell
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kind import NumericKind
from retree_lab.reports.right_rows import blank_number, methods_table, numbers_table, pooled
from retree_lab.statistics import Digits, Verdict

from .accuracies import COUNTS_RULE, METRIC, counts_table, published_digit, rows_away

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
        return [self._compare(context, d, method) for d in item.datasets for method in item.methods]

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts for each method, and the table."""
        names = [method.name for method in context.item.methods]
        header = ["method", "published", "reproduced", "equal", f"at most {_NEAR} rows away"]
        header += ["further away", "blocked"]
        title = "Numbers equal to the published digit"
        tables = [
            methods_table(header, rows, names, _counts, title),
            counts_table(context),
            numbers_table(rows, names, _cell),
        ]
        return Document(introduction(context), [*tables, Bullets([_RULE, COUNTS_RULE])])

    def _compare(self, context: Context, dataset: str, method: Method) -> Comparison:
        names = context.item.label(dataset), method.name
        table = self.published_in or context.item.name
        printed = context.published.find(table, *names, METRIC)
        number = blank_number(context, (dataset, method, METRIC), printed, Comparison)
        choice = context.best.get((dataset, method.key))
        if choice is None or choice.folds.empty:
            return replace(number, judgement=Judgement()) if self.published_in else number
        correct, total = pooled(choice.folds)
        reason, steps, judged = "", math.nan, ""
        if self.is_blocked(*names):
            reason, judged = f"{names[0]} is blocked: {self.blocked[names[0]]}", Verdict.MISSING
        elif not math.isnan(printed.value):
            away = rows_away(correct, total, printed.value)
            judged = Verdict.EQUAL if away == 0 else Verdict.DIFFERS
            steps = math.nan if away is None else float(away)
            if away is None:
                reason = f"no number of {total} rows gives {printed.value}"
        verdict = "" if self.published_in else judged
        return replace(
            number,
            reproduced=published_digit(correct, total),
            n_folds=len(choice.folds),
            params=choice.params,
            reason=reason,
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
    return [*map(str, (len(published), n_reproduced, n_equal, n_near, n_far, blocked))]


def _cell(c: Comparison) -> Entry:
    if math.isnan(c.reproduced):
        return TableCell(BLANK, c.reason, comparison=c)
    text = f"{c.reproduced:.1f}"
    sign = c.word.sign if c.word else ""
    if c.steps == 0 or math.isnan(c.published):
        return TableCell(text, comparison=c, marks=sign, word=c.word)
    away = "" if math.isnan(c.steps) else f", {c.steps:.0f}"
    theirs = f"({c.published:.1f}{away})"
    return TableCell(text, c.reason, comparison=c, published=theirs, marks=sign, word=c.word)


_SLACK = 1e-4


def scales(context: Context) -> pd.DataFrame:
    """Return means and deviations of both files of each data set that has a test file."""
    item = context.item
    names = [name for name in item.datasets if name not in context.plan.unavailable]
    rows = [_scale_row(name, item, context.experiment.sources) for name in names]
    columns = ["dataset", "train_mean", "train_low", "train_high", "test_mean", "test_low"]
    return pd.DataFrame(rows, columns=[*columns, "test_high", "standardised"])


def standardised(train: np.ndarray, test: np.ndarray) -> str:
    """Return which of two files have means of 0 and deviations of 1."""
    found = _is_standard(train), _is_standard(test)
    words = {
        (True, True): "each file by itself",
        (True, False): "the training file only",
        (False, True): "the test file only",
    }
    return words.get(found, "neither")


def _scale_row(name: str, item: Item, sources: tuple[str, ...]) -> list[object]:
    data = load_dataset(name, sources=sources)
    X = data.X.to_numpy(dtype=np.float64)
    train, test = X[: -data.test_rows], X[-data.test_rows :]
    return [item.label(name), *_spread(train), *_spread(test), standardised(train, test)]


def _spread(X: np.ndarray) -> tuple[float, float, float]:
    """Return the largest mean without sign and the range of the deviations of what varies."""
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    deviations = X.std(axis=0, ddof=1)
    return float(np.abs(X.mean(axis=0)).max()), float(deviations.min()), float(deviations.max())


def _is_standard(X: np.ndarray) -> bool:
    mean, low, high = _spread(X)
    return mean < _SLACK and abs(low - 1) < _SLACK and abs(high - 1) < _SLACK
