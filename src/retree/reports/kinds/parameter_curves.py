"""How accuracies and contrasts depend on single parameters (kind ``parameter_curves``)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.figures import COLOURS, bare_spines, save_figure, style
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.contrasts import find_contrasts
from retree.reports.kinds.effect_table import GAIN, METRIC
from retree.reports.published import MEAN, Published
from retree.reports.selection import OUTER
from retree.statistics.metrics import find_metric

_PANEL = (2.6, 2.5)  # inches
_LINES = ("-", "--", ":")
_N_COLOURS = 4


@style()
def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.png`` and ``.svg``.

    The item's ``vary`` is a list of points with one parameter each. There is a column of panels
    for each parameter: above, the mean accuracy of every method over the data sets, below, the
    contrasts that are the item's ``readings``, with what the item ``print_of`` prints of them.
    """
    curves = parameter_curves(item, frame)
    base = folder(experiment) / item.name
    table = write(base.with_suffix(".csv"), csv_text(curves))
    if curves.empty:
        return [table]
    published, table_of = Published(experiment.paper), str(item.options.get("print_of", item.name))
    printed = {
        reading["name"]: published.find(table_of, MEAN, reading["name"], GAIN).value
        for reading in item.options["readings"].values()
    }
    return [table, *save_figure(_figure(item, curves, printed), base)]


def parameter_curves(item: Item, frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean accuracies in % and contrasts in points by parameter and value.

    Parameters
    ----------
    item : Item
        Has ``readings`` as for `retree.reports.kinds.contrasts.find_contrasts`.
    frame : DataFrame
        Its results.

    Returns
    -------
    DataFrame
        Columns ``parameter``, ``value``, ``kind`` (accuracy_pct or accuracy_gain_pct), ``name``,
        ``mean`` and ``n_datasets``; values whose cells are not all done are left out.
    """
    rows = []
    outer = frame[frame["inner"] == OUTER]
    for _, cells in outer.groupby("point", sort=True):
        ((parameter, value),) = json.loads(cells["params"].iloc[0]).items()
        for kind, name, mean, n_sets in _means(item, cells):
            if n_sets == len(item.datasets):
                rows.append([parameter, _text(value), kind, name, mean, n_sets])
    columns = ["parameter", "value", "kind", "name", "mean", "n_datasets"]
    return pd.DataFrame(rows, columns=columns)


def _means(item: Item, cells: pd.DataFrame) -> Iterator[tuple[str, str, float, int]]:
    measure = find_metric(METRIC).of
    for method in item.methods:
        rows = cells[cells["method"] == method.key]
        by_set = measure(rows).groupby(rows["dataset"]).agg(lambda v: v.mean(skipna=False)).dropna()
        yield METRIC, method.name, float(by_set.mean()) if len(by_set) else math.nan, len(by_set)
    for contrast in find_contrasts(item, cells, METRIC):
        differences = contrast.differences
        mean = float(differences.mean()) if len(differences) else math.nan
        yield GAIN, contrast.name, mean, len(differences)


def _text(value: Any) -> str:
    return "none" if value is None else f"{value}"


def _figure(item: Item, curves: pd.DataFrame, printed: Mapping[str, float]) -> Figure:
    parameters = list(dict.fromkeys(curves["parameter"]))
    figure = Figure(
        figsize=(_PANEL[0] * len(parameters), 2 * _PANEL[1] + 0.9), layout="constrained"
    )
    panels = figure.subplots(2, len(parameters), squeeze=False, sharey="row")
    for column, parameter in zip(panels.T, parameters, strict=True):
        chosen = curves[curves["parameter"] == parameter]
        default = _text(item.methods[0].params.get(parameter))
        _draw(column[0], chosen[chosen["kind"] == METRIC], default, {})
        _draw(column[1], chosen[chosen["kind"] == GAIN], default, printed)
        column[1].set_xlabel(item.options.get("axes", {}).get(parameter, parameter))
    panels[0, 0].set_ylabel("mean accuracy in %")
    panels[1, 0].set_ylabel("contrast in points")
    for axes, loc in (
        (panels[0, 0], "outside upper center"),
        (panels[1, 0], "outside lower center"),
    ):
        handles, labels = axes.get_legend_handles_labels()
        place: Any = loc
        figure.legend(handles, labels, loc=place, ncols=4, frameon=False, fontsize=8)
    return figure


def _draw(axes: Axes, curves: pd.DataFrame, default: str, printed: Mapping[str, float]) -> None:
    values = list(dict.fromkeys(curves["value"]))
    for i, (name, line) in enumerate(curves.groupby("name", sort=False)):
        colour = COLOURS[i % _N_COLOURS]
        places = [values.index(value) for value in line["value"]]
        axes.plot(
            places,
            line["mean"],
            marker="o",
            linestyle=_LINES[i // _N_COLOURS % len(_LINES)],
            color=colour,
            markersize=2.5,
            linewidth=1,
            label=str(name),
        )
        if not math.isnan(theirs := printed.get(str(name), math.nan)):
            axes.axhline(theirs, color=colour, linewidth=0.8, linestyle=":")
    if default in values:
        axes.axvspan(values.index(default) - 0.3, values.index(default) + 0.3, color="0.92")
    if printed:
        axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    axes.set_xticks(range(len(values)), values, rotation=45 if _are_long(values) else 0)
    bare_spines(axes)


def _are_long(values: Sequence[str]) -> bool:
    return sum(map(len, values)) > 24
