"""Changes of metrics against one varied parameter, over data sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.figures import bare_spines, conclude, legend_below, line_style, new_figure
from retree.reports.kind import FrameKind
from retree.statistics.metrics import MetricKind, find_metric

from .point_means import point_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 1.1  # of a panel, in inches
_AROUND = 0.9  # inches for the title and the names of columns and of the axis
_LINE = 0.14  # inches for a line of text


@dataclass(frozen=True, kw_only=True)
class PanelCurves(FrameKind):
    """A row of panels for each metric; the item varies one parameter.

    A line is the mean over the data sets, each of which is a faint line. Drawn is by how much a
    share differs from a reference and, of a size, how many per cent of the reference it is.
    """

    chooses = False

    metrics: tuple[str, ...]  # What is drawn against the parameter
    axis: str  # What the parameter is called
    # By title, the methods (keys) of a column and what their lines are called; lines of one name
    # look the same in all columns.
    columns: Mapping[str, Mapping[str, str]]
    # The line of a column that its other lines are compared with; "" for the first value of the
    # parameter on each line.
    reference: str = ""

    def method_keys(self) -> Iterable[str]:
        """Return the methods of the columns."""
        return [key for column in self.columns.values() for key in column]

    def check(self, item: Item) -> None:
        """Refuse an item that does not vary exactly one parameter."""
        if not isinstance(item.vary, Mapping) or len(item.vary) != 1:
            raise RetreeError(f"{item.name} draws one parameter; give it vary: {{NAME: [VALUES]}}.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the means by data set, method (as published) and value of the parameter."""
        item, parameter = context.item, _parameter(context.item)
        means = point_means(item, context.frame, list(self.metrics))
        names = {method.key: method.name for method in item.methods}
        values = [json.loads(text)[parameter] for text in means["params"]]
        means = means.assign(method=means["method"].map(names))
        means.insert(2, parameter, pd.Series(values, index=means.index, dtype="int64"))
        order = {method.name: place for place, method in enumerate(item.methods)}
        ranked = means.assign(place=means["method"].map(order))
        sets = {item.label(name): place for place, name in enumerate(item.datasets)}
        ranked = ranked.assign(set=ranked["dataset"].map(sets))
        ranked = ranked.sort_values(["set", "place", parameter])
        return ranked.drop(columns=["place", "set", "point", "params"]).reset_index(drop=True)

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no results."""
        if len(rows):
            yield "", _figure(self, context.item, rows)


def _parameter(item: Item) -> str:
    (parameter,) = item.vary or ()
    return str(parameter)


def _figure(kind: PanelCurves, item: Item, curves: pd.DataFrame) -> Figure:
    labels = [label for lines in kind.columns.values() for label in lines.values()]
    labels = [label for label in dict.fromkeys(labels) if label != kind.reference]
    lines = _lines(kind, item, curves)
    figure = new_figure(_HEIGHT * len(kind.metrics) + _AROUND + _LINE * len(labels))
    shape = len(kind.metrics), len(kind.columns)
    panels = figure.subplots(*shape, squeeze=False, sharex=True, sharey="row")
    for (i, j), axes in np.ndenumerate(panels):
        metric, column = kind.metrics[i], list(kind.columns)[j]
        chosen = lines[(lines["metric"] == metric) & (lines["column"] == column)]
        _draw(axes, chosen, labels, 0 if _is_share(metric) else 100)
    for axes, title in zip(panels[0], kind.columns, strict=True):
        axes.set_title(title, weight="bold")
    for axes, metric in zip(panels[:, 0], kind.metrics, strict=True):
        name = find_metric(metric).label
        axes.set_ylabel(
            f"{name},\ndifference" if _is_share(metric) else f"{name}, in %\nof the reference"
        )
    for axes in panels[-1]:
        axes.set_xlabel(kind.axis)
    found = [axes.get_legend_handles_labels() for axes in panels[0]]
    named = {label: handle for some in found for handle, label in zip(*some, strict=True)}
    legend_below(figure, [named[label] for label in labels if label in named])
    return conclude(figure, _finding(kind, lines), _seen(kind, lines))


def _is_share(metric: str) -> bool:
    return find_metric(metric).kind == MetricKind.SHARE


def _lines(kind: PanelCurves, item: Item, curves: pd.DataFrame) -> pd.DataFrame:
    """Return ``metric``, ``column``, ``label``, ``dataset``, ``place`` and ``change``."""
    keys = {method.key: method.name for method in item.methods}
    tables = []
    for column, methods in kind.columns.items():
        labels = {keys[key]: label for key, label in methods.items() if key in keys}
        own = curves[curves["method"].isin(list(labels))]
        own = own.assign(column=column, label=own["method"].map(labels))
        for metric in kind.metrics:
            table = own.assign(metric=metric, place=own[_parameter(item)], value=own[metric])
            tables.append(_changed(table, kind.reference, _is_share(metric)))
    return pd.concat(tables, ignore_index=True)


def _changed(table: pd.DataFrame, reference: str, is_share: bool) -> pd.DataFrame:
    """Return the lines of a column beside its reference, without the reference itself."""
    if reference:
        line = table[table["label"] == reference].set_index(["dataset", "place"])["value"]
        places = pd.MultiIndex.from_frame(table[["dataset", "place"]])
        against = line.reindex(places).to_numpy()
    else:
        against = table.groupby(["dataset", "label"])["value"].transform("first").to_numpy()
    change = table["value"] - against if is_share else 100 * table["value"] / against
    return table.assign(change=change)[table["label"] != reference]


def _finding(kind: PanelCurves, lines: pd.DataFrame) -> str:
    """Return what the paper's own method, the first line, and the best one gain at the end."""
    first = next(str(label) for label in lines["label"] if label != kind.reference)
    column = next(iter(kind.columns))
    means = {label: change for label, of, change in _last(lines, kind.metrics[0]) if of == column}
    best = max(means, key=means.__getitem__)
    words = f"{column}: {first} changes {means[first]:+.1f} points"
    if best != first:
        words += f", {best} {means[best]:+.1f}"
    against = kind.reference or f"{lines['place'].min()} {kind.axis}"
    return f"{words} ({lines['place'].max()} {kind.axis}, against {against})".replace("-0", "−0")


def _seen(kind: PanelCurves, lines: pd.DataFrame) -> str:
    """Return all mean changes at the last value of the parameter."""
    parts = []
    for metric in kind.metrics:
        found = _last(lines, metric)
        changes = ", ".join(f"{label} of {column} {change:.1f}" for label, column, change in found)
        unit = "changes" if _is_share(metric) else "% of the reference"
        parts.append(f"{find_metric(metric).label}, {unit}: {changes}")
    return f"At {lines['place'].max()} {kind.axis}. {'; '.join(parts)}".replace(" -", " −")


def _last(lines: pd.DataFrame, metric: str) -> list[tuple[str, str, float]]:
    """Return label, column and mean change at the last value of the parameter."""
    last = lines[(lines["place"] == lines["place"].max()) & (lines["metric"] == metric)]
    means = last.groupby(["label", "column"], sort=False)["change"].mean().reset_index()
    return [(str(label), str(column), float(change)) for label, column, change in means.to_numpy()]


def _draw(axes: Axes, lines: pd.DataFrame, labels: Sequence[str], neutral: float) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.axhline(neutral, color="0.5", linewidth=0.6, zorder=0)
    for label, own in lines.groupby("label", sort=False):
        look = line_style(labels.index(str(label)))
        for _, one in own.groupby("dataset", sort=False):
            axes.plot(one["place"], one["change"], color=look["color"], linewidth=0.5, alpha=0.4)
        mean = own.groupby("place")["change"].mean()
        axes.plot(mean.index, mean, label=label, **look)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    bare_spines(axes)
