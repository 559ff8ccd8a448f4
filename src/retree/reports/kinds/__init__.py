"""The kinds of items, by the name that ``kind`` gives in ``conf/paper``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from retree.errors import unknown_name
from retree.experiments.definitions import Experiment, Item
from retree.experiments.kinds import KINDS
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.context import Context
from retree.reports.kinds import (
    change_table,
    cluster_table,
    contribution_example,
    dataset_table,
    effect_table,
    grouped_table,
    mean_table,
    method_table,
    metric_mean_table,
    metric_table,
    paired_table,
    print_distance,
    rank_diagram,
    reading_table,
    step_table,
    time_table,
    weka_table,
    worked_example,
)
from retree.reports.writer import write_item

__all__ = ["RENDERERS", "render"]

Renderer = Callable[[Experiment, Item, Plan, pd.DataFrame, Store], list[Path]]

RENDERERS: dict[str, Renderer] = {
    "change_table": change_table.render,
    "cluster_table": cluster_table.render,
    "contribution_example": contribution_example.render,
    "dataset_table": dataset_table.render,
    "effect_table": effect_table.render,
    "grouped_table": grouped_table.render,
    "mean_table": mean_table.render,
    "method_table": method_table.render,
    "metric_mean_table": metric_mean_table.render,
    "metric_table": metric_table.render,
    "paired_table": paired_table.render,
    "print_distance": print_distance.render,
    "rank_diagram": rank_diagram.render,
    "reading_table": reading_table.render,
    "step_table": step_table.render,
    "time_table": time_table.render,
    "weka_table": weka_table.render,
    "worked_example": worked_example.render,
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
    if item.kind in RENDERERS:
        return RENDERERS[item.kind](experiment, item, plan, frame, store)
    if item.kind not in KINDS and ":" not in item.kind:
        raise unknown_name("kind of item", item.kind, [*RENDERERS, *KINDS])
    return write_item(Context(experiment, plan, frame, store))
