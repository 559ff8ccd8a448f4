"""Gains over settings that the paper does not give, one parameter at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.context import Context
from retree_lab.reports.figures import (
    bare_spines,
    conclude,
    label_rows,
    legend_below,
    line_style,
    new_figure,
)
from retree_lab.reports.selection import OUTER
from retree_lab.statistics.metrics import find_metric

from .effect_table import GAIN, METRIC, Groups, find_contrasts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW, _AROUND = 0.42, 0.85  # inches for a gain, and for the title, the axis and the published mark
_SPREAD = 0.8  # of a row is used by its parameters
_PUBLISHED: dict[str, Any] = {
    **{"color": "black", "marker": "|", "markersize": 14, "markeredgewidth": 1.4},
    **{"linestyle": "none", "zorder": 3},
}


def parameter_curves(context: Context, *, contrasts: Mapping[str, Groups]) -> pd.DataFrame:
    """Return mean accuracies in % and contrasts in points by parameter and value.

    The item varies one parameter at a time.

    Returns columns ``parameter``, ``value``, ``kind`` (accuracy_pct or accuracy_gain_pct),
    ``name``, ``mean`` and ``n_datasets``; values whose cells are not all done are left out.
    """
    item, frame, rows = context.item, context.frame, []
    outer = frame[frame["inner"] == OUTER]
    for _, cells in outer.groupby("point", sort=True):
        ((parameter, value),) = json.loads(cells["params"].iloc[0]).items()
        for kind, name, mean, n_sets in _means(item, contrasts, cells):
            if n_sets == len(item.datasets):
                text = "none" if value is None else f"{value}"
                rows.append([parameter, text, kind, name, mean, n_sets])
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


def curves_figure(
    context: Context,
    curves: pd.DataFrame,
    *,
    contrasts: Mapping[str, Groups],
    published_in: str,
    axes: Mapping[str, str],
) -> Figure:
    """Return the gains at each value of each parameter, beside those published in an item.

    `axes` says what parameters are called.
    """
    from matplotlib.lines import Line2D

    gains = curves[curves["kind"] == GAIN]
    names = [groups.name for groups in contrasts.values()]
    parameters = list(dict.fromkeys(gains["parameter"]))
    figure = new_figure(_ROW * len(names) + 0.13 * len(parameters) + _AROUND)
    panel = figure.subplots()
    published = {n: context.published.find(published_in, MEAN, n, GAIN).value for n in names}
    for place, name in enumerate(names):
        panel.plot([published[name]], [place], **_PUBLISHED)
        for i, parameter in enumerate(parameters):
            curve = gains[(gains["name"] == name) & (gains["parameter"] == parameter)]
            height = place + _SPREAD * ((i + 1) / (len(parameters) + 1) - 0.5)
            panel.plot(curve["mean"], [height] * len(curve), **_look(i))
    panel.axvline(0, color="0.5", linewidth=0.6, zorder=0)
    label_rows(panel, names)
    panel.set_xlabel("gain in points of accuracy")
    bare_spines(panel)
    labels = [axes.get(parameter, parameter) for parameter in parameters]
    handles = [Line2D([], [], label=label, **_look(i)) for i, label in enumerate(labels)]
    legend_below(figure, [*handles, Line2D([], [], label="published", **_PUBLISHED)])
    ends = gains.groupby("name", sort=False)["mean"].agg(["min", "max"])
    seen = "; ".join(f"{row.Index} {row.min:+.1f} to {row.max:+.1f}" for row in ends.itertuples())
    return conclude(
        figure, _finding(gains, published), f"Gains in points. {seen}".replace("-", "−")
    )


def _look(number: int) -> dict[str, Any]:
    return {**line_style(number), "linewidth": 0.6, "linestyle": "-"}


def _finding(gains: pd.DataFrame, published: Mapping[str, float]) -> str:
    """Return how many published gains no setting reaches, and how far settings move a gain."""
    means = gains.groupby(["name", "parameter"])["mean"]
    most = float((means.max() - means.min()).max())
    ends = gains.groupby("name")["mean"].agg(["min", "max"])
    reached = [n for n, (low, high) in ends.iterrows() if low <= published[str(n)] <= high]
    return (
        f"On our data some setting reaches {len(reached) or 'none'} of the {len(ends)} published "
        f"gains; none moves a gain by more than {math.ceil(10 * most) / 10:.1f} points"
    ).replace("some setting reaches none", "no setting reaches any")
