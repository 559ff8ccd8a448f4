"""What a match is worth: how many published numbers are equal once something is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from retree_lab.reports.context import Context
from retree_lab.reports.right_rows import complete_runs

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
