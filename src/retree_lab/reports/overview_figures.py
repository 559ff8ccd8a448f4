"""Pictures of all papers: accuracies against ours as dots, and how many are near ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from retree_lab.reports.agreement.counts import percent_values
from retree_lab.reports.agreement.headlines import Headline
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    legend_below,
    new_figure,
)
from retree_lab.reports.html_elements import text
from retree_lab.reports.words import COUNTED, NEAR_POINTS, words_of
from retree_lab.statistics.intervals import exact_interval

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
