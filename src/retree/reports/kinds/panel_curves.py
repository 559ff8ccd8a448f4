"""Metrics against one varied parameter, a column of panels a data set (kind ``panel_curves``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.figures import COLOURS, bare_spines, save_figure, style
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.point_table import point_means, point_params
from retree.statistics.metrics import find_metric, is_size

_PANEL = (2.3, 2.1)  # inches
_LEGEND_WIDTH = 2.4
# Sizes that span more are drawn on a logarithmic axis.
_GREATEST_RANGE = 5.0


@style()
def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.png`` and ``.svg``.

    The item's ``vary`` has one parameter, which ``axis`` calls by name; there is a row of panels
    for each of its ``metrics``. Its ``legend`` calls methods by name; those that are keys of its
    ``dashed`` have a dashed line in the colour of the method that is named there.
    """
    curves = _curves(item, frame)
    base = folder(experiment) / item.name
    table = write(base.with_suffix(".csv"), csv_text(curves))
    return [table, *save_figure(_figure(item, curves), base)] if len(curves) else [table]


def _curves(item: Item, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the means by data set, method (as printed) and value of the parameter."""
    (parameter,), metrics = item.options["vary"], item.options["metrics"]
    means = point_means(item, frame, metrics)
    names = {method.key: method.name for method in item.methods}
    values = [point_params(text)[parameter] for text in means["params"]]
    means = means.assign(method=means["method"].map(names))
    means.insert(2, parameter, pd.Series(values, index=means.index, dtype="int64"))
    order = {method.name: place for place, method in enumerate(item.methods)}
    ranked = means.assign(place=means["method"].map(order))
    sets = {item.label(name): place for place, name in enumerate(item.datasets)}
    ranked = ranked.assign(set=ranked["dataset"].map(sets)).sort_values(["set", "place", parameter])
    return ranked.drop(columns=["place", "set", "point", "params"]).reset_index(drop=True)


def _figure(item: Item, curves: pd.DataFrame) -> Figure:
    datasets, metrics = list(dict.fromkeys(curves["dataset"])), item.options["metrics"]
    width = _PANEL[0] * len(datasets) + 0.6
    n_columns = max(1, int(width / _LEGEND_WIDTH))
    height = _PANEL[1] * len(metrics) + 0.5 + 0.2 * -(-len(item.methods) // n_columns)
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(len(metrics), len(datasets), squeeze=False, sharex=True)
    for column, dataset in zip(panels.T, datasets, strict=True):
        column[0].set_title(dataset, fontsize=9)
        column[-1].set_xlabel(item.options["axis"])
        for axes, metric in zip(column, metrics, strict=True):
            _draw(axes, item, curves[curves["dataset"] == dataset], metric)
    for row, metric in zip(panels, metrics, strict=True):
        row[0].set_ylabel(find_metric(metric).label)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns, frameon=False)
    return figure


def _draw(axes: Axes, item: Item, curves: pd.DataFrame, metric: str) -> None:
    (parameter,), legend = item.options["vary"], item.options.get("legend", {})
    dashed: Mapping[str, str] = item.options.get("dashed", {})
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
            label=legend.get(method.key, method.name),
        )
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    values = curves[metric]
    if is_size(metric) and len(values) and values.max() > _GREATEST_RANGE * values.min():
        axes.set_yscale("log")
    bare_spines(axes)
