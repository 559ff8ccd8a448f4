"""How often each value of a parameter is the best (kind ``parameter_histogram``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.figures import COLOURS, bare_spines, new_figure, panel_letter
from retree.reports.kind import Kind, refuse_nested
from retree.reports.selection import Choices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HATCHES = ("", "////", "....")


@dataclass(frozen=True, kw_only=True)
class ParameterHistogram(Kind[None]):
    """A panel for each parameter, bars for each method."""

    # The methods (keys) that each parameter is counted for; those that the item was restricted from
    # are left out.
    parameters: Mapping[str, tuple[str, ...]]
    # What parameters are called below their panels.
    axes: Mapping[str, str] = field(default_factory=dict)

    def check(self, item: Item) -> None:
        """Refuse an item that does not ask for what it shows, test accuracies of grid points."""
        refuse_nested(item)

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        names = {method.key: method.name for method in context.item.methods}
        grid, best = context.paper.grid, context.best
        figure = new_figure(1.6 * len(self.parameters))
        panels = figure.subplots(len(self.parameters), 1, squeeze=False)[:, 0]
        for i, (parameter, keys) in enumerate(self.parameters.items()):
            counts = {names[key]: best_values(best, key, parameter) for key in keys if key in names}
            _draw_panel(panels[i], counts, list(grid[parameter]))
            panels[i].set_xlabel(f"{panel_letter(i)} {self.axes.get(parameter, parameter)}")
            totals = {counter.total() for counter in counts.values()}
            panels[i].set_ylabel(f"of {max(totals)} data sets" if len(totals) == 1 else "data sets")
        yield "", figure


def best_values(best: Choices, method: str, parameter: str) -> Counter[float]:
    """Return on how many data sets each value of `parameter` is the best one."""
    chosen = [choice.params for (_, key), choice in sorted(best.items()) if key == method]
    return Counter(json.loads(params)[parameter] for params in chosen if params)


def _draw_panel(axes: Axes, counts: dict[str, Counter[float]], values: list[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    places, width = np.arange(len(values)), 0.8 / max(1, len(counts))
    for i, (name, counter) in enumerate(counts.items()):
        axes.bar(
            places + (i - (len(counts) - 1) / 2) * width,
            [counter[value] for value in values],
            width,
            color=COLOURS[i],
            edgecolor="black",
            linewidth=0.4,
            hatch=HATCHES[i % len(HATCHES)],
            label=name,
        )
    axes.set_xticks(places, [str(value) for value in values], rotation=45 if len(values) > 9 else 0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    bare_spines(axes)
    if counts:
        axes.legend(loc="best", title="values of the grid, in equal steps")
