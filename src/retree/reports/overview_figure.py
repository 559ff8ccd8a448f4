"""The reproduced numbers of all papers against the published ones, a panel per kind of number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator

from retree.reports.figures import COLOURS, bare_spines, legend_below, new_figure
from retree.statistics import AGREEING, JUDGED, Verdict
from retree.statistics.metrics import MetricKind, find_metric

# Verdict: what it is called, marker, and its colour.
_MARKS = {
    Verdict.EQUAL: ("equal", "o", COLOURS[4]),
    Verdict.AGREES: ("agrees", "o", COLOURS[0]),
    Verdict.WEAK: ("agrees weakly", "s", COLOURS[2]),
    Verdict.EDGE: ("at the edge", "+", COLOURS[1]),
    Verdict.DIFFERS: ("differs", "x", COLOURS[1]),
    Verdict.EXPLAINED: ("known misprint", "^", "black"),
}
_ACCURACY = "accuracy, or 100 − error, in %"
# MetricKind of metric: title of its panel, and whether the axes are logarithmic.
_PANELS = {
    MetricKind.SIZE: ("nodes, leaves or depth", True),
    MetricKind.RATIO: ("training time, as a ratio", True),
    MetricKind.COUNT: ("counts and distances", True),
    MetricKind.SCORE: ("scores", False),
    MetricKind.SHARE: ("gains in points, weights", False),
}
_COLUMNS, _PANEL = 2, 1.65  # inches


def draw_overview(cells: pd.DataFrame) -> Figure:
    """Draw cells, as from `retree.reports.overview.judged`, that are all reproduced.

    To be called in `retree.reports.figures.style`; the caller closes the figure.
    """
    parts = _parts(cells)
    n_rows = -(-len(parts) // _COLUMNS)
    figure = new_figure(_PANEL * n_rows + 0.75)
    panels = figure.subplots(n_rows, _COLUMNS, squeeze=False).ravel()
    for axes, (title, is_log, part) in zip(panels, parts, strict=False):
        _draw_panel(axes, title, is_log, part)
    for axes in panels[len(parts) :]:
        axes.set_axis_off()
    for axes in panels[: len(parts)][-_COLUMNS:]:
        axes.set_xlabel("published")
    for axes in panels[: len(parts) : _COLUMNS]:
        axes.set_ylabel("reproduced")
    legend_below(figure, _handles(cells), ncols=2)
    return figure


def _parts(cells: pd.DataFrame) -> list[tuple[str, bool, pd.DataFrame]]:
    """Return title, whether the axes are logarithmic, and cells of each panel."""
    metrics = cells["metric"].map(find_metric)
    is_accuracy = metrics.map(lambda metric: metric.column == "accuracy")
    parts = [(_ACCURACY, False, _as_accuracy(cells[is_accuracy]))]
    for kind, (title, is_log) in _PANELS.items():
        of_kind = metrics.map(lambda metric, kind=kind: metric.kind == kind)
        parts.append((title, is_log, cells[of_kind & ~is_accuracy]))
    return [part for part in parts if len(part[2])]


def _as_accuracy(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells in percent of the rows that are classified correctly, whatever is published."""
    scales = cells["metric"].map(lambda name: find_metric(name).scale)
    shares = {
        name: np.where(scales < 0, 100 - cells[name], cells[name] * 100 / scales.abs())
        for name in ("published", "reproduced")
    }
    return cells.assign(**shares)


def _draw_panel(axes: Axes, title: str, is_log: bool, cells: pd.DataFrame) -> None:
    if is_log:
        for scale in (axes.set_xscale, axes.set_yscale):
            # A tree may have no level at all, which a logarithm cannot show.
            scale("symlog", linthresh=1.0, linscale=0.4)
    values = cells[["published", "reproduced"]].to_numpy()
    low, high = values.min(), values.max()
    ends = (min(0.8 * low, low - 0.1), 1.6 * high) if is_log else _widened(low, high)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    axes.plot(ends, ends, color="0.35", linewidth=0.7, zorder=1)
    for verdict, (_, marker, colour) in _MARKS.items():
        part = cells[cells["verdict"] == verdict]
        look = _look(verdict, marker, colour)
        axes.plot(part["published"], part["reproduced"], zorder=2, **look)
    counts = cells["verdict"].value_counts()
    agree = sum(counts.get(verdict, 0) for verdict in AGREEING)
    compared = sum(counts.get(verdict, 0) for verdict in JUDGED)
    axes.set_title(f"{title}\n{agree} of {compared} agree")
    for axis in (axes.xaxis, axes.yaxis):
        _set_ticks(axis, is_log, ends)
    bare_spines(axes)


def _widened(low: float, high: float) -> tuple[float, float]:
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _set_ticks(axis: Axis, is_log: bool, ends: tuple[float, float]) -> None:
    """Put no more ticks on an axis than there is room for."""
    if not is_log:
        axis.set_major_locator(MaxNLocator(nbins=4))
        return
    powers = [value for i in range(8) if ends[0] <= (value := 10.0**i) <= ends[1]]
    axis.set_ticks(powers[:: 2 if len(powers) > 4 else 1])
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _look(verdict: Verdict, marker: str, colour: str) -> dict[str, Any]:
    size = 2.2 if verdict == Verdict.AGREES else 3.4
    shape = {"linestyle": "none", "marker": marker, "markersize": size, "markeredgewidth": 0.8}
    return {**shape, "markerfacecolor": "none", "markeredgecolor": colour}


def _handles(cells: pd.DataFrame) -> list[Line2D]:
    counts = cells["verdict"].value_counts()
    marks = [
        Line2D([], [], label=f"{words} ({counts[verdict]})", **_look(verdict, mark, colour))
        for verdict, (words, mark, colour) in _MARKS.items()
        if verdict in counts
    ]
    return [*marks, Line2D([], [], color="0.35", linewidth=0.7, label="reproduced = published")]
