"""How many numbers of each paper agree, and how far they are away, a row per kind of number."""

from __future__ import annotations

import math
from itertools import cycle, product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retree.reports.figures import COLOURS, WIDTH, bare_spines, new_figure
from retree.statistics import AGREEING, JUDGED
from retree.statistics.metrics import MetricKind, find_metric

_KINDS = {
    MetricKind.SHARE: "accuracies",
    MetricKind.SIZE: "sizes",
    MetricKind.RATIO: "ratios of times",
    MetricKind.COUNT: "counts",
    MetricKind.SCORE: "scores",
}
_PAIR = ["paper", "kind"]
_ROW, _AROUND = 0.15, 0.75  # inches for a row, and for titles and axes
_REACH = 20.0  # points, or per cent of the published value; what is beyond is drawn there
_NORMAL = 1.959964  # two-sided 95 % of a normal distribution
_CHANCE = 95  # per cent that agree by chance, of what is judged by an interval


def draw_overview(cells: pd.DataFrame, called: dict[str, str]) -> Figure:
    """Draw shares that agree, and differences.

    To be called in `retree.reports.figures.style`.

    `cells`: as from `retree.reports.overview.judged`, all of them reproduced.
    """
    counted = cells[cells["verdict"].isin(JUDGED)]
    kinds = counted["metric"].map(lambda name: str(find_metric(name).kind))
    counted = counted.assign(kind=kinds)
    pairs = {(str(paper), str(kind)): part for (paper, kind), part in counted.groupby(_PAIR)}
    parts = [(pair, pairs[pair]) for pair in product(called, map(str, _KINDS)) if pair in pairs]
    colours = dict(zip(called, cycle(COLOURS), strict=False))
    figure = new_figure(_ROW * len(parts) + _AROUND, width=2 * WIDTH)
    shares, distances = figure.subplots(1, 2, sharey=True)
    names = []
    for row, ((paper, kind), part) in enumerate(parts):
        _draw_share(shares, row, part, colours[paper])
        _draw_differences(distances, row, part, colours[paper])
        names.append(f"{called[paper]}: {_KINDS[MetricKind(kind)]}")
    shares.set_yticks(range(len(names)), names)
    shares.set_ylim(len(names) - 0.5, -0.5)
    agree = int(counted["verdict"].isin(AGREEING).sum())
    shares.axvline(_CHANCE, color="0.5", linewidth=0.6, linestyle=":", zorder=0)
    shares.set(xlim=(0, 138), xlabel="% that agree; line: 95 % interval")
    shares.set_xticks(range(0, 101, 25))
    shares.set_title(f"{agree:,} of {len(counted):,} published numbers agree")
    distances.axvline(0, color="0.5", linewidth=0.6, zorder=0)
    distances.set(xlim=(-_REACH - 1, _REACH + 1), xlabel="bar: middle half; line: middle 90 %")
    distances.set_title("reproduced − published, in points or %")
    for axes in (shares, distances):
        bare_spines(axes)
    return figure


def differences(cells: pd.DataFrame) -> list[float]:
    """Return reproduced minus published, of shares in points, else in % of the published."""
    found = []
    for row in cells.to_dict("records"):
        metric, published = find_metric(row["metric"]), float(row["published"])
        is_share = metric.kind == MetricKind.SHARE
        whole = abs(metric.scale) if is_share else abs(published)
        if whole:
            found.append(100 * (float(row["reproduced"]) - published) / whole)
    return found


def wilson(agree: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, in per cent."""
    square = _NORMAL**2
    middle = (agree + square / 2) / (count + square)
    half = math.sqrt(agree * (count - agree) / count + square / 4) * _NORMAL / (count + square)
    return 100 * (middle - half), 100 * (middle + half)


def _draw_share(axes: Axes, row: int, part: pd.DataFrame, colour: str) -> None:
    agree, count = int(part["verdict"].isin(AGREEING).sum()), len(part)
    axes.plot(wilson(agree, count), [row, row], color=colour, linewidth=1.2, alpha=0.5)
    axes.plot([100 * agree / count], [row], "o", color=colour, markersize=3.5)
    axes.text(138, row, f"{agree} / {count}", ha="right", va="center", size=6)


def _draw_differences(axes: Axes, row: int, part: pd.DataFrame, colour: str) -> None:
    values = differences(part)
    if not values:
        return
    ends = np.clip(np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95]), -_REACH, _REACH)
    axes.plot(ends[[0, 4]], [row, row], color=colour, linewidth=0.8)
    axes.plot(ends[[1, 3]], [row, row], color=colour, linewidth=3.5, solid_capstyle="butt")
    axes.plot([ends[2]], [row], "|", color="black", markersize=6)
