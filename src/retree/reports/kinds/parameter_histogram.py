"""How often each value of a parameter is the best (kind ``parameter_histogram``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from retree.reports.context import Context
from retree.reports.figures import COLOURS, bare_spines, panel_letter
from retree.reports.kind import Kind
from retree.reports.selection import Choices


@dataclass(frozen=True, kw_only=True)
class ParameterHistogram(Kind[None]):
    """A panel for each parameter, bars for each method.

    Attributes
    ----------
    parameters : dict of str to tuple of str
        The methods (keys) that each parameter is counted for; those that the item was restricted
        from are left out.
    """

    parameters: Mapping[str, tuple[str, ...]]

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        names = {method.key: method.name for method in context.item.methods}
        grid, best = context.paper.grid, context.best
        widths = [len(grid[parameter]) + 1 for parameter in self.parameters]
        figure = Figure(figsize=(0.5 * sum(widths) + 1.0, 3.2), layout="constrained")
        panels = figure.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
        for i, (parameter, keys) in enumerate(self.parameters.items()):
            counts = {names[key]: best_values(best, key, parameter) for key in keys if key in names}
            _draw_panel(panels[i], counts, list(grid[parameter]))
            panels[i].set_title(f"{panel_letter(i)} best value of {parameter}", fontsize=9)
            panels[i].set_xlabel(parameter)
        panels[0].set_ylabel("data sets")
        yield "", figure


def best_values(best: Choices, method: str, parameter: str) -> Counter[float]:
    """Return on how many data sets each value of `parameter` is the best one.

    Parameters
    ----------
    best : dict
        The choices of `retree.reports.selection.best_test`.
    method, parameter : str
        Key of the method and name of its parameter.
    """
    chosen = [choice.params for (_, key), choice in sorted(best.items()) if key == method]
    return Counter(json.loads(params)[parameter] for params in chosen if params)


def _draw_panel(axes: Axes, counts: dict[str, Counter[float]], values: list[float]) -> None:
    places, width = np.arange(len(values)), 0.8 / max(1, len(counts))
    for i, (name, counter) in enumerate(counts.items()):
        axes.bar(
            places + (i - (len(counts) - 1) / 2) * width,
            [counter[value] for value in values],
            width,
            color=COLOURS[i],
            label=f"{name} ({counter.total()} data sets)",
        )
    axes.set_xticks(places, [str(value) for value in values], fontsize=7)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    bare_spines(axes)
    if counts:
        axes.legend(frameon=False, fontsize=8)
