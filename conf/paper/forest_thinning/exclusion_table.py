"""Which interpretations of a method give published numbers to the digit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Table
from retree.reports.formatting import number
from retree.reports.kind import FrameKind
from retree.reports.point_means import point_means
from retree.reports.published import published_name
from retree.statistics.agreement import Digits, gap_to_digit

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
        """Refuse titles and labels that are not those of the varied parameters."""
        vary = item.vary if isinstance(item.vary, Mapping) else {}
        named = {name: len(values) for name, values in self.labels.items()}
        if named != {n: len(values) for n, values in vary.items()} or set(named) != {*self.titles}:
            raise RetreeError(f"{item.name} needs a title and labels for all that it varies.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each combination, those of most equal numbers first."""
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
        ingredients = [
            [self.titles[name], str(value), str(len(part)), *_best_of(part)]
            for name in self.titles
            for value, part in rows.groupby(name, sort=False)
        ]
        header = ["left open", "taken as", "combinations", "equal at most", "least distance in %"]
        best = rows.head(_BEST)
        lines = [
            [*map(str, row[: -len(_COUNTS)]), f"{row[-2]} of {row[-3]}", _percent(row[-1])]
            for row in best.itertuples(index=False)
        ]
        titles = [self.titles[name] for name in rows.columns[: -len(_COUNTS)]]
        tables = [
            Table(header, ingredients, title="By ingredient"),
            Table([*titles, "equal", "distance in %"], lines, title=f"The best {len(best)}"),
        ]
        return Document(introduction(context), [*tables, Bullets(_legend(len(rows)))])


def _best_of(part: pd.DataFrame) -> list[str]:
    counts = part.iloc[0]  # they are sorted
    return [f"{counts['equal']} of {counts['numbers']}", _percent(part["distance_pct"].min())]


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


def _legend(n: int) -> list[str]:
    return [
        f"Each of {n} combinations is tried on the forests whose own numbers are equal to the "
        "published ones, on the same folds; a number is a mean or a standard deviation.",
        "The distance is that of the mean number of nodes, relative to the published one, averaged "
        "over data sets and methods.",
    ]
