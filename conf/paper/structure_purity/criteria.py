"""Facts on the criteria, and which of their parameters come out best."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree.reports.context import Context
from retree.reports.figures import COLOURS, bare_spines, new_figure, panel_letter
from retree.reports.kind import refuse_nested
from retree.reports.selection import Choices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def method_facts(context: Context, *, facts: tuple[str, ...]) -> pd.DataFrame:
    """Return the `facts` that methods have under ``about``, and whether each runs here.

    What the paper gives instead of a fact, or of the name, is there as ``published_<fact>``, and
    stands in brackets in ``_<fact>``.
    """
    methods = context.item.methods
    rows = pd.DataFrame({"method": [method.name for method in methods]})
    notes = ["Where the paper says something else, that is in brackets."]
    for fact in ("name", *facts):
        published, column = f"published_{fact}", "method" if fact == "name" else fact
        if fact != "name":
            rows[fact] = [str(method.about.get(fact, "")) for method in methods]
        theirs = [
            str(method.about.get(published, own))
            for method, own in zip(methods, rows[column], strict=True)
        ]
        differs = rows[column] != theirs
        rows[f"_{column}"] = rows[column].where(
            ~differs, rows[column] + " (published: " + theirs + ")"
        )
        if fact == "name" or any(published in method.about for method in methods):
            rows[published] = theirs
        if fact != "name" and differs.any():
            names = " and ".join(rows.loc[differs, "method"])
            notes.append(f"The published {fact} is wrong for {names}.")
    rows["runs"] = ["yes" if method.missing is None else "no" for method in methods]
    rows.attrs["notes"] = [*notes, *(f"{m.name}: {m.missing}" for m in methods if m.missing)]
    return rows


HATCHES = ("", "////", "....")


def best_parameters(
    context: Context, *, parameters: Mapping[str, tuple[str, ...]], axes: Mapping[str, str]
) -> Figure:
    """Return a panel for each parameter, bars for each method: on how many sets a value is best.

    `parameters` says the methods (keys) that each is counted for; those that the item was
    restricted from are left out. `axes` are what parameters are called.
    """
    refuse_nested(context.item)
    names = {method.key: method.name for method in context.item.methods}
    grid, best = context.paper.grid, context.best
    figure = new_figure(1.6 * len(parameters))
    panels = figure.subplots(len(parameters), 1, squeeze=False)[:, 0]
    for i, (parameter, keys) in enumerate(parameters.items()):
        counts = {names[key]: best_values(best, key, parameter) for key in keys if key in names}
        _draw_panel(panels[i], counts, list(grid[parameter]))
        panels[i].set_xlabel(f"{panel_letter(i)} {axes.get(parameter, parameter)}")
        totals = {counter.total() for counter in counts.values()}
        panels[i].set_ylabel(f"of {max(totals)} data sets" if len(totals) == 1 else "data sets")
    return figure


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
