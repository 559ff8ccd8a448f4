"""Accuracies to the published digit, what a match is worth, and how files are scaled."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.comparison import Comparison, Judgement, Word
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, TableCell
from retree_lab.reports.kinds.equality import (
    BLOCKED,
    CHANGE_COLUMNS,
    Change,
    Place,
    RightRowsTable,
    changed_numbers,
    count_equal,
    count_numbers,
    methods_table,
    numbers_table,
    own_datasets,
    pooled,
)
from retree_lab.reports.selection import Choice
from retree_lab.statistics import Digits, Verdict

from .accuracies import COUNTS_RULE, METRIC, counts_table, published_digit, rows_away
from .datasets import PREFIX, RESCALED

_RULE = (
    f"{Word.MATCH.sign} means equal to the published digit: right test rows of all folds together, "
    "in %, cut after one digit. Otherwise the published number follows, and how many rows more or "
    "fewer would give it."
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
        """Return whether a number, by published names, is not judged."""
        return dataset in self.blocked and method in self.blocked_only.get(dataset, (method,))

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the counts for each method, and the table."""
        names = [method.name for method in context.item.methods]
        tables = [
            methods_table(rows, names, _counted, "Numbers equal to the published digit"),
            counts_table(context),
            numbers_table(rows, self.cell),
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


def _counted(numbers: Sequence[Comparison]) -> dict[str, str]:
    n_blocked = sum(BLOCKED in c.reason for c in numbers if not math.isnan(c.published))
    return {**count_numbers(numbers), "blocked": f"{n_blocked:,}"}


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


RELEASES = "weka_releases.csv"
SET_ASIDE = "nothing, with the numbers that were set aside"
FEW_ROWS = 200


def worth(context: Context, *, table: str, changes: Mapping[str, Change]) -> pd.DataFrame:
    """Return how many numbers of `table` are equal after each change; the first changes nothing.

    `table`: the item in which they are judged, and that says which were set aside.
    """
    pairs = product(own_datasets(context, changes), context.item.methods)
    places = ((dataset, method.key, METRIC) for dataset, method in pairs)
    every = [place for place in places if not math.isnan(_published(context, table, place))]
    aside = _set_aside(context, table)
    judged = [place for place in every if place not in aside]

    def is_equal(place: Place, folds: pd.DataFrame) -> bool:
        return rows_away(*pooled(folds), _published(context, table, place)) == 0

    (nothing, none), *others = changes.items()
    frames = [changed_numbers(context, judged, {nothing: none}, is_equal)]
    frames.append(changed_numbers(context, every if aside else [], {SET_ASIDE: none}, is_equal))
    frames.append(changed_numbers(context, judged, dict(others), is_equal))
    frames.append(_releases(context, table, judged, frames[0]))
    numbers = pd.concat(frames, ignore_index=True)
    rows = _rows_by_dataset(context)
    few = numbers["dataset"].map(rows) < FEW_ROWS
    groups = {"All numbers": numbers["changed"].notna()}
    groups |= {f"Fewer than {FEW_ROWS} test rows": few, f"{FEW_ROWS} test rows and more": ~few}
    names = {method.key: method.name for method in context.item.methods}
    groups |= {name: numbers["method"] == key for key, name in names.items()}
    counted = count_equal(numbers, groups)
    excluded = {SET_ASIDE, *(name for name, change in changes.items() if change.datasets)}
    counted.attrs["notes"] = [*_left_out(numbers[~numbers["changed"].isin(excluded)], names)]
    return counted


def _set_aside(context: Context, table: str) -> set[Place]:
    """Return the places that the item of the table does not judge."""
    kind, item = context.paper.items[table], context.item
    only = kind.get("blocked_only", {})
    return {
        (dataset, method.key, METRIC)
        for dataset in item.datasets
        for method in item.methods
        if (label := item.label(dataset)) in kind.get("blocked", {})
        and method.name in only.get(label, (method.name,))
    }


def _published(context: Context, table: str, place: Place) -> float:
    dataset, key, metric = place
    name = next(method.name for method in context.item.methods if method.key == key)
    return context.published.find(table, context.item.label(dataset), name, metric).value


def _rows_by_dataset(context: Context) -> dict[str, int]:
    """Return how many test rows each data set has in a run."""
    frame = context.frame
    first = frame[(frame["repeat"] == 0) & (frame["method"] == context.item.methods[0].key)]
    totals = first.groupby("dataset")["n_test"].sum()
    return {context.item.label(str(name)): int(total) for name, total in totals.items()}


def _releases(
    context: Context, table: str, places: list[Place], changed: pd.DataFrame
) -> pd.DataFrame:
    """Return the counts of other Weka releases, on the data sets that we ran them on."""
    before = changed.drop_duplicates(["dataset", "method"]).set_index(["dataset", "method"])
    counts, rows = release_counts(context.paper.folder), list[tuple[object, ...]]()
    names = {method.key: method.name for method in context.item.methods}
    for release in dict.fromkeys(key[0] for key in counts):
        for place in places:
            dataset, method, metric = place
            label = context.item.label(dataset)
            count = counts.get((release, dataset.removeprefix(PREFIX), names[method]))
            # They were run on the files of the archive.
            if count is None or dataset.endswith(RESCALED) or (label, method) not in before.index:
                continue
            is_equal = published_digit(*count) == _published(context, table, place)
            was = before.loc[(label, method), "unchanged"]
            rows.append((f"Weka {release} itself", label, method, metric, was, is_equal))
    return pd.DataFrame(rows, columns=list(CHANGE_COLUMNS))


def release_counts(paper: Path) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Return right and all test rows by release, the data set's name in the paper, and method."""
    rows = pd.read_csv(paper / RELEASES, dtype={"release": str, "dataset": str})
    pairs = zip(rows["correct"].tolist(), rows["total"].tolist(), strict=True)
    names = rows[["release", "dataset", "method"]].itertuples(index=False, name=None)
    return dict(zip(names, pairs, strict=True))


def _left_out(numbers: pd.DataFrame, names: Mapping[str, str]) -> Iterator[str]:
    """Yield which data sets of the first change others leave out, and for which methods."""
    pairs = {
        str(changed): [*zip(part["dataset"], part["method"], strict=True)]
        for changed, part in numbers.groupby("changed", sort=False)
    }
    every = next(iter(pairs.values()))
    n_methods = Counter(dataset for dataset, _ in every)
    for changed, rows in pairs.items():
        lost, gained = dict[str, list[str]](), {*rows}
        for dataset, method in every:
            if (dataset, method) not in gained:
                lost.setdefault(dataset, []).append(names[method])
        by_methods: dict[str, list[str]] = {}
        for dataset, methods in lost.items():
            words = "" if len(methods) == n_methods[dataset] else f" for {' and '.join(methods)}"
            by_methods.setdefault(words, []).append(dataset)
        for words, datasets in by_methods.items():
            yield f"{changed} leaves out{words}: {', '.join(datasets)}."
