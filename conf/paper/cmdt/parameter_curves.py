"""How accuracies and contrasts depend on single parameters."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.checks import MEAN
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.figures import bare_spines, legend_below, line_style, new_figure
from retree.reports.kind import FrameKind
from retree.reports.kinds.contrasts import Groups, find_contrasts
from retree.reports.kinds.effect_table import GAIN, METRIC
from retree.reports.selection import OUTER
from retree.statistics.metrics import find_metric

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW, _AROUND = 0.42, 0.85  # inches for a gain, and for the title, the axis and the published mark
_SPREAD = 0.8  # of a row is used by its parameters
_PUBLISHED: dict[str, Any] = {
    **{"color": "black", "marker": "|", "markersize": 14, "markeredgewidth": 1.4},
    **{"linestyle": "none", "zorder": 3},
}


@dataclass(frozen=True, kw_only=True)
class ParameterCurves(FrameKind):
    """The contrasts of methods at each value of each parameter, beside the published ones.

    The item varies one parameter at a time.
    """

    chooses = False

    contrasts: Mapping[str, Groups]
    published_in: str  # The item whose published contrasts are drawn
    axes: Mapping[str, str] = field(default_factory=dict)  # What parameters are called

    def check(self, item: Item) -> None:
        """Refuse an item that does not list points of one parameter each."""
        points = item.vary if isinstance(item.vary, Sequence) else [{}]
        if any(len(point) != 1 for point in points):
            raise RetreeError(f"{item.name} needs vary, a list of points of one parameter each.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the curves, see `parameter_curves`."""
        return parameter_curves(context.item, self.contrasts, context.frame)

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure, unless there are no results."""
        if len(rows):
            yield "", _figure(self, context, rows)


def parameter_curves(item: Item, groups: Mapping[str, Groups], frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean accuracies in % and contrasts in points by parameter and value.

    Returns columns ``parameter``, ``value``, ``kind`` (accuracy_pct or accuracy_gain_pct),
    ``name``, ``mean`` and ``n_datasets``; values whose cells are not all done are left out.
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
    item: Item, groups: Mapping[str, Groups], cells: pd.DataFrame
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


def _figure(kind: ParameterCurves, context: Context, curves: pd.DataFrame) -> Figure:
    from matplotlib.lines import Line2D

    gains = curves[curves["kind"] == GAIN]
    names = [groups.name for groups in kind.contrasts.values()]
    parameters = list(dict.fromkeys(gains["parameter"]))
    figure = new_figure(_ROW * len(names) + 0.13 * len(parameters) + _AROUND)
    axes = figure.subplots()
    for place, name in enumerate(names):
        published = context.published.find(kind.published_in, MEAN, name, GAIN).value
        axes.plot([published], [place], **_PUBLISHED)
        for number, parameter in enumerate(parameters):
            own = gains[(gains["name"] == name) & (gains["parameter"] == parameter)]
            height = place + _SPREAD * ((number + 1) / (len(parameters) + 1) - 0.5)
            axes.plot(own["mean"], [height] * len(own), **_look(number))
    axes.axvline(0, color="0.5", linewidth=0.6, zorder=0)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("gain in points of accuracy")
    figure.suptitle(_finding(gains), size="medium")
    bare_spines(axes)
    labels = [kind.axes.get(parameter, parameter) for parameter in parameters]
    handles = [Line2D([], [], label=label, **_look(i)) for i, label in enumerate(labels)]
    legend_below(figure, [*handles, Line2D([], [], label="published", **_PUBLISHED)])
    return figure


def _look(number: int) -> dict[str, Any]:
    return {**line_style(number), "linewidth": 0.6, "linestyle": "-"}


def _finding(gains: pd.DataFrame) -> str:
    """Return how far a gain moves at most while one parameter takes all of its values."""
    means = gains.groupby(["name", "parameter"])["mean"]
    most = float((means.max() - means.min()).max())
    return f"No parameter moves a gain by more than {math.ceil(10 * most) / 10:.1f} points"
