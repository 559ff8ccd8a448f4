"""How accuracies and contrasts depend on single parameters."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.claim_config import MEAN
from retree.experiments.definition.definitions import Item
from retree.reports.context import Context
from retree.reports.figures import bare_spines, legend_below, line_style, new_figure, title_above
from retree.reports.kind import FrameKind
from retree.reports.kinds.contrasts import Groups, find_contrasts
from retree.reports.kinds.effect_table import GAIN, METRIC
from retree.reports.selection import OUTER
from retree.statistics.metrics import find_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHTS = {METRIC: 0.72, GAIN: 0.5}  # of a panel, in inches
_AROUND = 1.62  # inches for titles, the labels of the axes and the legend
_BAND: dict[str, Any] = {"color": "0.88", "zorder": 0, "label": "value used in the tables"}
_ZERO: dict[str, Any] = {"color": "0.5", "linewidth": 0.6, "zorder": 1, "label": "no difference"}
_REPRODUCED: dict[str, Any] = {"color": "black", "marker": "o"}
_PUBLISHED: dict[str, Any] = {
    "color": "black",
    "linewidth": 0.9,
    "linestyle": (0, (4, 2)),
    "label": "published",
}


@dataclass(frozen=True, kw_only=True)
class ParameterCurves(FrameKind):
    """A column of panels for each parameter; the item varies one parameter at a time.

    The upper rows show the mean accuracy over the data sets of a group of methods each, the lower
    ones a contrast each, beside its published value.

    Attributes
    ----------
    contrasts : dict of str to Groups
        The contrasts.
    published_in : str
        The item whose published contrasts are drawn.
    panels : dict of str to (dict of str to str)
        By title, the methods (keys) of a row of accuracies, and what their lines are called; lines
        of one name look the same in all rows.
    axes : dict of str to str
        What parameters are called above their columns.
    """

    chooses = False

    contrasts: Mapping[str, Groups]
    published_in: str
    panels: Mapping[str, Mapping[str, str]]
    axes: Mapping[str, str] = field(default_factory=dict)

    def method_keys(self) -> Iterable[str]:
        """Return the methods whose accuracies are drawn."""
        return [key for keys in self.panels.values() for key in keys]

    def check(self, item: Item) -> None:
        """Refuse an item that does not list points of one parameter each."""
        points = item.vary if isinstance(item.vary, Sequence) else [{}]
        if any(len(point) != 1 for point in points):
            raise RetreeError(f"{item.name} needs vary, a list of points of one parameter each.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the curves, see `parameter_curves`."""
        return parameter_curves(context.item, self.contrasts.values(), context.frame)

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no results."""
        if len(rows):
            yield "", _figure(self, context, rows)


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


@dataclass(frozen=True)
class _Row:
    """A row of panels: its title, the name and label of each line, and a published value or NaN."""

    title: str
    kind: str
    lines: Mapping[str, str]
    published: float = math.nan


def _rows(kind: ParameterCurves, context: Context) -> list[_Row]:
    names = {method.key: method.name for method in context.item.methods}
    rows = [
        _Row(title, METRIC, {names[key]: label for key, label in lines.items() if key in names})
        for title, lines in kind.panels.items()
    ]
    find = context.published.find
    for groups in kind.contrasts.values():
        published = find(kind.published_in, MEAN, groups.name, GAIN).value
        rows.append(
            _Row(
                f"{groups.name}: difference in points", GAIN, {groups.name: "reproduced"}, published
            )
        )
    return rows


def _figure(kind: ParameterCurves, context: Context, curves: pd.DataFrame) -> Figure:
    rows, parameters = _rows(kind, context), list(dict.fromkeys(curves["parameter"]))
    heights = [_HEIGHTS[row.kind] for row in rows]
    figure = new_figure(1.2 * sum(heights) + _AROUND)
    shape = len(rows), len(parameters)
    panels = figure.subplots(*shape, squeeze=False, sharey="row", height_ratios=heights)
    labels = list(dict.fromkeys(label for row in rows for label in row.lines.values()))
    for (i, j), axes in np.ndenumerate(panels):
        chosen = curves[curves["parameter"] == parameters[j]]
        default = _text(context.item.methods[0].params.get(parameters[j]))
        _draw(axes, rows[i], chosen, default, labels)
        axes.tick_params(labelbottom=i == len(rows) - 1)
    for axes, parameter in zip(panels[-1], parameters, strict=True):
        axes.set_xlabel(kind.axes.get(parameter, parameter))
    for row, line in zip(rows, panels, strict=True):
        title_above(line, row.title)
    _share_limits([line[0] for row, line in zip(rows, panels, strict=True) if row.kind == GAIN])
    handles = [axes.get_legend_handles_labels() for axes in (*panels[:, 0], panels[-1, 0])]
    named = {label: handle for found in handles for handle, label in zip(*found, strict=True)}
    legend_below(figure, list(named.values()), ncols=2)
    return figure


def _share_limits(panels: Sequence[Axes]) -> None:
    """Give panels one scale, so that contrasts can be compared."""
    ends = [end for axes in panels for end in axes.get_ylim()]
    for axes in panels:
        axes.set_ylim(min(ends), max(ends))


def _draw(axes: Axes, row: _Row, curves: pd.DataFrame, default: str, labels: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    values = list(dict.fromkeys(curves["value"]))
    if row.kind == GAIN:
        axes.axhline(0, **_ZERO)
    if default in values:
        axes.axvspan(values.index(default) - 0.35, values.index(default) + 0.35, **_BAND)
    for name, label in row.lines.items():
        line = curves[(curves["kind"] == row.kind) & (curves["name"] == name)]
        places = [values.index(value) for value in line["value"]]
        look = line_style(labels.index(label)) if row.kind == METRIC else _REPRODUCED
        axes.plot(places, line["mean"], label=label, **look)
    if not math.isnan(row.published):
        axes.axhline(row.published, **_PUBLISHED)
    axes.set_xticks(range(len(values)), values, rotation=90)
    axes.margins(y=0.12)
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=3, integer=True))
    bare_spines(axes)
