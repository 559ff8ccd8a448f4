"""Tables, figures and pages from stored results; nothing is computed but means and tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from retree.errors import unknown_name
from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports import (
    dataset_table,
    decision_regions,
    grouped_table,
    mean_table,
    method_table,
    metric_table,
    parameter_heatmap,
    parameter_histogram,
    projection,
    pruning_path,
    reading_table,
    time_table,
)
from retree.reports.console import show_table
from retree.reports.page import write_page

__all__ = ["RENDERERS", "render", "show_table", "write_page"]

Renderer = Callable[[Experiment, Item, Plan, pd.DataFrame, Store], list[Path]]

RENDERERS: dict[str, Renderer] = {
    "dataset_table": dataset_table.render,
    "decision_regions": decision_regions.render,
    "grouped_table": grouped_table.render,
    "mean_table": mean_table.render,
    "method_table": method_table.render,
    "metric_table": metric_table.render,
    "parameter_heatmap": parameter_heatmap.render,
    "parameter_histogram": parameter_histogram.render,
    "projection": projection.render,
    "pruning_path": pruning_path.render,
    "reading_table": reading_table.render,
    "time_table": time_table.render,
}


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Render an item by its kind into ``<results>/<paper>/`` and return the files.

    Parameters
    ----------
    experiment : Experiment
        Names the folder, the paper's printed numbers and the sources of data.
    item : Item
        What to render.
    plan : Plan
        The item's plan; of it only the holes are used.
    frame : DataFrame
        The plan's results, as from `retree.experiments.results.results_frame`.
    store : Store
        Where trees are kept.

    Raises
    ------
    UnknownNameError
        If there is no such kind.
    RetreeError
        If the folder cannot be written, or the item asks for what its kind cannot do.
    """
    if item.kind not in RENDERERS:
        raise unknown_name("kind of item", item.kind, RENDERERS)
    return RENDERERS[item.kind](experiment, item, plan, frame, store)
