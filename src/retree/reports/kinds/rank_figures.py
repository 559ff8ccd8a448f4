"""Critical-difference diagrams (Demšar 2006, Figure 1), and multi-comparison matrices."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from retree.reports.comparison import LEVEL
from retree.reports.document import Entry, Table, TableCell
from retree.reports.figures import COLOURS, WIDTH, new_figure, panel_letter
from retree.reports.formatting import number
from retree.reports.kinds.rankings import Ranking

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


_Found = Mapping[Hashable, Any]
TITLE = "Each method against each other one"
LEGEND = (
    "In the matrix (Ismail-Fawaz et al. 2023) methods are ordered by their mean. A cell has the "
    "mean of the row's method minus that of the column's. It then counts the data sets on which "
    "the row's method wins, ties and loses. Last is the p-value of Wilcoxon's signed-rank test, "
    f"strong below {LEVEL:g}. These do not depend on which other methods are compared, so they are "
    "not corrected for their number."
)
# Heights in inches: of a row, and of what else a panel has.
_ROW, _AROUND, _FOOT = 0.4, 1.1, 0.2
# Characters before a name is broken, and how many columns have room for such a name.
_NAME_WIDTH, _LEVEL_NAMES = 18, 5
# Shades of blue and orange that black text is legible on.
_SHADES = ("#F3B48B", "#FFFFFF", "#9CC9E8")


def matrix_table(ranking: Ranking) -> Table:
    """Return the matrix of a ranking; its cells lead to the numbers of both methods."""
    metric, cells = ranking.found.metric.name, _cells(ranking.matrix)
    names = _names(ranking.matrix)
    rows: list[list[Entry]] = []
    for name in names:
        row: list[Entry] = [f"{name} ({number(metric, _mean_of(ranking.matrix, name))})"]
        for other in names:
            if other == name:
                row.append("")
                continue
            found = cells[name, other]
            text = f"{_difference(metric, found)}; {_count(found)}; {_p(found)}"
            both = ranking.numbers(name, other)
            row.append(TableCell(text, sources=both, strong=_is_significant(found)))
        rows.append(row)
    return Table(["method (mean)", *names], rows, title=TITLE)


def draw_matrices(rankings: Sequence[Ranking], titles: Sequence[str]) -> Figure:
    """Return a figure of the matrices of rankings below each other, two columns wide."""
    heights = [_ROW * len(_names(r.matrix)) + _AROUND for r in rankings]
    figure = new_figure(sum(heights) + _FOOT, 2 * WIDTH)
    panels = figure.subplots(len(rankings), 1, squeeze=False, height_ratios=heights)[:, 0]
    for i, (axes, ranking, title) in enumerate(zip(panels, rankings, titles, strict=True)):
        _draw_matrix(axes, ranking)
        label = ranking.found.metric.label
        text = f"mean difference in {label} (row − column), wins/ties/losses, Wilcoxon p"
        axes.set_xlabel(text)
        if title:
            axes.set_title(f"{panel_letter(i)} {title}", loc="left")
    return figure


def _draw_matrix(axes: Axes, ranking: Ranking) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    names, cells = _names(ranking.matrix), _cells(ranking.matrix)
    metric, sign = ranking.found.metric, -1.0 if ranking.found.metric.smaller_is_better else 1.0
    grid = np.full((len(names), len(names)), np.nan)
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            if i != j:
                found = cells[name, other]
                grid[i, j] = sign * found["difference"]
                text = f"{_difference(metric.name, found)}\n{_count(found)}\n{_p(found)}"
                weight = "bold" if _is_significant(found) else "normal"
                axes.text(j, i, text, ha="center", va="center", weight=weight, linespacing=1.1)
    reach = float(np.nanmax(np.abs(grid))) or 1.0
    shades = LinearSegmentedColormap.from_list("differences", _SHADES)
    axes.imshow(grid, cmap=shades, vmin=-reach, vmax=reach, aspect="auto")
    means = [number(metric.name, _mean_of(ranking.matrix, name)) for name in names]
    rows = [f"{broken(name, _NAME_WIDTH)}\n{mean}" for name, mean in zip(names, means, strict=True)]
    axes.set_yticks(range(len(names)), rows)
    columns = [broken(name, _NAME_WIDTH) for name in names]
    axes.set_xticks(range(len(names)), columns, rotation=90 if len(names) > _LEVEL_NAMES else 0)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("bottom")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _names(matrix: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(matrix["method"]))


def _mean_of(matrix: pd.DataFrame, name: str) -> float:
    return float(matrix.loc[matrix["method"] == name, "mean"].iloc[0])


def _cells(matrix: pd.DataFrame) -> dict[tuple[str, str], _Found]:
    return {(row["method"], row["other"]): row for row in matrix.to_dict("records")}


def _difference(metric: str, found: _Found) -> str:
    return number(metric, found["difference"], sign=True)


def _count(found: _Found) -> str:
    return f"{found['wins']}/{found['ties']}/{found['losses']}"


def _p(found: _Found) -> str:
    p = found["wilcoxon_p"]
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def _is_significant(found: _Found) -> bool:
    return found["wilcoxon_p"] < LEVEL
