"""Gains against one varied parameter, over data sets."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.context import Context
from retree_lab.reports.figures import bare_spines, conclude, legend_below, line_style, new_figure
from retree_lab.reports.formatting import number
from retree_lab.reports.kinds import FrameKind
from retree_lab.reports.selection import OUTER
from retree_lab.statistics.metrics import find_metric

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 1.9  # of the panel, in inches
_AROUND = 0.9  # inches for the title and the name of the axis
_LINE = 0.14  # inches for a line of text
_FAINT: dict[str, Any] = {"linewidth": 0.5, "alpha": 0.4}
_PUBLISHED: dict[str, Any] = {"color": "black", "marker": "D", "linestyle": "none"}


@dataclass(frozen=True, kw_only=True)
class GainCurves(FrameKind):
    """How an accuracy changes with the parameter that the item varies.

    A line is the mean over the data sets, each of which is a faint line.
    """

    chooses = False

    metrics: tuple[str, ...]  # The columns of the csv; the first one is drawn
    axis: str  # What the parameter is called
    lines: Mapping[str, str]  # What the methods (keys) that are drawn are called
    # The line that others are compared with; "" for the first value of the parameter on each line.
    reference: str = ""
    # The value of the parameter that published numbers are of, and the item that has them.
    published_at: float = 0.0
    published_in: str = ""

    def method_keys(self) -> Iterable[str]:
        """Return the methods of the lines."""
        return self.lines

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
            gains = _gains(self, context.item, rows)
            yield "", _figure(self, gains, _published(self, context))


def _parameter(item: Item) -> str:
    (parameter,) = item.vary or ()
    return str(parameter)


def _gains(kind: GainCurves, item: Item, curves: pd.DataFrame) -> pd.DataFrame:
    """Return ``label``, ``dataset``, ``place`` and ``gain`` of all lines but the reference."""
    labels = {m.name: kind.lines[m.key] for m in item.methods if m.key in kind.lines}
    rows = curves[curves["method"].isin(list(labels))]
    rows = rows.assign(label=rows["method"].map(labels), place=rows[_parameter(item)])
    values = rows[kind.metrics[0]]
    if kind.reference:
        line = rows[rows["label"] == kind.reference].set_index(["dataset", "place"])
        places = pd.MultiIndex.from_frame(rows[["dataset", "place"]])
        against = line[kind.metrics[0]].reindex(places).to_numpy()
    else:
        against = values.groupby([rows["dataset"], rows["label"]]).transform("first").to_numpy()
    gains = rows.assign(gain=values - against)[["label", "dataset", "place", "gain"]]
    return gains[gains["label"] != kind.reference]


def _published(kind: GainCurves, context: Context) -> dict[str, float]:
    """Return the published mean gain of each line, on the data sets of the item."""
    if not kind.published_in:
        return {}
    item, names = context.item, {method.key: method.name for method in context.item.methods}
    (base,) = (names[key] for key, label in kind.lines.items() if label == kind.reference)

    def value(dataset: str, method: str) -> float:
        label = item.label(dataset)
        return context.published.find(kind.published_in, label, method, kind.metrics[0]).value

    gains = {
        label: [value(d, names[key]) - value(d, base) for d in item.datasets]
        for key, label in kind.lines.items()
        if label != kind.reference
    }
    means = {label: float(np.mean(values)) for label, values in gains.items()}
    return {label: mean for label, mean in means.items() if not math.isnan(mean)}


def _figure(kind: GainCurves, gains: pd.DataFrame, published: Mapping[str, float]) -> Figure:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    labels = list(dict.fromkeys(gains["label"]))
    figure = new_figure(_HEIGHT + _AROUND + _LINE * (len(labels) + 2))
    axes = figure.subplots()
    axes.axhline(0, color="0.5", linewidth=0.6, zorder=0)
    handles = [_draw(axes, gains, label, line_style(i)) for i, label in enumerate(labels)]
    handles.append(Line2D([], [], color="0.4", label="faint: one data set", **_FAINT))
    for label, gain in published.items():
        said = f"{label}, published"
        handles += axes.plot([kind.published_at], [gain], label=said, **_PUBLISHED)
    against = kind.reference or f"{kind.axis} at {gains['place'].min()}"
    axes.set_ylabel(f"{find_metric(kind.metrics[0]).label},\nminus {against}")
    axes.set_xlabel(kind.axis)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    bare_spines(axes)
    legend_below(figure, handles)
    return conclude(figure, *_words(kind, gains, published))


def _draw(axes: Axes, gains: pd.DataFrame, label: str, look: Mapping[str, Any]) -> Artist:
    rows = gains[gains["label"] == label]
    for _, one in rows.groupby("dataset", sort=False):
        axes.plot(one["place"], one["gain"], color=look["color"], **_FAINT)
    mean = rows.groupby("place")["gain"].mean()
    (line,) = axes.plot(mean.index, mean, label=label, **look)
    return line


def _words(
    kind: GainCurves, gains: pd.DataFrame, published: Mapping[str, float]
) -> tuple[str, str]:
    """Return a title on the gain of the paper's own method, the first line, and a text on all."""
    place = kind.published_at or gains["place"].max()
    at = gains[gains["place"] == place].groupby("label", sort=False)["gain"]
    ends = at.agg(["mean", "min", "max"]).map(lambda gain: number(kind.metrics[0], gain, sign=True))
    first, n_sets = str(ends.index[0]), gains["dataset"].nunique()
    mean, low, high = map(str, ends.iloc[0])
    # Even the first value of a parameter, no pass, has the new vote.
    of_what = "including the new vote" if kind.reference else "from thinning alone"
    title = (
        f"With {place:g} {kind.axis} {first} gains {mean} points on average {of_what} "
        f"({low} to {high} on {n_sets} data sets)"
    )
    if first in published:
        title += f"; published {number(kind.metrics[0], published[first], sign=True)}"
    rows = "; ".join(f"{r.Index} {r.mean} ({r.min} to {r.max})" for r in ends.itertuples())
    return title, f"Mean gains over {n_sets} data sets at {place:g} {kind.axis}: {rows}"


def point_means(item: Item, frame: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Return mean and standard deviation of each metric at each point.

    Returns columns ``dataset`` (as published), ``method`` (key), ``point``, ``params`` (JSON),
    ``n_folds`` and for each metric its mean, and its standard deviation as ``<metric>_std``;
    without the points of which a fold is missing.
    """
    outer = frame[frame["inner"] == OUTER]
    n_folds = item.protocol.folds * item.protocol.repeats
    done = outer[outer["status"] == "done"]
    values = done.assign(**{metric: find_metric(metric).of(done) for metric in metrics})
    groups = values.groupby(["dataset", "method", "point", "params"], sort=False)
    means, stds = groups[metrics].mean(), groups[metrics].std().add_suffix("_std")
    table = pd.concat([groups.size().rename("n_folds"), means, stds], axis=1)
    table = table[table["n_folds"] == n_folds].reset_index()
    order = {name: place for place, name in enumerate(item.datasets)}
    ranked = table.assign(place=table["dataset"].map(order)).sort_values(["place", "point"])
    return ranked.assign(dataset=ranked["dataset"].map(item.label)).drop(columns="place")
