"""Metrics against one varied parameter, a column of panels a data set (kind ``panel_curves``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from retree.errors import RetreeError
from retree.experiments.definitions import Item
from retree.reports.context import Context
from retree.reports.figures import COLOURS, bare_spines
from retree.reports.kind import FrameKind
from retree.reports.kinds.point_table import point_means, point_params
from retree.statistics.metrics import find_metric, is_size

_PANEL = (2.3, 2.1)  # inches
_LEGEND_WIDTH = 2.4
# Sizes that span more are drawn on a logarithmic axis.
_GREATEST_RANGE = 5.0


@dataclass(frozen=True, kw_only=True)
class PanelCurves(FrameKind):
    """A column of panels for each data set, a row for each metric; the item varies one parameter.

    Attributes
    ----------
    metrics : tuple of str
        What is drawn against the parameter.
    axis : str
        What the parameter is called.
    legend : dict of str to str
        What methods are called, by their keys, where that is not their name.
    dashed : dict of str to str
        The methods (keys) that have a dashed line, and the method whose colour that has.
    """

    metrics: tuple[str, ...]
    axis: str
    legend: Mapping[str, str] = field(default_factory=dict)
    dashed: Mapping[str, str] = field(default_factory=dict)

    def check(self, item: Item) -> None:
        """Refuse an item that does not vary exactly one parameter."""
        if not isinstance(item.vary, Mapping) or len(item.vary) != 1:
            raise RetreeError(f"{item.name} draws one parameter; give it vary: {{NAME: [VALUES]}}.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the means by data set, method (as printed) and value of the parameter."""
        item, parameter = context.item, _parameter(context.item)
        means = point_means(item, context.frame, list(self.metrics))
        names = {method.key: method.name for method in item.methods}
        values = [point_params(text)[parameter] for text in means["params"]]
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
    datasets, metrics = list(dict.fromkeys(curves["dataset"])), kind.metrics
    width = _PANEL[0] * len(datasets) + 0.6
    n_columns = max(1, int(width / _LEGEND_WIDTH))
    height = _PANEL[1] * len(metrics) + 0.5 + 0.2 * -(-len(item.methods) // n_columns)
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(len(metrics), len(datasets), squeeze=False, sharex=True)
    for column, dataset in zip(panels.T, datasets, strict=True):
        column[0].set_title(dataset, fontsize=9)
        column[-1].set_xlabel(kind.axis)
        for axes, metric in zip(column, metrics, strict=True):
            _draw(axes, kind, item, curves[curves["dataset"] == dataset], metric)
    for row, metric in zip(panels, metrics, strict=True):
        row[0].set_ylabel(find_metric(metric).label)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns, frameon=False)
    return figure


def _draw(axes: Axes, kind: PanelCurves, item: Item, curves: pd.DataFrame, metric: str) -> None:
    parameter, dashed = _parameter(item), kind.dashed
    solid = [method.key for method in item.methods if method.key not in dashed]
    for method in item.methods:
        part = curves[curves["method"] == method.name]
        twin = dashed.get(method.key, method.key)
        axes.plot(
            part[parameter],
            part[metric],
            "--" if method.key in dashed else "-",
            color=COLOURS[solid.index(twin) % len(COLOURS)] if twin in solid else "0.4",
            linewidth=1.2,
            marker="o",
            markersize=2.5,
            label=kind.legend.get(method.key, method.name),
        )
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    values = curves[metric]
    if is_size(metric) and len(values) and values.max() > _GREATEST_RANGE * values.min():
        axes.set_yscale("log")
    bare_spines(axes)
