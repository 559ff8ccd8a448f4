"""How many numbers of each paper agree, and how far they are away: one rule in each panel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retree.reports.figures import COLOURS, WIDTH, bare_spines, new_figure
from retree.reports.headlines import count_headlines, point_gaps
from retree.statistics.metrics import ACCURACIES

_ROW, _PAIR, _AROUND = 0.15, 0.26, 0.62  # inches for a row of one line, of two, and all else
_NORMAL = 1.959964  # two-sided 95 % of a normal distribution
_CHANCE = 95  # per cent that lie in a 95 % interval by chance
_PER_CENT = (0, 150)  # the counts stand right of 100 %


def draw_overview(cells: pd.DataFrame, called: dict[str, str]) -> Figure:
    """Draw accuracies within 1 point and their differences, and shares by interval and by digits.

    To be called in `retree.reports.figures.style`.

    `cells`: the judged rows of `retree.reports.headlines.published_numbers`. `called`: how readers
    call the papers. Papers stand in the order of their share of accuracies within 1 point.
    """
    papers = count_headlines(cells, ["paper"])
    papers["near_share"] = (papers["near"] / papers["accuracies"]).fillna(-1.0)
    papers = papers.sort_values("near_share", ascending=False, kind="stable")
    colours = dict(zip(papers["paper"], cycle(COLOURS), strict=False))
    by_digits = cells["steps"].notna()
    by_interval = cells["low"].notna() & ~by_digits
    near = papers[papers["accuracies"] > 0]
    rules = [_by_kind(cells[rule], list(papers["paper"])) for rule in (by_interval, by_digits)]
    heights = [_ROW * max(len(near), 2), _PAIR * max(1, *map(len, rules))]
    heights = [height + _AROUND for height in heights]
    figure = new_figure(sum(heights), width=2 * WIDTH)
    # Names are as wide in one row of panels as they need, whatever they are in the other.
    rows = figure.subfigures(2, 1, squeeze=False, height_ratios=heights).flat
    panels = np.array([row.subplots(1, 2) for row in rows])
    names = [called[paper] for paper in near["paper"]]
    own = [colours[paper] for paper in near["paper"]]
    _draw_shares(panels[0, 0], names, own, near["near"], near["accuracies"])
    panels[0, 0].set(title=_nearest(near, called), xlabel="% of accuracies within 1 point")
    gaps = [_gaps(cells, paper) for paper in near["paper"]]
    _draw_differences(panels[0, 1], names, own, gaps)
    for axes, found, rule in zip(panels[1], rules, ("interval", "digits"), strict=True):
        names = [f"{called[paper]},\n{kind.split()[0]}" for paper, kind in found.index]
        own = [colours[paper] for paper, _ in found.index]
        _draw_shares(axes, names, own, found["agree"], found["judged"])
        agree, judged = int(found["agree"].sum()), int(found["judged"].sum())
        if rule == "interval":
            axes.axvline(_CHANCE, color="0.5", linewidth=0.6, linestyle=":", zorder=0)
            axes.set(title=f"In the interval of a replicate: {agree:,} of {judged:,}")
            axes.set(xlabel="% in the interval; dotted: chance")
        else:
            axes.set(title=f"Equal to the printed digit: {agree:,} of {judged:,}")
            axes.set(xlabel="% equal")
    for axes in panels.flat:
        bare_spines(axes)
    return figure


def wilson(agree: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, in per cent."""
    square = _NORMAL**2
    middle = (agree + square / 2) / (count + square)
    half = math.sqrt(agree * (count - agree) / count + square / 4) * _NORMAL / (count + square)
    return 100 * (middle - half), 100 * (middle + half)


def _by_kind(cells: pd.DataFrame, papers: Sequence[str]) -> pd.DataFrame:
    """Return the counts by paper, in the order of `papers`, and by kind."""
    counts = count_headlines(cells)
    counts["place"] = counts["paper"].map({paper: place for place, paper in enumerate(papers)})
    return counts.sort_values(["place", "kind"]).set_index(["paper", "kind"])


def _gaps(cells: pd.DataFrame, paper: str) -> np.ndarray:
    own = cells[(cells["paper"] == paper) & (cells["kind"] == ACCURACIES)]
    return point_gaps(own).dropna().to_numpy()


def _nearest(near: pd.DataFrame, called: dict[str, str]) -> str:
    if near.empty:
        return "No accuracies"
    best = near.iloc[0]
    return f"{called[best['paper']]} is nearest"


def _draw_shares(
    axes: Axes, names: Sequence[str], colours: Sequence[str], hits: pd.Series, counts: pd.Series
) -> None:
    for row, (colour, hit, count) in enumerate(zip(colours, hits, counts, strict=True)):
        axes.plot(wilson(hit, count), [row, row], color=colour, linewidth=1.2, alpha=0.5)
        axes.plot([100 * hit / count], [row], "o", color=colour, markersize=3.5)
        axes.text(_PER_CENT[1], row, f"{hit} / {count}", ha="right", va="center")
    _label_rows(axes, names)
    axes.set_xlim(_PER_CENT)
    axes.set_xticks(range(0, 101, 25))


def _draw_differences(
    axes: Axes, names: Sequence[str], colours: Sequence[str], gaps: Sequence[np.ndarray]
) -> None:
    """Draw median, middle half and middle 90 % of the differences; the axis holds all of them."""
    axes.axvline(0, color="0.5", linewidth=0.6, zorder=0)
    for row, (colour, values) in enumerate(zip(colours, gaps, strict=True)):
        ends = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
        axes.plot(ends[[0, 4]], [row, row], color=colour, linewidth=0.8)
        axes.plot(ends[[1, 3]], [row, row], color=colour, linewidth=3.5, solid_capstyle="butt")
        axes.plot([ends[2]], [row], "|", color="black", markersize=6)
    _label_rows(axes, [""] * len(names))
    farthest = max((abs(float(np.median(values))) for values in gaps), default=0.0)
    axes.set(
        title=f"All medians are within {farthest:.2f} points",
        xlabel="reproduced − published, points",
    )


def _label_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
