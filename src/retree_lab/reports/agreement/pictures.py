"""Pictures of how near published numbers are to ours: of a paper, and of all papers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree_lab.reports.agreement import percent_values
from retree_lab.reports.agreement.columns import ColumnShift, shift_words
from retree_lab.reports.agreement.headlines import Headline
from retree_lab.reports.comparison import COUNTED, NEAR_POINTS, words_of
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    legend_below,
    new_figure,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import percent
from retree_lab.reports.html import text
from retree_lab.reports.sections import grouped
from retree_lab.statistics.intervals import exact_interval
from retree_lab.statistics.metrics import MetricKind, find_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# The file of a paper that has its counts, from which the picture of all papers is made.
DISTANCES = "distances.csv"
# Distances beyond it are in the outermost bars.
REACH = 4.0
STEP = 0.25
EDGES = np.arange(-REACH, REACH + STEP, STEP)


def count_distances(published: Sequence[float], chance: Sequence[float]) -> pd.DataFrame:
    """Count distances, of which 1 is the end of the interval of one replicate, in bins.

    Returns columns ``low`` and ``high``, the ends of a bin, ``published`` and ``runs``, how many of
    each lie in it; what lies beyond `REACH` is in the first or the last one.
    """
    counts = [
        np.histogram(np.clip(np.asarray(values, dtype=np.float64), -REACH, REACH), EDGES)[0]
        for values in (published, chance)
    ]
    columns = {"low": EDGES[:-1], "high": EDGES[1:], "published": counts[0], "runs": counts[1]}
    return pd.DataFrame(columns)


def distance_words(counts: pd.DataFrame) -> str:
    """Return the description of the picture."""
    right = _outside(counts[counts["low"] >= 0], "published", of=counts)
    return (
        f"Histogram of {counts['published'].sum():,} published numbers by their distance from "
        f"ours: {_inside(counts, 'published')} lie in the interval of one replicate, and {right} "
        f"are too high. Of {counts['runs'].sum():,} replicates of ours, each compared with the "
        f"others, {_inside(counts, 'runs')} lie in it"
    )


def _outside(counts: pd.DataFrame, name: str, of: pd.DataFrame) -> str:
    outside = (counts["low"] >= 1) | (counts["high"] <= -1)
    return f"{percent(counts.loc[outside, name].sum() / max(of[name].sum(), 1))} %"


def _inside(counts: pd.DataFrame, name: str) -> str:
    inside = counts[(counts["low"] >= -1) & (counts["high"] <= 1)]
    return f"{percent(inside[name].sum() / max(counts[name].sum(), 1))} %"


def draw_distances(counts: pd.DataFrame, title: str) -> Figure:
    """Draw how far published values are from ours, and how far runs of ours are from each other."""
    figure = new_figure(2.7)
    axes = figure.subplots()
    shares = {
        name: 100 * counts[name] / max(counts[name].sum(), 1) for name in ("published", "runs")
    }
    edges = [*counts["low"], counts["high"].iloc[-1]]
    bars = axes.stairs(
        shares["published"], edges, fill=True, color=COLOURS[5],
        label=f"{counts['published'].sum():,} published numbers",
    )  # fmt: skip
    line = axes.stairs(
        shares["runs"], edges, color=COLOURS[1], linewidth=1.2,
        label=f"chance: {counts['runs'].sum():,} replicates of ours",
    )  # fmt: skip
    axes.set(
        xlabel="published − ours; shaded: the interval",
        ylabel="% of the numbers",
        xlim=(-REACH, REACH),
    )
    axes.axvspan(-1, 1, color="0.5", alpha=0.15, linewidth=0, zorder=0)
    _label_places(axes, shares["published"])
    inside = {name: _inside(counts, name) for name in shares}
    finding = (
        f"{inside['published']} of the published numbers lie in the interval of one replicate; "
        f"of our own replicates {inside['runs']} do"
    )
    legend_below(figure, [bars, line])
    bare_spines(axes)
    return conclude(figure, f"{title}: {finding}", distance_words(counts))


def _label_places(axes: Axes, published: pd.Series) -> None:
    """Write the distances below the axis, and above the outermost bars how high they are."""
    ticks = np.arange(-REACH, REACH + 1)
    outer = {-REACH: f"≤ −{REACH:g}", REACH: f"≥ {REACH:g}"}
    axes.set_xticks(ticks, [outer.get(t, f"{t:g}".replace("-", "−")) for t in ticks])
    sides = ("left", "right")
    for place, height, side in zip((-REACH, REACH), published.iloc[[0, -1]], sides, strict=True):
        if height:
            axes.text(place, height + 0.3, f"{height:.0f} %", ha=side, va="bottom")


NAME = "published.svg"
# Of a panel: its plot, the room for ticks on its left and below, and for words above.
_PLOT, _LEFT, _ABOVE, _BELOW = 150, 26, 32, 16
WIDTH, HEIGHT = _LEFT + _PLOT + 8, _ABOVE + _PLOT + _BELOW
_COLUMNS = 2
_SHOWN = 482  # Pixels across, as of all drawings
_GRID = 0.5  # Dots that are nearer than this are one
_STYLE = (
    "text{font:10px system-ui,sans-serif;fill:#17222b}.rt-axis{fill:none;stroke:#64727c}"
    ".rt-match,.rt-close,.rt-off{fill:none;stroke-width:3;stroke-linecap:round;stroke-opacity:.6}"
    ".rt-match{stroke:#0072b2}.rt-close{stroke:#e69f00}.rt-off{stroke:#d55e00}"
    "@media(prefers-color-scheme:dark){text{fill:#e8edf0}.rt-match{stroke:#56b4e9}}"
)
_TITLE = "Published accuracies against ours"
_MEANING = (
    "One panel for each paper. The published accuracy or error in per cent is on the horizontal "
    "axis, ours on the vertical one; a dot on the line is equal. Blue dots match, yellow ones are "
    "close, red ones off."
)


def panel(numbers: pd.DataFrame, title: str = "") -> str:
    """Return the marks of a panel, whose upper left corner is at 0, 0.

    `numbers`: rows of `published_numbers` that are judged accuracies.
    """
    ours, theirs = percent_values(numbers, "reproduced"), percent_values(numbers, "published")
    low = 10 * math.floor(min(ours.min(), theirs.min()) / 10)
    high = 10 * math.ceil(max(ours.max(), theirs.max()) / 10)
    scale = _PLOT / max(high - low, 10)
    x, y = _LEFT + scale * (theirs - low), _ABOVE + _PLOT - scale * (ours - low)
    words = words_of(numbers)
    marks = []
    for word in COUNTED:
        has_word = words == word
        places = zip(x[has_word] / _GRID, y[has_word] / _GRID, strict=True)
        dots = dict.fromkeys((round(a) * _GRID, round(b) * _GRID) for a, b in places)
        if dots:
            path = "".join(f"M{a:g} {b:g}h0" for a, b in dots)
            marks.append(f'<path class="rt-{word.style}" d="{path}"/>')
    counts = ", ".join(f"{n:,} {word}" for word in COUNTED if (n := int((words == word).sum())))
    bottom, right = _ABOVE + _PLOT, _LEFT + _PLOT
    axis = f"M{_LEFT} {_ABOVE}h{_PLOT}v{_PLOT}h-{_PLOT}zM{_LEFT} {bottom}L{right} {_ABOVE}"
    ticks = (
        f'<text x="{_LEFT}" y="{bottom + 13}">{low}</text>'
        f'<text x="{right}" y="{bottom + 13}" text-anchor="end">{high} % published</text>'
        f'<text x="{_LEFT - 3}" y="{bottom}" text-anchor="end">{low}</text>'
        f'<text x="{_LEFT - 3}" y="{_ABOVE + 9}" text-anchor="end">{high}</text>'
        f'<text x="{_LEFT + 4}" y="{_ABOVE + 12}">ours</text>'
    )
    heads = f'<text x="0" y="11" font-weight="bold">{text(title)}</text>' if title else ""
    heads += f'<text x="0" y="{_ABOVE - 7}">{counts}</text>'
    return f'{heads}<path class="rt-axis" d="{axis}"/>{ticks}{"".join(marks)}'


def dots_picture(papers: Mapping[str, pd.DataFrame]) -> str:
    """Return the picture of all papers as SVG, given the numbers of each, by what it is called."""
    panels = [
        f'<g transform="translate({i % _COLUMNS * (WIDTH + 12)} {i // _COLUMNS * (HEIGHT + 14)})">'
        f"{panel(numbers, called)}</g>"
        for i, (called, numbers) in enumerate(papers.items())
    ]
    height = math.ceil(len(panels) / _COLUMNS) * (HEIGHT + 14)
    width = _COLUMNS * (WIDTH + 12)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SHOWN}" '
        f'height="{round(_SHOWN * height / width)}" viewBox="-4 0 {width} {height}" role="img">\n'
        f"<title>{text(_TITLE)}</title>\n"
        f"<desc>{text(_MEANING)}</desc>\n<style>{_STYLE}</style>\n"
        + "\n".join(panels)
        + "\n</svg>\n"
    )


_ROW, _AROUND = 0.33, 1.2  # inches for a row, and for all else
_NEAR = f"accuracies within {NEAR_POINTS:g} point"


def draw_overview(rows: Sequence[Headline]) -> Figure:
    """Draw the share of accuracies within 1 point, an exact rerun's and a wrong method's.

    To be called in `retree_lab.reports.figures.style`.
    """
    figure = new_figure(_ROW * len(rows) + _AROUND)
    axes = figure.subplots()
    for place, row in enumerate(rows):
        ends = [100 * end for end in exact_interval(row.near, row.checked)]
        axes.plot(ends, [place, place], color=COLOURS[0], linewidth=1.2, alpha=0.5)
    looks = (
        ("ours, with its 95 % interval", "o", 3.5, [row.near_share for row in rows]),
        ("an exact rerun on other folds", "|", 8.0, [row.possible for row in rows]),
        ("a wrong method", "x", 3.5, [row.wrong for row in rows]),
    )
    handles = [
        axes.plot([100 * share for share in shares], range(len(rows)), marker, color=colour,
                  markersize=size, label=label, clip_on=False)[0]
        for (label, marker, size, shares), colour in zip(looks, COLOURS, strict=False)
    ]  # fmt: skip
    label_rows(axes, list(map(_label, rows)))
    axes.set(xlim=(0, 100), xlabel=f"% {_NEAR}")
    legend_below(figure, handles)
    bare_spines(axes)
    return conclude(figure, _finding(rows), " ".join(row.sentence for row in rows))


def _label(row: Headline) -> str:
    return f"{row.called}\n{row.part or 'checked'}{', ' if row.part else ' '}{row.coverage}"


def _finding(rows: Sequence[Headline]) -> str:
    """Say which share of the papers' numbers is near ours, and which an exact rerun would reach."""
    drawn = [row for row in rows if not row.part and row.possible < 1]
    if not drawn:
        near, checked = sum(row.near for row in rows), sum(row.checked for row in rows)
        return f"{near:,} of {checked:,} {_NEAR}" if checked else "No accuracies are judged"
    reached = _span([row.near_share for row in drawn])
    possible = _span([row.possible for row in drawn])
    return (
        f"Where folds are unknown, {reached} of a paper's own accuracies are within "
        f"{NEAR_POINTS:g} point of ours; an exact rerun would reach {possible}"
    )


def _span(shares: Sequence[float]) -> str:
    """Return the lowest and the highest of `shares` in per cent."""
    return " to ".join(dict.fromkeys(percent(end) for end in (min(shares), max(shares)))) + " %"


# Inches for a column, and for the title and the axis of a panel.
_COLUMN_ROW, _FRAME = 0.17, 0.62
_SHIFTED, _OTHER = COLOURS[1], COLOURS[0]
_KEYS = {"square: shifted": "s", "arrow: beyond the axis": "<>"}
_CENTRAL, _REACH = 0.95, 1.5  # gaps beyond so many times the far ones of a panel are arrows


def draw_shifts(shifts: Sequence[ColumnShift], title: str) -> Figure:
    """Draw the columns of a paper, a panel for each measure; to be called in `figures.style`."""
    panels = grouped(shifts, lambda column: (column.item, column.metric))
    heights = [_FRAME + _COLUMN_ROW * len(panel) for panel in panels.values()]
    figure = new_figure(sum(heights) + 0.3)
    every = figure.subplots(len(panels), squeeze=False, height_ratios=heights)[:, 0]
    for axes, ((item, metric), panel) in zip(every, panels.items(), strict=True):
        limits = _limits(panel)
        for row, column in enumerate(panel):
            _draw_column(axes, row, column, limits)
        label_rows(axes, [column.method for column in panel])
        axes.set_title(f"{item_title(item)}, {find_metric(metric).label}", loc="left")
        _label_axis(axes, panel)
        bare_spines(axes)
    shifted = [column for column in shifts if column.is_shifted]
    marks = {line.get_marker() for axes in every for line in axes.lines}
    key = "; ".join(words for words, of in _KEYS.items() if marks & set(of))
    every[-1].set_xlabel(f"{every[-1].get_xlabel()}\n{key}".strip(), loc="right")
    count = f"{len(shifted)} of {len(shifts)} columns {'is' if len(shifted) == 1 else 'are'}"
    return conclude(figure, f"{title}: {count} shifted", shift_words(shifts))


def _limits(shifts: Sequence[ColumnShift]) -> tuple[float, float]:
    """Return between which ends single gaps are drawn, so that an outlier does not set the axis."""
    gaps = np.concatenate([np.array(c.shift.gaps) for c in shifts])
    ends = np.concatenate([np.array(c.shift.interval) for c in shifts])
    ends = np.log(ends) if shifts[0].log else ends
    reach = _REACH * float(np.quantile(np.abs(gaps), _CENTRAL))
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
    look: dict[str, Any] = {"color": colour, "markersize": 3.5, "zorder": 3}
    axes.plot([shift.gap * scale], [row], "s" if column.is_shifted else "o", **look)


def _label_axis(axes: Axes, shifts: Sequence[ColumnShift]) -> None:
    axes.axvline(int(shifts[0].log), color="0.5", linewidth=0.6, zorder=0)
    if shifts[0].log:
        axes.set_xscale("log")
        low, high = (math.log2(end) for end in axes.get_xlim())
        step = max(1, round((high - low) / 6))
        powers = range(step * math.ceil(low / step), math.floor(high) + 1, step)
        axes.set_xticks([2.0**n for n in powers], [f"{2.0**n:g}" for n in powers])
        axes.minorticks_off()
        axes.set_xlabel("published / ours", loc="right")
    else:
        metric = find_metric(shifts[0].metric)
        unit = "points" if metric.kind == MetricKind.SHARE else f"{metric.label}"
        axes.set_xlabel(f"published − ours, {unit}", loc="right")
