"""Drawing of critical-difference diagrams (Demšar 2006, Figure 1), turned to the side."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retree.reports.figures import COLOURS, bare_spines, new_figure, panel_letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Heights in inches: of a method, of what else a diagram has, and of the legend.
ROW, AROUND, LEGEND = 0.18, 0.65, 0.45
NAME_WIDTH = 22  # characters before a name is broken
_BAR: dict[str, Any] = {"color": COLOURS[1], "linewidth": 2.2, "solid_capstyle": "butt"}
_CRITICAL: dict[str, Any] = {"color": "black", "linewidth": 1.4, "marker": "|", "markersize": 5}


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
    n_datasets : int
        How many data sets the ranks are averaged over.
    """

    ranks: Mapping[str, float]
    critical_difference: float
    groups: Sequence[Sequence[str]]
    title: str
    n_datasets: int

    @property
    def names(self) -> list[str]:
        """The methods, best first."""
        return sorted(self.ranks, key=lambda name: (self.ranks[name], name))

    @property
    def height(self) -> float:
        """Inches."""
        breaks = max(_label(name).count("\n") for name in self.ranks)
        rows = (1 + 0.65 * breaks) * len(self.ranks)
        return ROW * rows + AROUND + (0.2 if self.title else 0.0)


def draw_diagrams(diagrams: Sequence[Diagram]) -> Figure:
    """Return a figure of diagrams below each other, with letters if there are several.

    The best method is on top. Vertical bars join methods whose average ranks do not differ by the
    critical difference, which is drawn to scale below them.
    """
    heights = [diagram.height for diagram in diagrams]
    figure = new_figure(sum(heights) + LEGEND)
    panels = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)[:, 0]
    for i, (axes, diagram) in enumerate(zip(panels, diagrams, strict=True)):
        _draw(axes, diagram)
        if diagram.title:
            axes.set_title(f"{panel_letter(i)} {diagram.title}")
    handles, labels = panels[0].get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    figure.legend(named.values(), named.keys(), loc="outside lower center")
    return figure


def _draw(axes: Axes, diagram: Diagram) -> None:
    names, k = diagram.names, len(diagram.ranks)
    for place, name in enumerate(names):
        rank = diagram.ranks[name]
        axes.plot([1, rank], [place, place], color="0.8", linewidth=0.6, zorder=0)
        axes.plot(rank, place, "o", color=COLOURS[0], markersize=4)
        axes.annotate(f"{rank:.2f}", (rank, place), (4, 0), textcoords="offset points", va="center")
    _draw_groups(axes, diagram)
    # A critical difference beyond the ranks cannot be reached: it ends where they do.
    end = min(1 + diagram.critical_difference, k)
    critical = f"critical difference (Nemenyi): {diagram.critical_difference:.2f} ranks"
    axes.plot([1, end], [k, k], label=critical, **_CRITICAL)
    axes.set_yticks(range(k), [_label(name) for name in names])
    axes.set_ylim(k + 0.5, -0.6)
    axes.set_xticks(range(1, k + 1, 1 + k // 12))
    axes.set_xlabel(f"average rank over\n{diagram.n_datasets} data sets (1 is best)")
    axes.tick_params(axis="y", length=0)
    bare_spines(axes)


def _draw_groups(axes: Axes, diagram: Diagram) -> None:
    """Draw a bar for each group right of all ranks, from its best to its worst method."""
    names, k = diagram.names, len(diagram.ranks)
    step = 0.035 * k
    first = max(diagram.ranks.values()) + 0.16 * k
    for i, group in enumerate(diagram.groups):
        ends = [names.index(group[0]) - 0.3, names.index(group[-1]) + 0.3]
        label = "joined: not significantly different"
        axes.plot([first + i * step] * 2, ends, label=label, **_BAR)
    axes.set_xlim(1 - 0.02 * k, max(k, first + len(diagram.groups) * step) + 0.01 * k)


def _label(name: str) -> str:
    return textwrap.fill(name, NAME_WIDTH)
