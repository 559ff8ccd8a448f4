"""Metrics against one varied parameter, small multiples by data set (kind ``panel_curves``)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.definitions import Item
from retree.reports.context import Context
from retree.reports.figures import bare_spines, legend_below, line_style, new_figure, title_above
from retree.reports.kind import FrameKind
from retree.reports.point_means import point_means
from retree.statistics.metrics import find_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 0.58  # of a panel, in inches
_AROUND = 0.5  # inches for the names of columns and of the axis
_LINE = 0.14  # inches for a line of text


@dataclass(frozen=True, kw_only=True)
class PanelCurves(FrameKind):
    """A row of panels for each metric and data set; the item varies one parameter.

    Attributes
    ----------
    metrics : tuple of str
        What is drawn against the parameter.
    axis : str
        What the parameter is called.
    columns : dict of str to (dict of str to str)
        By title, the methods (keys) of a column and what their lines are called; lines of one name
        look the same in all columns.
    """

    metrics: tuple[str, ...]
    axis: str
    columns: Mapping[str, Mapping[str, str]]

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
    places = [(m, d) for m in kind.metrics for d in dict.fromkeys(curves["dataset"])]
    labels = list(
        dict.fromkeys(label for lines in kind.columns.values() for label in lines.values())
    )
    height = (_HEIGHT + 2 * _LINE) * len(places) + _AROUND + _LINE * len(labels)
    figure = new_figure(height)
    panels = figure.subplots(
        len(places), len(kind.columns), squeeze=False, sharex=True, sharey="row"
    )
    for line, (metric, dataset) in zip(panels, places, strict=True):
        title_above(line, f"{dataset}: {find_metric(metric).label}")
        chosen = curves[curves["dataset"] == dataset]
        for axes, methods in zip(line, kind.columns.values(), strict=True):
            _draw(axes, item, methods, chosen, metric, labels)
    for axes, title in zip(panels[0], kind.columns, strict=True):
        axes.set_title(f"{title}\n", weight="bold")
    for axes in panels[-1]:
        axes.set_xlabel(kind.axis)
    found = [axes.get_legend_handles_labels() for axes in panels[0]]
    named = {label: handle for some in found for handle, label in zip(*some, strict=True)}
    legend_below(figure, [named[label] for label in labels])
    return figure


def _draw(
    axes: Axes,
    item: Item,
    methods: Mapping[str, str],
    curves: pd.DataFrame,
    metric: str,
    labels: list[str],
) -> None:
    names = {method.key: method.name for method in item.methods}
    for key, label in methods.items():
        line = curves[curves["method"] == names.get(key)]
        look = line_style(labels.index(label))
        axes.plot(line[_parameter(item)], line[metric], label=label, **look)
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=3))
    bare_spines(axes)
