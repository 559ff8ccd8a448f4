"""Results of the interpretations of FTCG beside the published ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_values
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document
from retree_lab.reports.formatting import RULE, number
from retree_lab.reports.kinds import FrameKind
from retree_lab.reports.kinds.computed import SOURCES
from retree_lab.reports.published import (
    NOTHING,
    PublishedValue,
    known_wrong,
    published_name,
    read_measured,
)
from retree_lab.reports.sections import Column, page_table
from retree_lab.statistics import AGREEING
from retree_lab.statistics.agreement import Digits, gap_to_digit
from retree_lab.statistics.metrics import is_size

from .curves import point_means

METRIC, SIZE = "accuracy_pct", "nodes"
_CSV = [
    *("group", "method", "interpretation", "n_datasets", "kept_pct", "kept_rms"),
    *("kept_correlation", "change", "change_mean_abs_difference", "change_correlation"),
]


def changes(
    context: Context,
    *,
    groups: Mapping[str, str],
    changed_from: Mapping[str, str],
    points: tuple[str, ...],
) -> pd.DataFrame:
    """Return the published change and what the points that the item varies change, by method.

    `groups` says the title of each method, by its key; `changed_from` for each published column of
    what is changed the column that it changes from; `points` what they are called.
    """
    item = context.item
    if len(item.vary or ()) != len(points):
        raise RetreeError(f"{item.name} needs as many names of points as points in vary.")
    means, rows = point_means(item, context.frame, [METRIC, SIZE]), []
    for method in item.methods:
        frames = {
            int(str(point)): part.set_index("dataset")
            for point, part in means[means["method"] == method.key].groupby("point")
        }
        first, after = frames.pop(0, pd.DataFrame()), published_name(method)
        if not frames:
            continue
        published = _change(*(_columns(context, name) for name in (changed_from[after], after)))
        common = published.index.intersection(next(iter(frames.values())).index)
        theirs, names = published.loc[common], (groups[method.key], method.name)
        rows.append([*names, "published", *_summary(theirs, theirs)])
        for point, at in frames.items():
            ours = _change(first.reindex(at.index), at).reindex(common)
            rows.append([*names, points[point], *_summary(ours, theirs)])
    return pd.DataFrame(rows, columns=_CSV)


def _columns(context: Context, name: str) -> pd.DataFrame:
    """Return published accuracies and sizes by data set."""
    return pd.DataFrame({m: context.published.datasets(name, m) for m in (METRIC, SIZE)})


def _change(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return share of nodes kept and change of accuracy of each data set."""
    kept, gained = 100 * after[SIZE] / before[SIZE], after[METRIC] - before[METRIC]
    return pd.DataFrame({"kept": kept, "change": gained})


def _summary(ours: pd.DataFrame, published: pd.DataFrame) -> list[float]:
    """Return the columns from ``n_datasets`` on."""
    away, (kept, change) = ours - published, ours.mean(skipna=False)
    return [
        *(len(ours), float(kept), float(np.sqrt((away["kept"] ** 2).mean(skipna=False)))),
        *(correlation(ours["kept"], published["kept"]), float(change)),
        float(away["change"].abs().mean(skipna=False)),
        correlation(ours["change"], published["change"]),
    ]


def correlation(ours: pd.Series, printed: pd.Series) -> float:
    """Return Pearson's correlation, NaN where one of the two does not vary."""
    if len(ours) < 3 or np.ptp(ours.to_numpy()) < 1e-9 or np.ptp(printed.to_numpy()) < 1e-9:
        return math.nan
    return float(np.corrcoef(ours, printed)[0, 1])


_COUNTS = ["numbers", "equal", "distance_pct"]
_JUDGED = ["point", "metric", "equal", "distance_pct"]
_BEST = 10


@dataclass(frozen=True, kw_only=True)
class ExclusionTable(FrameKind):
    """All combinations of what a text leaves open, by how many published numbers they give.

    Means and standard deviations over the folds are compared with the published ones, over all data
    sets and methods of the item.
    """

    metrics: tuple[str, ...]  # The first is the one whose distance is shown
    titles: Mapping[str, str]  # What each parameter that the item varies is called
    labels: Mapping[str, tuple[str, ...]]  # What its values are called, in the order of the item

    def check(self, item: Item) -> None:
        """Refuse titles and labels that the varied parameters do not have."""
        vary = item.vary if isinstance(item.vary, Mapping) else {}
        named = {name: len(values) for name, values in self.labels.items()}
        if named != {n: len(values) for n, values in vary.items()} or set(named) != {*self.titles}:
            raise RetreeError(f"{item.name} needs a title and labels for all that it varies.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each combination, the most equal numbers first."""
        vary = context.item.vary
        assert isinstance(vary, Mapping)
        combinations = list(product(*(self.labels[name] for name in vary)))
        cells = pd.DataFrame(_judged(context, self.metrics), columns=_JUDGED)
        rows = []
        for point, part in cells.groupby("point"):
            distance = part.loc[part["metric"] == self.metrics[0], "distance_pct"].mean()
            counts = len(part), int(part["equal"].sum()), distance
            rows.append([*combinations[int(str(point))], *counts])
        table = pd.DataFrame(rows, columns=[*vary, *_COUNTS])
        return table.sort_values(["equal", "distance_pct"], ascending=[False, True], kind="stable")

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return a summary by ingredient, and the best combinations."""
        groups = [(n, v, part) for n in self.titles for v, part in rows.groupby(n, sort=False)]
        # Rows are sorted: the first one has most.
        ingredients = [
            Column("left open", lambda one: self.titles[one[0]]),
            Column("taken as", itemgetter(1)),
            Column("combinations", lambda one: len(one[2])),
            Column("equal at most", lambda one: _equal(one[2].iloc[0])),
            Column("smallest distance in %", lambda one: _percent(one[2]["distance_pct"].min())),
        ]
        best = rows.head(_BEST)
        named = [Column(self.titles[name], name) for name in rows.columns[: -len(_COUNTS)]]
        counts = [Column("equal", _equal), Column("distance in %", "distance_pct", _percent)]
        tables = [
            page_table(ingredients, groups, title="By ingredient"),
            page_table([*named, *counts], best.itertuples(), title=f"The best {len(best)}"),
        ]
        return Document(introduction(context), [*tables, Bullets(_exclusion_legend(len(rows)))])


def _equal(row: Any) -> str:
    return f"{row.equal} of {row.numbers}"


def _judged(context: Context, metrics: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Yield the published means and deviations, and whether a point gives them."""
    means = point_means(context.item, context.frame, list(metrics))
    for method, metric in product(context.item.methods, metrics):
        places = context.published.places(published_name(method), metric)
        for row in means[means["method"] == method.key].to_dict("records"):
            if row["dataset"] not in places:
                continue
            cell = places[row["dataset"]][1]
            distance = 100 * abs(row[metric] / cell.value - 1)
            for suffix, value in (("", cell.value), ("_std", cell.std)):
                gap = gap_to_digit(row[metric + suffix], value, cell.unit, Digits.ROUNDED)
                yield row["point"], metric + suffix, gap == 0, distance


def _percent(value: float) -> str:
    return number("accuracy_pct", value)


def _exclusion_legend(n: int) -> list[str]:
    return [
        f"Each of {n} combinations is tried on forests whose own numbers equal the published ones, "
        "on the same folds. A number is a mean or a standard deviation.",
        "The distance is the difference from the published mean number of nodes, relative to it, "
        "averaged over data sets and methods.",
    ]


_NOT_GIVEN = ["dataset", "method", "metric", "published", "program", "reproduced"]
_GIVEN = ["dataset", "method", "metric", "published", "published_std", "program", "program_std"]
_GIVEN += ["reproduced", "reproduced_std", "program_equal", "equal"]
# What is equal to the published digits.
_SIGNS = {"": "", "mean": "(=)", "mean and deviation": "="}


def given(context: Context, *, outputs: str) -> pd.DataFrame:
    """Return the published numbers of the item beside a program's own, and ours.

    `outputs` is the file in the folder of the paper with what it gave: ``dataset``, ``method`` and
    ``metric`` as published, ``value`` and ``std``. The columns ``program_equal`` and ``equal``
    say what is equal to the published digits.
    """
    item, rows = context.item, []
    means = point_means(item, context.frame, [METRIC, SIZE])
    keys, labels = {published_name(m): m.key for m in item.methods}, item.datasets_by_label
    for place, theirs in read_measured(context.paper, outputs).items():
        dataset, method, metric = place
        if dataset not in labels or method not in keys:
            continue
        cell = context.published.places(method, metric)[dataset][1]
        values = means[(means["dataset"] == dataset) & (means["method"] == keys[method])]
        ours = values[[metric, f"{metric}_std"]].iloc[0].tolist() if len(values) else [math.nan] * 2
        equal = [_what_is_equal(cell, *pair) for pair in ((theirs.value, theirs.std), ours)]
        numbers = cell.value, cell.std, theirs.value, theirs.std, *ours
        rows.append([*place, *numbers, *equal])
    table = pd.DataFrame(rows, columns=_GIVEN)
    table["_program_sign"], table["_sign"] = (
        table[name].map(_SIGNS) for name in ("program_equal", "equal")
    )
    return table


def _what_is_equal(cell: PublishedValue, mean: float, std: float) -> str:
    """Return which of a mean and its deviation are published with these digits."""
    if math.isnan(mean) or gap_to_digit(mean, cell.value, cell.unit, Digits.ROUNDED):
        return ""
    gap = gap_to_digit(std, cell.std, cell.unit, Digits.ROUNDED)
    return "mean" if gap else "mean and deviation"


def not_given(context: Context, *, outputs: str, tried: Mapping[str, str]) -> pd.DataFrame:
    """Return the numbers of `given` that the program does not give; `tried` is by data set."""
    table = given(context, outputs=outputs)
    table = table.loc[table["program_equal"] == "", _NOT_GIVEN]
    table["tried"] = [tried.get(dataset, "") for dataset in table["dataset"]]
    by_dataset = dict(zip(table["dataset"], table["tried"], strict=True))
    table.attrs["notes"] = [f"{dataset}: {text}" for dataset, text in by_dataset.items() if text]
    return table


NEAR = 0.1
_MEASURED = ["published", "method", "metric", "n_datasets", "agrees", "mean_difference"]
_MEASURED += ["mean_abs_difference", "ratio", "within_10_percent", SOURCES]


def distances(
    context: Context, *, metrics: tuple[str, ...], tables_of: tuple[str, ...]
) -> pd.DataFrame:
    """Return how far each method is from the published column that it stands for, by metric.

    `tables_of` are the items whose columns are looked at. Known misprints are left out.
    """
    distances = (
        (method, metric, context.judge(_cells(context, method, metric, tables_of)))
        for metric, method in product(metrics, context.item.methods)
    )
    table = pd.DataFrame([_distances(*one) for one in distances if one[-1]], columns=_MEASURED)
    table.attrs["notes"] = [RULE]
    return table


def _cells(
    context: Context, method: Method, metric: str, tables: Sequence[str]
) -> Iterator[Comparison]:
    for dataset in context.item.datasets:
        names = (context.item.label(dataset), published_name(method), metric)
        choice, published = context.best.get((dataset, method.key)), _find(context, tables, names)
        if choice and not choice.folds.empty and not math.isnan(published.value):
            yield compare_values(context.item, (dataset, method, metric), choice, published)


def _find(context: Context, tables: Sequence[str], names: tuple[str, str, str]) -> PublishedValue:
    """Return the published value of a cell unless it is a known misprint."""
    for table in tables:
        published = context.published.find(table, *names)
        if not math.isnan(published.value) and not known_wrong(context.paper, table, *names):
            return published
    return NOTHING


def _distances(method: Method, metric: str, cells: list[Comparison]) -> list[object]:
    ours = np.array([c.reproduced for c in cells])
    theirs = np.array([c.published for c in cells])
    away, sized = np.abs(ours - theirs), is_size(metric)
    return [
        *(published_name(method), method.about.get("interpretation", method.name), metric),
        *(len(ours), sum(c.verdict in AGREEING for c in cells)),
        *(float(np.mean(ours - theirs)), float(np.mean(away))),
        float(np.exp(np.mean(np.log(ours / theirs)))) if sized else math.nan,
        int(np.sum(away <= NEAR * theirs)) if sized else math.nan,
        cells,
    ]
