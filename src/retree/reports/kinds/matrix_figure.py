"""The multi-comparison matrix of methods as a table and as a figure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from retree.reports.comparison import LEVEL
from retree.reports.document import Entry, Table, TableCell
from retree.reports.figures import WIDTH, new_figure, panel_letter
from retree.reports.formatting import number
from retree.reports.kinds.rank_axes import broken
from retree.reports.kinds.rankings import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
_ROW, _AROUND, _BAR = 0.4, 1.1, 0.2
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
        row: list[Entry] = [f"{name} ({number(metric, _mean(ranking.matrix, name))})"]
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
    figure = new_figure(sum(heights) + _BAR, 2 * WIDTH)
    panels = figure.subplots(len(rankings), 1, squeeze=False, height_ratios=heights)[:, 0]
    for i, (axes, ranking, title) in enumerate(zip(panels, rankings, titles, strict=True)):
        _draw(axes, ranking)
        label = ranking.found.metric.label
        text = f"mean difference in {label} (row − column), wins/ties/losses, Wilcoxon p"
        axes.set_xlabel(text)
        if title:
            axes.set_title(f"{panel_letter(i)} {title}", loc="left")
    return figure


def _draw(axes: Axes, ranking: Ranking) -> None:
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
    means = [number(metric.name, _mean(ranking.matrix, name)) for name in names]
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


def _mean(matrix: pd.DataFrame, name: str) -> float:
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
