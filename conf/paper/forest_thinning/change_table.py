"""What each interpretation of a method changes, beside the published change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.experiments.definition.method import Method
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.formatting import BLANK, number
from retree.reports.kind import FrameKind
from retree.reports.point_means import point_means
from retree.reports.published import published_name

METRIC, SIZE = "accuracy_pct", "nodes"
_COLUMNS = [
    "group",
    "method",
    "interpretation",
    "n_datasets",
    "kept_pct",
    "kept_rms",
    "kept_correlation",
]
_COLUMNS += ["change", "change_mean_abs_difference", "change_correlation"]
_HEADER = ["interpretation", "nodes kept in %", "rms distance", "correlation"]
_HEADER += ["change of accuracy", "mean abs. distance", "correlation"]
_LEGEND = [
    "Nodes kept and change of accuracy (in points) are relative to the first interpretation, "
    "averaged over the data sets. Distances and correlations are those to the published values of "
    "the same data sets.",
    "The folds of all interpretations are the rows of [cells.csv.gz](cells.csv.gz), the parameters "
    "of each in the column params.",
]


@dataclass(frozen=True, kw_only=True)
class ChangeTable(FrameKind):
    """A table for each method: what the points that the item varies change, against the first."""

    chooses = False

    groups: Mapping[str, str]  # The title of each method, by its key
    # For each published column of what is changed, the column that it changes from.
    changed_from: Mapping[str, str]
    interpretation_names: tuple[str, ...]  # What the points are called

    @property
    def metric_names(self) -> tuple[str, ...]:
        """Accuracy and size."""
        return METRIC, SIZE

    def method_keys(self) -> Iterable[str]:
        """Return the methods that have a title."""
        return self.groups

    def check(self, item: Item) -> None:
        """Refuse points without a name."""
        if len(item.vary or ()) != len(self.interpretation_names):
            raise RetreeError(f"{item.name} needs as many interpretation_names as points in vary.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for the published change and for that of each point, by method."""
        means = point_means(context.item, context.frame, [METRIC, SIZE])
        rows = []
        for method in context.item.methods:
            ours = means[means["method"] == method.key]
            printed = self._published(context, method)
            found = {p: _change(ours, int(p)) for p in sorted(ours["point"].unique()) if p > 0}
            if not found:
                continue
            common = printed.index.intersection(next(iter(found.values())).index)
            theirs, names = printed.loc[common], (self.groups[method.key], method.name)
            rows.append(_row(*names, "published", theirs, theirs))
            for point, change in found.items():
                name = self.interpretation_names[int(point)]
                rows.append(_row(*names, name, change.reindex(common), theirs))
        return pd.DataFrame(rows, columns=_COLUMNS)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return a table for each method."""
        tables = []
        for group, part in rows.groupby("group", sort=False):
            title = f"{group} ({int(part['n_datasets'].iloc[0])} data sets)"
            lines = [_texts(row) for row in part.itertuples(index=False)]
            tables.append(Table(_HEADER, lines, title=title))
        return Document(introduction(context), [*tables, Bullets(_LEGEND)])

    def _published(self, context: Context, method: Method) -> pd.DataFrame:
        after = published_name(method)
        before = self.changed_from[after]
        values = {
            (name, metric): pd.Series(context.published.datasets(name, metric), dtype=float)
            for name in (before, after)
            for metric in (METRIC, SIZE)
        }
        kept = 100 * values[after, SIZE] / values[before, SIZE]
        return pd.DataFrame(
            {"kept": kept, "change": values[after, METRIC] - values[before, METRIC]}
        )


def _change(means: pd.DataFrame, point: int) -> pd.DataFrame:
    """Return share of nodes kept and change of accuracy of each data set at a point."""
    at = means[means["point"] == point].set_index("dataset")
    first = means[means["point"] == 0].set_index("dataset").reindex(at.index)
    kept, gained = 100 * at[SIZE] / first[SIZE], at[METRIC] - first[METRIC]
    return pd.DataFrame({"kept": kept, "change": gained})


def _row(
    group: str, method: str, name: str, ours: pd.DataFrame, printed: pd.DataFrame
) -> list[object]:
    kept, gained = ours["kept"] - printed["kept"], ours["change"] - printed["change"]
    return [
        group,
        method,
        name,
        len(ours),
        float(ours["kept"].mean(skipna=False)),
        float(np.sqrt((kept**2).mean(skipna=False))),
        _correlation(ours["kept"], printed["kept"]),
        float(ours["change"].mean(skipna=False)),
        float(gained.abs().mean(skipna=False)),
        _correlation(ours["change"], printed["change"]),
    ]


def _correlation(ours: pd.Series, printed: pd.Series) -> float:
    """Return Pearson's correlation, NaN where one of the two does not vary."""
    if len(ours) < 3 or np.ptp(ours.to_numpy()) < 1e-9 or np.ptp(printed.to_numpy()) < 1e-9:
        return float("nan")
    return float(np.corrcoef(ours, printed)[0, 1])


def _texts(row: object) -> list[Entry]:
    values = dict(zip(_COLUMNS, row, strict=True))  # type: ignore[call-overload]
    is_published = values["interpretation"] == "published"
    texts: list[Entry] = [TableCell(str(values["interpretation"]), strong=is_published)]
    texts.append(number(SIZE, values["kept_pct"]))
    texts += [
        BLANK if is_published else _two(values[name]) for name in ("kept_rms", "kept_correlation")
    ]
    texts.append(number(METRIC, values["change"], sign=True))
    names = ("change_mean_abs_difference", "change_correlation")
    return texts + [BLANK if is_published else _two(values[name]) for name in names]


def _two(value: float) -> str:
    return number(METRIC, value)
