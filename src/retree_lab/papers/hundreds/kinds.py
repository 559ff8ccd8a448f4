"""Accuracies to the published digit, and how files are scaled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, TableCell
from retree_lab.reports.kinds.equality import (
    BLOCKED,
    COUNTED,
    RightRowsTable,
    count_numbers,
    methods_table,
    numbers_table,
    pooled,
)
from retree_lab.reports.selection import Choice
from retree_lab.statistics import Digits, Verdict

from .accuracies import COUNTS_RULE, METRIC, counts_table, published_digit, rows_away

_RULE = (
    "= the published digit: right test rows of all folds together, in %, cut after one digit. "
    "Otherwise the published number follows, and from how many rows more or fewer it would come."
)


@dataclass(frozen=True, kw_only=True)
class DigitTable(RightRowsTable):
    """Shares of right rows in %, cut after one digit; every test row counts once."""

    metrics: tuple[str, ...] = (METRIC,)
    # Published names of data sets whose file is not the one that the paper ran, and why: their
    # numbers are not judged.
    blocked: Mapping[str, str] = field(default_factory=dict)
    # For which methods a data set is blocked, if not for all.
    blocked_only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_blocked(self, dataset: str, method: str) -> bool:
        """Whether a number, by published names, is not judged."""
        return dataset in self.blocked and method in self.blocked_only.get(dataset, (method,))

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts for each method, and the table."""
        names = [method.name for method in context.item.methods]
        header = ["method", *COUNTED, "blocked"]
        tables = [
            methods_table(
                header, rows, names, count_numbers, "Numbers equal to the published digit"
            ),
            counts_table(context),
            numbers_table(rows, names, self.cell),
        ]
        return Document(introduction(context), [*tables, Bullets([_RULE, COUNTS_RULE])])

    def judged(self, context: Context, number: Comparison, choice: Choice) -> Comparison:
        """Return the digit that the right rows of all folds give, and how many rows it is away."""
        correct, total = pooled(choice.folds)
        reason, steps, verdict = "", math.nan, ""
        if self.is_blocked(number.dataset, number.method):
            reason = f"{number.dataset} {BLOCKED} {self.blocked[number.dataset]}"
            verdict = Verdict.MISSING
        elif not math.isnan(number.published):
            away = rows_away(correct, total, number.published)
            verdict = Verdict.EQUAL if away == 0 else Verdict.DIFFERS
            steps = math.nan if away is None else float(abs(away))
            reason = f"no number of {total} rows gives {number.published}" * (away is None)
        return replace(
            number,
            reproduced=published_digit(correct, total),
            params=choice.params,
            reason=reason,
            judgement=Judgement(verdict, steps=steps, digits=Digits.CUT),
        )

    def reproduced_cell(self, number: Comparison) -> TableCell:
        """Return a number, behind it the published one and how many rows it is away."""
        text, sign = f"{number.reproduced:.1f}", number.word.sign if number.word else ""
        cell = TableCell(text, comparison=number, marks=sign, word=number.word)
        if number.steps == 0 or math.isnan(number.published):
            return cell
        away = "" if math.isnan(number.steps) else f", {number.steps:.0f}"
        published = f"({number.published:.1f}{away})"
        return replace(cell, reason=number.reason, published=published)


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
    standard = _is_standard(train), _is_standard(test)
    words = {
        (True, True): "each file by itself",
        (True, False): "the training file only",
        (False, True): "the test file only",
    }
    return words.get(standard, "neither")


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
