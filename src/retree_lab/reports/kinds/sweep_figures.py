"""Pictures of a sweep: a line over one parameter, heat maps over two, panels over more."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retree_lab.reports.figures import COLOURS, bare_spines, conclude, new_figure
from retree_lab.statistics.metrics import Metric, MetricKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 12
# Inches that a panel has for its cells, and that a number in a cell and a label below it need.
_ROOM, _NUMBER, _LETTER = 2.4, 0.15, 0.07
# From this ratio of the highest to the lowest value on, a logarithmic axis may fit.
_DECADE = 10
_DOT = 60  # The area of a dot that all folds choose
# Shares that lie nearer to each other are shown with a decimal of the per cent.
_NARROW = 0.03
Show = Callable[[float], str]


@dataclass(frozen=True)
class Panel:
    """The content of a panel: a metric over one parameter or two, point by point."""

    title: str
    name: str  # Of the method
    axes: dict[str, list[Any]]  # Parameters with their values, the slower one first
    points: Sequence[dict[str, Any]]
    means: Sequence[float]
    stds: Sequence[float]
    best: int | None  # The position of the best point, if it is in this panel
    shares: Sequence[float]  # In which share of the folds the training rows choose each point
    roots: Sequence[bool]  # Whether every tree is its root alone
    honest: float | None  # The mean at the points that the training rows choose
    published: Sequence[float]
    n_folds: int


@dataclass(frozen=True)
class Scale:
    """The places of a parameter's values on an axis; texts stand in equal steps."""

    name: str
    values: Sequence[Any]

    @property
    def is_numeric(self) -> bool:
        """Return whether values are numbers, which stand where they belong."""
        numbers = (isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)
        return all(numbers) and all(math.isfinite(value) for value in self.values)

    @property
    def is_log(self) -> bool:
        """Return whether steps of the logarithm are more even than those of the values."""
        if not self.is_numeric or min(self.values) <= 0:
            return False
        values = np.sort(np.array(self.values, float))
        return bool(
            values[-1] / values[0] >= _DECADE and _unevenness(np.log(values)) < _unevenness(values)
        )

    @property
    def places(self) -> NDArray[np.float64]:
        """The places of the values: their logarithms, if the axis is logarithmic."""
        if not self.is_numeric:
            return np.arange(len(self.values), dtype=float)
        values = np.array(self.values, float)
        return np.log10(values) if self.is_log else values

    def edges(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the borders of the values' cells in order, and the order of the values."""
        order = np.argsort(self.places)
        sorted_places = self.places[order]
        middles = (sorted_places[1:] + sorted_places[:-1]) / 2
        first, last = 2 * sorted_places[0] - middles[0], 2 * sorted_places[-1] - middles[-1]
        return np.concatenate([[first], middles, [last]]), order

    def ticks(self, need: float) -> tuple[list[float], list[str]]:
        """Return places and labels of ticks, of which none is nearer than `need` to the last."""
        low, high = self.places.min(), self.places.max()
        labelled: list[tuple[float, str]] = []
        for place, value in sorted(zip(self.places, map(_text, self.values), strict=True)):
            if not labelled or place - labelled[-1][0] >= need * (high - low):
                labelled.append((float(place), value))
        return [place for place, _ in labelled], [text for _, text in labelled]


def draw_panels(dataset: str, metric: Metric, panels: Sequence[Panel]) -> Figure:
    """Return the figure of a data set; panels of one look share the colours of their values."""
    lines = [len(panel.axes) == 1 for panel in panels]
    heights = [1.5 if is_line else _height(p) for p, is_line in zip(panels, lines, strict=True)]
    figure = new_figure(sum(heights) + 0.45 * len(panels) + 0.5)
    rows = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    marked = [v for p in panels for v in (*p.means, *(v for v, _ in _references(p)))]
    done = [value for value in marked if not math.isnan(value)] or [0.0, 1.0]
    show = partial(_shown, metric=metric, places=int(max(done) - min(done) < _NARROW))
    for axes, panel, is_line in zip(rows, panels, lines, strict=True):
        if is_line:
            _draw_line(axes, panel, metric)
        else:
            _draw_map(axes, panel, _factor(metric), (min(done), max(done)), show)
        axes.set_title(panel.title, loc="left")
    figure.supxlabel(_legend(panels, metric, any(lines)), fontsize=7, x=0.02, ha="left")
    findings, seen = zip(
        *(_finding(panels, name, metric, show) for name in _names(panels)), strict=True
    )
    return conclude(figure, f"{dataset}: {'; '.join(findings)}", ". ".join(seen))


def _height(panel: Panel) -> float:
    first = next(iter(panel.axes.values()))
    return max(0.22 * len(first), 0.6)


def _names(panels: Sequence[Panel]) -> list[str]:
    return list(dict.fromkeys(panel.name for panel in panels))


def _legend(panels: Sequence[Panel], metric: Metric, is_line: bool) -> str:
    words = f"{metric.label}{' in %' * _in_percent(metric)}, mean over {panels[0].n_folds} folds"
    words += ", bars: ± s" * is_line
    best = "ring" if is_line else "box"
    text = f"{words}\n{best}: {metric.best} mean on the test rows"
    if any(sum(panel.shares) for panel in panels):
        text += "\ndots: chosen inside the training folds, larger in more folds"
    if any(panel.honest is not None for panel in panels):
        text += f"\ndashed{'' if is_line else ' in the scale'}: mean of that choice"
    if any(panel.published for panel in panels):
        text += f"\ndotted{'' if is_line else ' in the scale'}: published"
    return text + "\nhatched: the root alone" * any(map(any, (p.roots for p in panels)))


def _finding(panels: Sequence[Panel], name: str, metric: Metric, show: Show) -> tuple[str, str]:
    """Return how much the metric of a method depends on its parameters, and what is chosen."""
    mine = [panel for panel in panels if panel.name == name]
    done = [mean for panel in mine for mean in panel.means if not math.isnan(mean)]
    best = [panel.points[panel.best] for panel in mine if panel.best is not None]
    if not done or not best:
        return f"{name} has no result", f"An empty grid of {name}"
    point = ", ".join(f"{key} {value}" for key, value in best[0].items())
    ends = f"{show(min(done))} to {show(max(done))}"
    text = f"{name} reaches {ends}{' %' * _in_percent(metric)}, {_best_at(metric)} at {point}"
    honest = mine[0].honest
    if honest is not None:
        text += f"; {show(honest)} if chosen inside the training folds"
    middle = show(float(np.median(done)))
    axes = " and ".join(mine[0].axes)
    return text, f"{metric.label.capitalize()} of {name} at {len(done)} points over {axes}: " \
                 f"median {middle}"  # fmt: skip


def _best_at(metric: Metric) -> str:
    return "least" if metric.smaller_is_better else "most"


def _draw_line(axes: Axes, panel: Panel, metric: Metric) -> None:
    ((name, values),) = panel.axes.items()
    scale = Scale(name, values)
    order = np.argsort(scale.places)
    x, factor = scale.places[order], _factor(metric)
    y, s = factor * np.array(panel.means)[order], factor * np.array(panel.stds)[order]
    line = "o-" if scale.is_numeric else "o"
    axes.errorbar(x, y, s, fmt=line, color=COLOURS[0], elinewidth=0.6, capsize=1.5)
    for value, line_look in _references(panel):
        axes.axhline(factor * value, linewidth=0.8, **line_look)
    shares = np.array(panel.shares)[order]
    axes.scatter(x, y, s=_DOT * shares, color=COLOURS[1], zorder=3, linewidths=0)
    if panel.best is not None:
        at = int(np.flatnonzero(order == panel.best)[0])
        axes.scatter(x[at : at + 1], y[at : at + 1], s=2 * _DOT, facecolors="none",
                     edgecolors=COLOURS[1], linewidths=1.2, zorder=4)  # fmt: skip
    bare_spines(axes)
    _label_x(axes, scale)
    axes.set_ylabel(f"{metric.label}{' in %' * _in_percent(metric)}")


def _draw_map(
    axes: Axes, panel: Panel, factor: float, ends: tuple[float, float], show: Show
) -> None:
    from matplotlib.patches import Rectangle

    down, across = (Scale(*axis) for axis in panel.axes.items())
    (y, rows), (x, columns) = down.edges(), across.edges()
    places = [tuple(s.values.index(p[s.name]) for s in (down, across)) for p in panel.points]
    where = {place: i for i, place in enumerate(places)}
    grid = [[where.get((row, column)) for column in columns] for row in rows]
    matrix = np.array([[math.nan if i is None else panel.means[i] for i in row] for row in grid])
    mesh = axes.pcolormesh(
        x, y, factor * matrix, cmap="cividis", vmin=factor * ends[0], vmax=factor * ends[1]
    )
    bar = axes.figure.colorbar(mesh, ax=axes, pad=0.02, fraction=0.05)
    bar.outline.set_visible(False)
    for value, line_look in _references(panel):
        bar.ax.axhline(factor * value, linewidth=1.5, **line_look)
    # Numbers stand in cells where all have room.
    wide = _ROOM * np.diff(x).min() / np.ptp(x) >= _NUMBER
    tall = _height(panel) * np.diff(y).min() / np.ptp(y) >= 0.75 * _NUMBER
    look: dict[str, Any]
    colours = mesh.to_rgba(factor * matrix)
    for row, column in np.ndindex(matrix.shape):
        if (i := grid[row][column]) is None:
            continue
        corner = float(x[column]), float(y[row])
        size = float(x[column + 1]) - corner[0], float(y[row + 1]) - corner[1]
        middle = corner[0] + size[0] / 2, corner[1] + size[1] / 2
        colour = _readable(colours[row, column])
        if panel.roots[i]:
            look = {"hatch": "///", "edgecolor": colour, "linewidth": 0, "alpha": 0.6}
            axes.add_patch(Rectangle(corner, *size, fill=False, **look))
        if share := panel.shares[i]:
            look = {"color": COLOURS[1], "edgecolors": "white", "linewidths": 0.5}
            axes.scatter(*middle, s=_DOT * share, zorder=3, **look)
        elif wide and tall and not panel.roots[i]:
            axes.text(*middle, show(panel.means[i]), ha="center", va="center", c=colour)
        if i == panel.best:
            look = {"edgecolor": COLOURS[1], "linewidth": 2, "clip_on": False, "zorder": 4}
            axes.add_patch(Rectangle(corner, *size, fill=False, **look))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    _label_x(axes, across)
    axes.set_yticks(*down.ticks(0.11 / _height(panel)))
    axes.set_ylabel(f"{down.name}{' (log)' * down.is_log}")


def _references(panel: Panel) -> list[tuple[float, dict[str, Any]]]:
    """Return the values that are marked beside the points, and how."""
    honest = [] if panel.honest is None else [panel.honest]
    looks: list[dict[str, Any]] = [
        {"color": COLOURS[1], "linestyle": "--"},
        {"color": "black", "linestyle": ":"},
    ]
    return [*((value, looks[0]) for value in honest), *((v, looks[1]) for v in panel.published)]


def _label_x(axes: Axes, scale: Scale) -> None:
    longest = max(map(len, map(_text, scale.values)))
    axes.set_xticks(*scale.ticks(_LETTER * (longest + 1) / _ROOM))
    axes.set_xlabel(f"{scale.name}{' (log)' * scale.is_log}")


def _text(value: Any) -> str:
    if isinstance(value, float):
        text = f"{value:g}"
        return text.removeprefix("0") or "0"
    return str(value)


def _unevenness(values: NDArray[np.float64]) -> float:
    steps = np.diff(values)
    return float(steps.std() / steps.mean())


def _in_percent(metric: Metric) -> bool:
    return metric.kind == MetricKind.SHARE and metric.scale == 1


def _factor(metric: Metric) -> float:
    return 100.0 if _in_percent(metric) else 1.0


def _shown(value: float, metric: Metric, places: int) -> str:
    if math.isnan(value):
        return "—"
    text = f"{100 * value:.{places}f}" if _in_percent(metric) else f"{value:.3g}"
    return text.replace("-", "−")


def _readable(ground: NDArray[np.float64]) -> str:
    """Return which of black and white has the higher contrast on a colour (WCAG 2)."""
    channels = ground[:3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float((linear * [0.2126, 0.7152, 0.0722]).sum())
    # Black itself would turn light on a dark page, whose colour it takes.
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#111111"
