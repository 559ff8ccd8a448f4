"""Numbers equal to the last digit, or to the row, and how many are equal after a change.

The kind ``digits_table``, and a base of kinds whose numbers count right test rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_values
from retree_lab.reports.comparison import Comparison, Judgement, Word
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Document, Entry, Table, TableCell
from retree_lab.reports.fold_values import complete_runs
from retree_lab.reports.formatting import BLANK, number, steps
from retree_lab.reports.kinds import FrameKind, NumericKind
from retree_lab.reports.published import PublishedValue, published_name
from retree_lab.reports.sections import entries_table, grouped, section
from retree_lab.reports.selection import Choice
from retree_lab.statistics import JUDGED, Verdict

if TYPE_CHECKING:
    from retree_lab.experiments.definition.item import Item

Number = TypeVar("Number", bound=Comparison)


def right_rows(folds: pd.DataFrame) -> pd.Series:
    """Return the right test rows of each fold."""
    return (folds["accuracy"] * folds["n_test"]).round().astype(int)


def pooled(folds: pd.DataFrame) -> tuple[int, int]:
    """Return the right test rows of all folds, and all test rows."""
    # Arrays, since ten thousands of numbers are counted and a Series of a few folds is slow.
    n_test = folds["n_test"].to_numpy()
    return int((folds["accuracy"].to_numpy() * n_test).round().sum()), int(n_test.sum())


NEAR = 3  # A number that is at most so many rows away is near.
BLOCKED = "is blocked:"  # In the reason of a number that is not judged, since its file is another


@dataclass(frozen=True, kw_only=True)
class RightRowsTable(NumericKind):
    """A row for each data set, a column for each method: numbers that count right test rows.

    A subclass says what a number is and how it is judged, and what its page shows.
    """

    metrics: tuple[str, ...] = ("accuracy",)
    # The table of the published numbers, by default that of the item. Those of another table are
    # judged there, so that each counts once.
    published_in: str = ""

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by data set and method."""
        item = context.item
        return [self.number(context, d, method) for d in item.datasets for method in item.methods]

    def number(self, context: Context, dataset: str, method: Method) -> Comparison:
        """Return the number of a method on a data set (its key), blank without all folds."""
        item, (metric,) = context.item, self.metrics
        names = item.label(dataset), published_name(method), metric
        theirs = context.published.find(self.published_in or item.name, *names)
        is_judged = not self.published_in and not math.isnan(theirs.value)
        number = Comparison(
            *(*names, math.nan, math.nan, theirs),
            reason=context.plan.reason(dataset, method.key),
            dataset_key=dataset,
            method_key=method.key,
            item=item.name,
            judgement=Judgement(Verdict.MISSING if is_judged else ""),
        )
        choice = context.best.get((dataset, method.key))
        if choice is None or choice.folds.empty:
            return number
        n_test = int(choice.folds["n_test"].sum())
        number = replace(number, n_folds=len(choice.folds), n_test=n_test, reason="")
        number = self.judged(context, number, choice)
        unjudged = replace(number.judgement, verdict="")
        return replace(number, judgement=unjudged) if self.published_in else number

    def judged(self, context: Context, number: Comparison, choice: Choice) -> Comparison:
        """Return a number with what the folds of a choice give, and the judgement of that."""
        raise NotImplementedError

    def cell(self, number: Comparison) -> Entry:
        """Return the cell of a number."""
        if math.isnan(number.reproduced):
            return TableCell(BLANK, number.reason, comparison=number)
        return self.reproduced_cell(number)

    def reproduced_cell(self, number: Comparison) -> TableCell:
        """Return the cell of a number that is reproduced."""
        raise NotImplementedError


def count_numbers(numbers: Sequence[Comparison]) -> dict[str, str]:
    """Return how many numbers there are, and how many are how far away; blocked ones are not."""
    published = [c for c in numbers if not math.isnan(c.published)]
    n_reproduced = sum(not math.isnan(c.reproduced) for c in published)
    n_blocked = sum(BLOCKED in c.reason for c in published)
    equal = sum(c.steps == 0 for c in published)
    near = sum(0 < c.steps <= NEAR for c in published)
    far = n_reproduced - n_blocked - equal - near
    counts = {"published": len(published), "reproduced": n_reproduced, "equal": equal}
    counts |= {f"at most {NEAR} rows away": near, "further away": far}
    return {head: f"{n:,}" for head, n in counts.items()}


def methods_table(
    rows: Sequence[Number],
    names: Sequence[str],
    counted: Callable[[Sequence[Number]], Mapping[str, str]],
    title: str,
    total: bool = False,
    head: str = "method",
) -> Table:
    """Return a table with the results of `counted` for each method, and for all numbers last."""
    lines: list[dict[str, Entry]] = [
        {head: name, **counted([c for c in rows if c.method == name])} for name in names
    ]
    if total:
        texts = {head: "all", **counted(rows)}
        lines.append({n: TableCell(text, strong=True, sums=True) for n, text in texts.items()})
    return entries_table(lines, title=title)


def numbers_table(
    rows: Sequence[Number],
    cell: Callable[[Number], Entry],
    title: str = "All numbers",
    lead: Callable[[Sequence[Number]], Mapping[str, Entry]] = lambda numbers: {
        "data set": numbers[0].dataset
    },
) -> Table:
    """Return the numbers of all methods on each data set, behind what `lead` says of them."""
    by_dataset = grouped(rows, lambda c: c.dataset).values()
    lines = [{**lead(numbers), **{c.method: cell(c) for c in numbers}} for numbers in by_dataset]
    return entries_table(lines, title=title)


# A row for each number of each change: whether it is equal before, and in which share of the runs
# it is equal after.
CHANGE_COLUMNS = ("changed", "dataset", "method", "metric", "unchanged", "equal")
# Key of a data set, key of a method, and metric.
Place = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A deliberate change, after which numbers are compared with the published ones again."""

    # By the key of a data set, that of the one in its place; the others are not counted then.
    datasets: Mapping[str, str] = field(default_factory=dict)
    point: int = 0  # Of what the item varies; the first one is what numbers are of
    runs: tuple[int, ...] = (0,)  # The first one is that of the paper


def own_datasets(context: Context, changes: Mapping[str, Change]) -> list[str]:
    """Return the data sets of an item, but those that stand in for others."""
    stand_ins = {other for change in changes.values() for other in change.datasets.values()}
    return [name for name in context.item.datasets if name not in stand_ins]


def changed_numbers(
    context: Context,
    places: Iterable[Place],
    changes: Mapping[str, Change],
    is_equal: Callable[[Place, pd.DataFrame], bool],
    length: int = 1,
) -> pd.DataFrame:
    """Return a row for each number that has all its folds before and after a change.

    `is_equal`: whether folds give the number that is published at a place.
    `length`: how many repeats of the protocol are a run.
    """
    cells, rows, wanted = complete_runs(context, length), list[tuple[object, ...]](), [*places]
    for name, change in changes.items():
        for place in wanted:
            dataset, method, metric = place
            if change.datasets and dataset not in change.datasets:
                continue
            other = change.datasets.get(dataset, dataset)
            before = cells.get((dataset, method, 0, 0))
            after = [cells.get((other, method, change.point, run)) for run in change.runs]
            are_equal = [is_equal(place, folds) for folds in after if folds is not None]
            if before is None or len(are_equal) < len(after):
                continue
            label = context.item.label(dataset)
            equal = sum(are_equal) / len(are_equal)
            rows.append((name, label, method, metric, is_equal(place, before), equal))
    return pd.DataFrame(rows, columns=list(CHANGE_COLUMNS))


def count_equal(
    numbers: pd.DataFrame, groups: Mapping[str, Sequence[bool] | pd.Series]
) -> pd.DataFrame:
    """Return for each group of numbers how many are equal after each change.

    `groups`: by what a group is called, whether each row of `numbers` is in it. The column
    ``in_all`` is how many of all numbers of the group are equal if those that a change is about are
    changed. The first change is none, and has all numbers.
    """
    rows = []
    for group, inside in groups.items():
        members = numbers[list(inside)]
        by_change = members.groupby("changed", sort=False)
        all_equal = 0
        for place, (changed, part) in enumerate(by_change):
            before, after = int(part["unchanged"].sum()), float(part["equal"].sum())
            all_equal = before if place == 0 else all_equal
            sizes = part["dataset"].nunique(), len(part), before
            share = 100 * after / len(part)
            rows.append((group, changed, *sizes, after, share, all_equal - before + after))
    names = ["group", "changed", "n_datasets", "numbers", "unchanged", "equal", "share_pct"]
    return pd.DataFrame(rows, columns=[*names, "in_all"])


DIGIT_COLUMNS = (
    *("dataset", "method", "interpretation", "metric", "published", "published_std"),
    *("run_1", "run_1_std", "steps", "distance", "equal", "std_equal"),
    *("other_runs", "equal_in_others", "mean", "mean_equal"),
)
_LEGEND = [
    "A number is equal if it agrees with the published one to its last digit. If the folds are "
    "the paper's own, nearly all numbers are equal. With other folds some are equal by chance: as "
    "many as in the other runs on average.",
    "The distance is for run 1, in test rows or in nodes of all its trees.",
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
        return pd.DataFrame(rows, columns=list(DIGIT_COLUMNS))

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table of numbers that are equal, and then that of run 1."""
        heads = ["method", "interpretation", "metric"]
        groups = rows.groupby(heads, sort=False)
        counts = [
            {**dict(zip(heads, map(str, place), strict=True)), **_counts(group)}
            for place, group in groups
        ]
        title = "Run 1: {}, and its distance from the published one"
        of_metrics = [(m, rows[rows["metric"] == m]) for m in self.metrics]
        tables = [_numbers(part, title.format(m)) for m, part in of_metrics if len(part)]
        blocks = [*section("", counts, notes=_LEGEND, left=3), *tables]
        return Document(introduction(context), blocks)

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


def _counts(rows: pd.DataFrame) -> dict[str, Entry]:
    """Return the entries of the line on one method and metric."""
    others = int(rows["other_runs"].max())
    with_std = rows[rows["published_std"].notna()]
    both = int((with_std["equal"] & with_std["std_equal"]).sum())
    by_chance = f"{rows['equal_in_others'].sum() / others:.1f}" if others else BLANK
    return {
        **{"numbers": str(len(rows)), "equal in run 1": str(int(rows["equal"].sum()))},
        "by chance": by_chance,
        "equal with its deviation": BLANK if with_std.empty else str(both),
        "equal by the mean of all runs": str(int(rows["mean_equal"].sum())) if others else BLANK,
        "median distance": f"{rows['steps'].median():,.0f}",
    }


def _numbers(rows: pd.DataFrame, title: str) -> Table:
    """Return the published number of each data set beside run 1 of all methods."""
    lines: dict[str, dict[str, Entry]] = {}
    for row in rows.to_dict("records"):
        published = number(row["metric"], row["published"])
        start: dict[str, Entry] = {"data set": row["dataset"], "published": published}
        start |= dict.fromkeys(rows["method"], BLANK)
        lines.setdefault(row["dataset"], start)[row["method"]] = _number(row)
    return entries_table([*lines.values()], title=title)


def _number(row: Mapping[Hashable, Any]) -> Entry:
    if math.isnan(row["run_1"]):
        return BLANK
    text = number(row["metric"], row["run_1"])
    if row["equal"]:
        return TableCell(text, marks=Word.MATCH.sign, word=Word.MATCH)
    return TableCell(text, published=f"({row['steps']:,.0f})")
