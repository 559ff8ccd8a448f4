"""Accuracies as counts of right rows, and how many are equal once something is changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pandas as pd

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.context import Context
from retree_lab.reports.document import Entry, Table, TableCell
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kinds import NumericKind
from retree_lab.reports.published import published_name
from retree_lab.reports.selection import OUTER, Choice
from retree_lab.statistics import Verdict

Number = TypeVar("Number", bound=Comparison)


def right_rows(folds: pd.DataFrame) -> pd.Series:
    """Return the right test rows of each fold."""
    return (folds["accuracy"] * folds["n_test"]).round().astype(int)


def pooled(folds: pd.DataFrame) -> tuple[int, int]:
    """Return the right test rows of all folds, and all test rows."""
    return int(right_rows(folds).sum()), int(folds["n_test"].sum())


def complete_runs(
    context: Context, length: int = 1
) -> dict[tuple[str, str, int, int], pd.DataFrame]:
    """Return the folds of each complete run by data set, method, point and number of the run.

    `length`: how many repeats of the protocol are a run.
    """
    frame, protocol = context.frame, context.item.protocol
    done = frame[(frame["inner"] == OUTER) & (frame["status"] == "done")]
    groups = done.groupby(["dataset", "method", "point", done["repeat"] // length], sort=False)
    n_folds = length * max(1, protocol.folds)
    return {
        (str(dataset), str(method), int(str(point)), int(str(run))): folds
        for (dataset, method, point, run), folds in groups
        if len(folds) == n_folds
    }


NEAR = 3  # A number that is at most so many rows away is near.
COUNTED = ("published", "reproduced", "equal", f"at most {NEAR} rows away", "further away")
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


def count_numbers(numbers: Sequence[Comparison]) -> list[str]:
    """Return how many numbers there are, as `COUNTED` says, and how many are blocked."""
    published = [c for c in numbers if not math.isnan(c.published)]
    n_reproduced = sum(not math.isnan(c.reproduced) for c in published)
    n_blocked = sum(BLOCKED in c.reason for c in published)
    equal = sum(c.steps == 0 for c in published)
    near = sum(0 < c.steps <= NEAR for c in published)
    far = n_reproduced - n_blocked - equal - near
    return [f"{n:,}" for n in (len(published), n_reproduced, equal, near, far, n_blocked)]


def methods_table(
    header: Sequence[Entry],
    rows: Sequence[Number],
    names: Sequence[str],
    counted: Callable[[Sequence[Number]], Sequence[str]],
    title: str,
    total: bool = False,
) -> Table:
    """Return what `counted` says of the numbers of each method, and of all of them at last.

    Counts for which `header` has no column are left out.
    """
    n_counts = len(header) - 1
    lines: list[list[Entry]] = [
        [name, *counted([c for c in rows if c.method == name])[:n_counts]] for name in names
    ]
    if total:
        texts = ["all", *counted(rows)[:n_counts]]
        lines.append([TableCell(text, strong=True, sums=True) for text in texts])
    return Table(header, lines, title=title)


def numbers_table(
    rows: Sequence[Number],
    names: Sequence[str],
    cell: Callable[[Number], Entry],
    title: str = "All numbers",
    head: Sequence[str] = ("data set",),
    lead: Callable[[Sequence[Number]], Sequence[Entry]] = lambda own: [own[0].dataset],
) -> Table:
    """Return the numbers of all methods on each data set, behind what `lead` says of them."""
    places = {(c.dataset, c.method): c for c in rows}
    by_dataset = [[places[d, name] for name in names] for d in dict.fromkeys(d for d, _ in places)]
    lines: list[list[Entry]] = [[*lead(own), *map(cell, own)] for own in by_dataset]
    return Table([*head, *names], lines, title=title)


# A row for each number of each change: whether it is equal before, and in which share of the runs
# it is equal after.
COLUMNS = ("changed", "dataset", "method", "metric", "unchanged", "equal")
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
            found = [is_equal(place, folds) for folds in after if folds is not None]
            if before is None or len(found) < len(after):
                continue
            label = context.item.label(dataset)
            equal = sum(found) / len(found)
            rows.append((name, label, method, metric, is_equal(place, before), equal))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def count_equal(
    numbers: pd.DataFrame, groups: Mapping[str, Sequence[bool] | pd.Series]
) -> pd.DataFrame:
    """Return for each group of numbers how many are equal after each change.

    `groups`: by what a group is called, whether each row of `numbers` is in it. The column
    ``in_all`` is how many of all numbers of the group are equal if those that a change is about are
    changed; all are those of the first change, which is none.
    """
    rows = []
    for group, inside in groups.items():
        own = numbers[list(inside)]
        by_change = own.groupby("changed", sort=False)
        all_equal = 0
        for place, (changed, part) in enumerate(by_change):
            before, after = int(part["unchanged"].sum()), float(part["equal"].sum())
            all_equal = before if place == 0 else all_equal
            sizes = part["dataset"].nunique(), len(part), before
            share = 100 * after / len(part)
            rows.append((group, changed, *sizes, after, share, all_equal - before + after))
    names = ["group", "changed", "n_datasets", "numbers", "unchanged", "equal", "share_pct"]
    return pd.DataFrame(rows, columns=[*names, "in_all"])
