"""Critical-difference diagrams (Demšar 2006, Figure 1)."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retree.reports.figures import COLOURS, WIDTH, new_figure, panel_letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, downwards: the ruler, the axis, the first bar below it, and the steps that follow.
RULER, AXIS, FIRST_BAR, BAR_STEP, LINE_STEP, FOOT = 0.16, 0.47, 0.1, 0.08, 0.125, 0.3
FONT = 7.0
NAME_WIDTH = 17  # characters before a name is broken
_MARGIN, _TICK = 0.06, 0.05
_BAR: dict[str, Any] = {"color": COLOURS[1], "linewidth": 2.6, "solid_capstyle": "butt"}
_LINE: dict[str, Any] = {"color": "black", "linewidth": 0.7}


@dataclass(frozen=True)
class Diagram:
    """What a diagram shows."""

    ranks: Mapping[str, float]
    critical_difference: float
    groups: Sequence[Sequence[str]]  # Methods joined by a bar, from best to worst
    title: str
    n_datasets: int  # How many data sets the ranks are averaged over

    @property
    def names(self) -> list[str]:
        """The methods, best first."""
        return sorted(self.ranks, key=lambda name: (self.ranks[name], name))

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """The better half of the methods and the others, in each the outermost one first."""
        n_left = (len(self.names) + 1) // 2
        return self.names[:n_left], self.names[n_left:][::-1]

    @property
    def first_line(self) -> float:
        """Inches from the top to the first name, below the bars."""
        return AXIS + FIRST_BAR + BAR_STEP * len(self.groups) + LINE_STEP

    @property
    def height(self) -> float:
        """Inches."""
        lines = max(sum(_n_lines(self.label(name)) for name in side) for side in self.sides)
        n_names = len(self.sides[0])
        return self.first_line + LINE_STEP * lines + 0.03 * n_names + 0.15 * bool(self.title)

    def label(self, name: str) -> str:
        """Return a name with its rank, on several lines if it is long."""
        return broken(f"{name} ({self.ranks[name]:.2f})", NAME_WIDTH)


def draw_diagrams(diagrams: Sequence[Diagram]) -> Figure:
    """Return a figure of diagrams below each other, with letters if there are several.

    The best rank is on the left of the axis. Bars below it join methods whose average ranks do not
    differ by the critical difference, which is drawn to scale above it.
    """
    heights = [diagram.height for diagram in diagrams]
    figure = new_figure(sum(heights) + FOOT)
    panels = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)[:, 0]
    for i, (axes, diagram) in enumerate(zip(panels, diagrams, strict=True)):
        _draw(axes, diagram)
        if diagram.title:
            axes.set_title(f"{panel_letter(i)} {diagram.title}")
    counts = " and ".join(map(str, dict.fromkeys(d.n_datasets for d in diagrams)))
    figure.supxlabel(
        f"average rank over {counts} data sets (1 is best);\n"
        "bars join methods that do not differ significantly",
        fontsize=FONT,
    )
    return figure


def _draw(axes: Axes, diagram: Diagram) -> None:
    """Draw a diagram in inches from its upper left corner."""
    left, right = (max(map(_width, map(diagram.label, side)), default=0) for side in diagram.sides)
    ends = left + 2 * _MARGIN, WIDTH - right - 2 * _MARGIN
    k = len(diagram.ranks)

    def place(rank: float) -> float:
        return ends[0] + (rank - 1) / (k - 1) * (ends[1] - ends[0])

    axes.set(xlim=(0, WIDTH), ylim=(diagram.height, 0))
    axes.axis("off")
    axes.plot(ends, [AXIS, AXIS], **_LINE)
    for rank in range(1, k + 1, 1 + k // 12):
        axes.plot([place(rank)] * 2, [AXIS - _TICK, AXIS], **_LINE)
        axes.text(place(rank), AXIS - _TICK - 0.02, str(rank), ha="center", va="bottom")
    # A critical difference beyond the ranks cannot be reached: it ends where they do.
    reach = place(min(1 + diagram.critical_difference, k))
    axes.plot([place(1), reach], [RULER, RULER], color="black", linewidth=1.2, marker="|",
              markersize=4, label="critical difference")  # fmt: skip
    critical = f"critical difference {diagram.critical_difference:.2f} (Nemenyi)"
    axes.text(WIDTH / 2, RULER - 0.05, critical, ha="center", va="bottom")
    for i, group in enumerate(diagram.groups):
        y = AXIS + FIRST_BAR + i * BAR_STEP
        span = (place(diagram.ranks[name]) for name in (group[0], group[-1]))
        axes.plot([x + d for x, d in zip(span, (-0.03, 0.03), strict=True)], [y, y], **_BAR)
    better, others = diagram.sides
    _draw_names(axes, diagram, better, place, _MARGIN + left, "right")
    _draw_names(axes, diagram, others, place, WIDTH - _MARGIN - right, "left")


def _draw_names(
    axes: Axes,
    diagram: Diagram,
    names: Sequence[str],
    place: Callable[[float], float],
    edge: float,
    align: str,
) -> None:
    """Write names below each other, and draw a line from each to its rank on the axis."""
    y, inwards = diagram.first_line, 0.04 if align == "right" else -0.04
    for name in names:
        label, rank = diagram.label(name), place(diagram.ranks[name])
        middle = y + (_n_lines(label) - 1) / 2 * LINE_STEP
        axes.plot([rank, rank, edge + inwards], [AXIS, middle, middle], **_LINE)
        axes.text(edge, middle, label, ha=align, va="center", linespacing=1.05)
        y += _n_lines(label) * LINE_STEP + 0.03


def broken(name: str, width: int) -> str:
    """Return a name on lines of at most `width` characters, broken behind + and /, too."""
    text = name.replace("/", "/ ").replace("+", "+ ")
    return textwrap.fill(text, width).replace("/ ", "/").replace("+ ", "+")


def _n_lines(label: str) -> int:
    return 1 + label.count("\n")


def _width(label: str) -> float:
    """Return how wide a text is, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans")
    lines = (TextPath((0, 0), line, size=FONT, prop=font) for line in label.split("\n"))
    return float(max(line.get_extents().width for line in lines)) / 72
