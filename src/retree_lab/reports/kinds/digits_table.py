"""Tables of whether published numbers come out to the last digit (kind ``digits_table``)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_values
from retree_lab.reports.comparison import Comparison, Word
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell
from retree_lab.reports.formatting import BLANK, number, steps
from retree_lab.reports.kinds import FrameKind
from retree_lab.reports.published import PublishedValue, published_name
from retree_lab.reports.selection import Choice
from retree_lab.statistics import JUDGED, Verdict

if TYPE_CHECKING:
    from retree_lab.experiments.definition.item import Item

COLUMNS = (
    *("dataset", "method", "interpretation", "metric", "published", "published_std"),
    *("run_1", "run_1_std", "steps", "distance", "equal", "std_equal"),
    *("other_runs", "equal_in_others", "mean", "mean_equal"),
)
_HEADER = [
    *("method", "interpretation", "metric", "numbers", "equal in run 1", "by chance"),
    *("equal with its deviation", "equal by the mean of all runs", "median distance"),
]
_LEGEND = [
    "A number is equal if it is the published one to its last digit. If the folds are the paper's "
    "own, nearly all numbers are equal. With other folds some are equal by chance: as many as in "
    "the other runs on average.",
    "The distance is that of run 1, in test rows or in nodes of all its trees.",
]


@dataclass(frozen=True, kw_only=True)
class DigitsTable(FrameKind):
    """A row for each interpretation: how many numbers of its `metrics` are equal to the paper's.

    The item says ``digits``. If its protocol repeats the folds, the first run is judged, and the
    others say how many numbers are equal by chance.
    """

    metrics: tuple[str, ...]

    def check(self, item: Item) -> None:
        """Raise a `RetreeError` if the item does not say how the paper came by its digits."""
        if item.digits is None:
            raise RetreeError(f"{item.name} lacks digits; say rounded or cut.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each method, metric and data set that has all its folds."""
        methods = [method for method in context.item.methods if method.missing is None]
        rows = [row for method in methods for row in self._rows(context, method)]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return how many numbers are equal, and then the numbers of run 1."""
        groups = rows.groupby(["method", "interpretation", "metric"], sort=False)
        lines: list[list[Entry]] = [[*map(str, place), *_counts(g)] for place, g in groups]
        tables = [Table(_HEADER, lines, left=3)]
        for metric in self.metrics:
            title = f"Run 1: {metric}, and its distance from the published one"
            tables.append(_numbers(rows[rows["metric"] == metric], title))
        return Document(introduction(context), [tables[0], Bullets(_LEGEND), *tables[1:]])

    def _rows(self, context: Context, method: Method) -> Iterator[tuple[object, ...]]:
        for metric, dataset in itertools.product(self.metrics, context.item.datasets):
            choice = context.best.get((dataset, method.key))
            names = context.item.label(dataset), published_name(method), metric
            published = context.find_in_any_table(*names)
            if published is not None and choice is not None and not choice.folds.empty:
                runs = _judged_runs(context, (dataset, method, metric), choice, published)
                if runs[0].verdict in JUDGED and runs[0].judgement.digits is not None:
                    yield _row(method, runs)


def _judged_runs(
    context: Context,
    place: tuple[str, Method, str],
    choice: Choice,
    published: PublishedValue,
) -> list[Comparison]:
    """Return the number of each run, and then that of all runs together."""
    runs = [run for _, run in choice.folds.groupby(level="repeat", sort=True)]
    owns = [replace(choice, folds=folds) for folds in (*runs, choice.folds)]
    return context.judge(compare_values(context.item, place, of_run, published) for of_run in owns)


def _row(method: Method, runs: Sequence[Comparison]) -> tuple[object, ...]:
    first, *others, whole = runs
    interpretation = method.about.get("interpretation", "default")
    place = first.dataset, method.name, interpretation, first.metric
    numbers = first.published, first.published_std, first.reproduced, first.reproduced_std
    equal = [c.verdict == Verdict.EQUAL for c in runs]
    is_equal = equal[0], first.std_verdict == Verdict.EQUAL
    by_chance = len(others), sum(equal[1:-1]), whole.reproduced, equal[-1]
    return *place, *numbers, first.steps, steps(first), *is_equal, *by_chance


def _counts(rows: pd.DataFrame) -> list[Entry]:
    """Return what a line says of the rows of one method and metric."""
    others = int(rows["other_runs"].max())
    with_std = rows[rows["published_std"].notna()]
    both = int((with_std["equal"] & with_std["std_equal"]).sum())
    return [
        str(len(rows)),
        str(int(rows["equal"].sum())),
        f"{rows['equal_in_others'].sum() / others:.1f}" if others else BLANK,
        BLANK if with_std.empty else str(both),
        str(int(rows["mean_equal"].sum())) if others else BLANK,
        f"{rows['steps'].median():,.0f}",
    ]


def _numbers(rows: pd.DataFrame, title: str) -> Table:
    """Return the published number of each data set beside those of run 1 of all methods."""
    methods = list(dict.fromkeys(rows["method"]))
    places = {(row.dataset, row.method): row for row in rows.itertuples()}
    lines: list[list[Entry]] = []
    for dataset, of_dataset in rows.groupby("dataset", sort=False):
        published = number(of_dataset["metric"].iloc[0], of_dataset["published"].iloc[0])
        texts = (_number(places.get((dataset, method))) for method in methods)
        lines.append([str(dataset), published, *texts])
    return Table(["data set", "published", *methods], lines, title=title)


def _number(row: object | None) -> Entry:
    if row is None or math.isnan(value := getattr(row, "run_1", math.nan)):
        return BLANK
    text = number(getattr(row, "metric", ""), value)
    if getattr(row, "equal", False):
        return TableCell(text, marks=Word.MATCH.sign, word=Word.MATCH)
    return TableCell(text, published=f"({getattr(row, 'steps', 0):,.0f})")
