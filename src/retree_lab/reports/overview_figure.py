"""How many accuracies of each paper are near ours, beside what could be."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from retree_lab.reports.evidence import Headline
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    legend_below,
    new_figure,
)
from retree_lab.reports.words import NEAR_POINTS
from retree_lab.statistics.intervals import exact_interval

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
