"""Pictures of how near published numbers are to ours: of a paper, and of all papers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree_lab.reports.agreement import percent_values
from retree_lab.reports.agreement.headlines import Headline
from retree_lab.reports.comparison import COUNTED, NEAR_POINTS, words_of
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    legend_below,
    new_figure,
    save_figure,
    style,
)
from retree_lab.reports.formatting import percent
from retree_lab.reports.html_elements import text
from retree_lab.statistics.intervals import exact_interval

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


def draw_distances(counts: pd.DataFrame, base: Path, title: str) -> list[Path]:
    """Draw how far published values are from ours, and how far runs of ours are from each other."""
    with style():
        return save_figure(_draw(counts, title), base)


def distance_words(counts: pd.DataFrame) -> str:
    """Return what the picture shows."""
    right = _outside(counts[counts["low"] >= 0], "published", of=counts)
    return (
        f"Histogram of {counts['published'].sum():,} published numbers by their distance from "
        f"ours: {_inside(counts, 'published')} lie in the interval of one replicate, and {right} "
        f"are too high. Of {counts['runs'].sum():,} replicates of ours, each against the others, "
        f"{_inside(counts, 'runs')} lie in it"
    )


def _outside(counts: pd.DataFrame, name: str, of: pd.DataFrame) -> str:
    outside = (counts["low"] >= 1) | (counts["high"] <= -1)
    return f"{percent(counts.loc[outside, name].sum() / max(of[name].sum(), 1))} %"


def _inside(counts: pd.DataFrame, name: str) -> str:
    inside = counts[(counts["low"] >= -1) & (counts["high"] <= 1)]
    return f"{percent(inside[name].sum() / max(counts[name].sum(), 1))} %"


def _draw(counts: pd.DataFrame, title: str) -> Figure:
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
    "A panel for each paper; across, the published accuracy or error in per cent, upwards, ours: a "
    "dot on the line is equal. Blue dots match, yellow ones are close, red ones off."
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
        own = words == word
        places = zip(x[own] / _GRID, y[own] / _GRID, strict=True)
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
    """Return what the papers' own numbers reach where folds are drawn, beside what is possible."""
    drawn = [row for row in rows if not row.part and row.possible < 1]
    if not drawn:
        near, checked = sum(row.near for row in rows), sum(row.checked for row in rows)
        return f"{near:,} of {checked:,} {_NEAR}" if checked else "No accuracies are judged"
    said = [f"{row.called} {row.near_words} of {row.possible_words}" for row in drawn]
    return f"{_NEAR.capitalize()}, of what a rerun on other folds would reach: {', '.join(said)}"
