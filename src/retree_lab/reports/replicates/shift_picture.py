"""The picture of a paper's columns: the mean gap of each, its interval, and its single gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    new_figure,
    save_figure,
    style,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.grouping import grouped
from retree_lab.reports.replicates.column_shifts import ColumnShift
from retree_lab.statistics.metrics import MetricKind, find_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Inches for a column, and for the title and the axis of a panel.
_ROW, _FRAME = 0.17, 0.62
_SHIFTED, _OTHER = COLOURS[1], COLOURS[0]
_MARKS = "\nsquare: shifted; arrow: beyond the axis"
_NEAR, _REACH = 0.98, 1.5  # gaps beyond so many times the far ones of a panel are arrows


def draw_shifts(shifts: Sequence[ColumnShift], base: Path, title: str) -> list[Path]:
    """Draw the columns of a paper, a panel for each measure, and return the paths."""
    with style():
        return save_figure(_draw(shifts, title), base)


def _draw(shifts: Sequence[ColumnShift], title: str) -> Figure:
    panels = grouped(shifts, lambda column: (column.item, column.metric))
    heights = [_FRAME + _ROW * len(panel) for panel in panels.values()]
    figure = new_figure(sum(heights) + 0.3)
    every = figure.subplots(len(panels), squeeze=False, height_ratios=heights)[:, 0]
    for axes, ((item, metric), panel) in zip(every, panels.items(), strict=True):
        limits = _limits(panel)
        for row, column in enumerate(panel):
            _draw_column(axes, row, column, limits)
        label_rows(axes, [column.method for column in panel])
        axes.set_title(f"{item_title(item)}, {find_metric(metric).label}", loc="left")
        _label(axes, panel)
        bare_spines(axes)
    shifted = [column for column in shifts if column.is_shifted]
    finding = f"{title}: {len(shifted)} of {len(shifts)} columns are shifted"
    return conclude(figure, finding, shift_words(shifts))


def shift_words(shifts: Sequence[ColumnShift]) -> str:
    """Return what the picture shows."""
    sides = {"above": True, "below": False}
    sentences = []
    for side, above in sides.items():
        shifted = [c for c in shifts if c.is_shifted and (c.shift.gap > int(c.log)) == above]
        names = ", ".join(f"{c.method} ({find_metric(c.metric).label})" for c in shifted)
        sentences.append(f"{side} ours as a whole: {names or 'none'}")
    return f"Mean gap of each published column with its interval; {'; '.join(sentences)}"


def _limits(shifts: Sequence[ColumnShift]) -> tuple[float, float]:
    """Return between which ends single gaps are drawn, so that an outlier does not set the axis."""
    gaps = np.concatenate([np.array(c.shift.gaps) for c in shifts])
    ends = np.concatenate([np.array(c.shift.interval) for c in shifts])
    ends = np.log(ends) if shifts[0].log else ends
    reach = _REACH * float(np.quantile(np.abs(gaps), _NEAR))
    low, high = max(-reach, gaps.min()), min(reach, gaps.max())
    return float(min(low, ends.min())), float(max(high, ends.max()))


def _draw_column(axes: Axes, row: int, column: ColumnShift, limits: tuple[float, float]) -> None:
    shift, colour = column.shift, _SHIFTED if column.is_shifted else _OTHER
    grey: dict[str, Any] = {"color": "0.6", "linestyle": "none", "zorder": 1}
    gaps, scale = np.array(shift.gaps), 1.0 if shift.log else column.points

    def placed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.exp(values) if shift.log else values) * scale

    inside = placed(gaps[(gaps >= limits[0]) & (gaps <= limits[1])])
    axes.plot(inside, [row] * len(inside), marker="|", markersize=4, **grey)
    for end, arrow, is_out in zip(limits, "<>", (gaps < limits[0], gaps > limits[1]), strict=True):
        if is_out.any():
            axes.plot(placed(np.array([end])), [row], marker=arrow, markersize=4, **grey)
    axes.plot(np.array(shift.interval) * scale, [row, row], color=colour, zorder=2)
    mark = "s" if column.is_shifted else "o"
    axes.plot([shift.gap * scale], [row], mark, color=colour, markersize=3.5, zorder=3)


def _label(axes: Axes, shifts: Sequence[ColumnShift]) -> None:
    axes.axvline(int(shifts[0].log), color="0.5", linewidth=0.6, zorder=0)
    if shifts[0].log:
        axes.set_xscale("log")
        low, high = (math.log2(end) for end in axes.get_xlim())
        step = max(1, round((high - low) / 6))
        powers = range(step * math.ceil(low / step), math.floor(high) + 1, step)
        axes.set_xticks([2.0**n for n in powers], [f"{2.0**n:g}" for n in powers])
        axes.minorticks_off()
        axes.set_xlabel(f"published / ours{_MARKS}")
    else:
        metric = find_metric(shifts[0].metric)
        unit = "points" if metric.kind == MetricKind.SHARE else f"{metric.label}"
        axes.set_xlabel(f"published − ours, {unit}{_MARKS}")
