"""Drawing of critical-difference diagrams (Demšar 2006, Figure 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from retree.reports.figures import COLOURS, panel_letter

# Heights in inches, which are the units of the vertical axis.
LINE, BAR, TOP, TITLE = 0.22, 0.11, 0.62, 0.22
# Widths in inches: of the ranks, and of what is beside a name.
RANKS, BESIDE = 3.6, 0.25
THIN, THICK = 0.9, 3.2
AXIS = "average rank"


@dataclass(frozen=True)
class Diagram:
    """What a diagram shows.

    Attributes
    ----------
    ranks : dict of str to float
        Average rank by method.
    critical_difference : float
    groups : sequence of tuple of str
        Methods joined by a bar, from best to worst.
    title : str
        "" for none.
    """

    ranks: Mapping[str, float]
    critical_difference: float
    groups: Sequence[Sequence[str]]
    title: str

    @property
    def n_left(self) -> int:
        """Number of methods that are named on the left, the better half."""
        return math.ceil(len(self.ranks) / 2)

    @property
    def depth(self) -> float:
        """Inches below the axis."""
        return BAR * (len(self.groups) + 1) + LINE * (self.n_left + 0.3)


def draw_diagrams(diagrams: Sequence[Diagram]) -> Figure:
    """Return a figure of diagrams below each other, with letters if there are several.

    The best rank is on the left. Bars join methods that do not differ by the critical difference,
    which is drawn above the axis.
    """
    heights = [TOP + diagram.depth + (TITLE if diagram.title else 0.0) for diagram in diagrams]
    labels = [AXIS, *(_label(d, name) for d in diagrams for name in d.ranks)]
    side = BESIDE + max(map(_width, labels))
    width = RANKS + 2 * side
    figure = Figure(figsize=(width, sum(heights)))
    bottom = sum(heights)
    for i, (diagram, height) in enumerate(zip(diagrams, heights, strict=True)):
        bottom -= height
        place = (side / width, bottom / sum(heights), RANKS / width, height / sum(heights))
        axes = figure.add_axes(place)
        axes.set_ylim(-diagram.depth, height - diagram.depth)
        axes.set_xlim(1, len(diagram.ranks))
        axes.axis("off")
        _draw_axis(axes, diagram)
        _draw_methods(axes, diagram)
        _draw_groups(axes, diagram)
        if diagram.title:
            title = f"{panel_letter(i)} {diagram.title}"
            axes.text(
                0.5, 1 - 0.06 / height, title, ha="center", va="top", transform=axes.transAxes
            )
    return figure


def _draw_axis(axes: Axes, diagram: Diagram) -> None:
    k = len(diagram.ranks)
    _line(axes, [1, k], [0, 0])
    for half in range(2, 2 * k + 1):
        _line(axes, [half / 2] * 2, [0, 0.08 if half % 2 == 0 else 0.05])
    for rank in range(1, k + 1):
        axes.text(rank, 0.11, str(rank), ha="center", va="bottom", fontsize=8)
    axes.text(1 - 0.03 * (k - 1), 0, AXIS, ha="right", va="center")
    # A critical difference beyond the ranks cannot be reached: it ends where they do.
    end = min(1 + diagram.critical_difference, k)
    arrow = {"arrowstyle": "|-|,widthA=0.25,widthB=0.25", "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (1, 0.36), (end, 0.36), arrowprops={**arrow, "linewidth": THIN})
    text = f"CD = {diagram.critical_difference:.2f}"
    axes.text((1 + end) / 2, 0.40, text, ha="center", va="bottom", fontsize=8)


def _draw_methods(axes: Axes, diagram: Diagram) -> None:
    """Draw a line from each rank to its name: the better half left, the worse half right."""
    k, first = len(diagram.ranks), BAR * (len(diagram.groups) + 1) + LINE / 2
    names = sorted(diagram.ranks, key=lambda name: (diagram.ranks[name], name))
    for place, name in enumerate(names):
        on_left = place < diagram.n_left
        row = place if on_left else k - 1 - place
        rank, y = diagram.ranks[name], -first - LINE * row
        margin = 0.02 * (k - 1)
        end = 1 - margin if on_left else k + margin
        _line(axes, [rank, rank, end], [0, y, y])
        label = _label(diagram, name) if on_left else f"{rank:.2f}  {name}"
        gap = -0.01 * (k - 1) if on_left else 0.01 * (k - 1)
        axes.text(end + gap, y, label, ha="right" if on_left else "left", va="center")


def _label(diagram: Diagram, name: str) -> str:
    return f"{name}  {diagram.ranks[name]:.2f}"


def _width(text: str) -> float:
    """Return the width of a text in inches, in the style that is set."""
    size = FontProperties().get_size_in_points()
    return float(TextPath((0, 0), text, size=size).get_extents().width) / 72


def _draw_groups(axes: Axes, diagram: Diagram) -> None:
    overhang = 0.008 * (len(diagram.ranks) - 1)
    for i, group in enumerate(diagram.groups):
        ends = [diagram.ranks[group[0]] - overhang, diagram.ranks[group[-1]] + overhang]
        _line(axes, ends, [-BAR * (i + 1)] * 2, THICK, COLOURS[0])


def _line(
    axes: Axes, x: list[float], y: list[float], width: float = THIN, colour: str = "black"
) -> None:
    axes.plot(x, y, color=colour, linewidth=width, clip_on=False, solid_capstyle="butt")
