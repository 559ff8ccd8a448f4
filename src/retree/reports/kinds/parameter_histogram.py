"""How often each value of a parameter is the best (kind ``parameter_histogram``)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.figures import COLOURS, bare_spines, panel_letter, save_figure, style
from retree.reports.files import folder
from retree.reports.selection import Choices, best_test


@style()
def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.png`` and ``.svg``: a panel for each parameter, bars for each method.

    The option ``parameters`` says which methods (keys) each parameter is counted for; methods
    that the item was restricted from are left out.
    """
    best = best_test(frame)
    names = {method.key: method.name for method in item.methods}
    panels = item.options["parameters"]
    widths = [len(experiment.paper.grid[parameter]) + 1 for parameter in panels]
    figure = Figure(figsize=(0.5 * sum(widths) + 1.0, 3.2), layout="constrained")
    grid = figure.subplots(1, len(panels), squeeze=False, width_ratios=widths)[0]
    for i, (axes, (parameter, keys)) in enumerate(zip(grid, panels.items(), strict=True)):
        counts = {names[key]: best_values(best, key, parameter) for key in keys if key in names}
        _draw_panel(axes, counts, list(experiment.paper.grid[parameter]))
        axes.set_title(f"{panel_letter(i)} best value of {parameter}", fontsize=9)
        axes.set_xlabel(parameter)
    grid[0].set_ylabel("data sets")
    return save_figure(figure, folder(experiment) / item.name)


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
