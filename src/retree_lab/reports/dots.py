"""Published accuracies against ours as dots beside the line of equality, a panel for each paper."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from retree_lab.reports.headlines import percent_values
from retree_lab.reports.html_elements import text
from retree_lab.reports.words import COUNTED, words_of

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

    `numbers`: rows of `retree_lab.reports.headlines.published_numbers` that are judged accuracies.
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
