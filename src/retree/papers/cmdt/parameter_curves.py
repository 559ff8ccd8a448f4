"""How accuracies and contrasts depend on single parameters."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retree.errors import RetreeError
from retree.experiments.definitions import Item
from retree.reports.context import Context
from retree.reports.figures import COLOURS, bare_spines
from retree.reports.kind import FrameKind
from retree.reports.kinds.contrasts import Groups, find_contrasts
from retree.reports.kinds.effect_table import GAIN, METRIC
from retree.reports.published import MEAN
from retree.reports.selection import OUTER
from retree.statistics.metrics import find_metric

_PANEL = (2.6, 2.5)  # inches
_LINES = ("-", "--", ":")
_N_COLOURS = 4


@dataclass(frozen=True, kw_only=True)
class ParameterCurves(FrameKind):
    """A column of panels for each parameter; the item varies one parameter at a time.

    Above stands the mean accuracy of every method over the data sets, below the contrasts with
    what the paper publishes of them.

    Attributes
    ----------
    readings : dict of str to Groups
        The contrasts.
    print_of : str
        The item whose published contrasts are drawn.
    axes : dict of str to str
        What parameters are called on their axes.
    """

    readings: Mapping[str, Groups]
    print_of: str
    axes: Mapping[str, str] = field(default_factory=dict)

    def check(self, item: Item) -> None:
        """Refuse an item that does not list points of one parameter each."""
        points = item.vary if isinstance(item.vary, Sequence) else [{}]
        if any(len(point) != 1 for point in points):
            raise RetreeError(f"{item.name} needs vary, a list of points of one parameter each.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the curves, see `parameter_curves`."""
        return parameter_curves(context.item, self.readings.values(), context.frame)

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no results."""
        find = context.published.find
        names = [groups.name for groups in self.readings.values()]
        printed = {name: find(self.print_of, MEAN, name, GAIN).value for name in names}
        if len(rows):
            yield "", _figure(context.item, self.axes, rows, printed)


def parameter_curves(item: Item, groups: Iterable[Groups], frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean accuracies in % and contrasts in points by parameter and value.

    Parameters
    ----------
    item : Item
    groups : iterable of Groups
        The contrasts.
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
        for kind, name, mean, n_sets in _means(item, groups, cells):
            if n_sets == len(item.datasets):
                rows.append([parameter, _text(value), kind, name, mean, n_sets])
    columns = ["parameter", "value", "kind", "name", "mean", "n_datasets"]
    return pd.DataFrame(rows, columns=columns)


def _means(
    item: Item, groups: Iterable[Groups], cells: pd.DataFrame
) -> Iterator[tuple[str, str, float, int]]:
    measure = find_metric(METRIC).of
    for method in item.methods:
        rows = cells[cells["method"] == method.key]
        by_set = measure(rows).groupby(rows["dataset"]).agg(lambda v: v.mean(skipna=False)).dropna()
        yield METRIC, method.name, float(by_set.mean()) if len(by_set) else math.nan, len(by_set)
    for contrast in find_contrasts(item, groups, cells, METRIC):
        differences = contrast.differences
        mean = float(differences.mean()) if len(differences) else math.nan
        yield GAIN, contrast.name, mean, len(differences)


def _text(value: Any) -> str:
    return "none" if value is None else f"{value}"


def _figure(
    item: Item, axes_names: Mapping[str, str], curves: pd.DataFrame, printed: Mapping[str, float]
) -> Figure:
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
        column[1].set_xlabel(axes_names.get(parameter, parameter))
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
