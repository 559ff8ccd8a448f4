"""The comparisons behind a numeric table, whatever its kind."""

from __future__ import annotations

import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, compare_item
from retree.reports.kinds.cluster_table import compare_clusters
from retree.reports.kinds.dataset_table import compare_datasets
from retree.reports.kinds.effect_table import compare_effects
from retree.reports.kinds.mean_table import compare_means
from retree.reports.kinds.metric_mean_table import compare_with_means
from retree.reports.kinds.time_table import compare_times
from retree.reports.kinds.worked_example import compare_distances


def comparisons_of(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store | None = None
) -> list[Comparison]:
    """Return the rows of the item's csv; an item without numbers has none."""
    if item.kind in ("metric_table", "paired_table"):
        return compare_item(experiment, item, plan, frame, store)
    if item.kind == "mean_table":
        return [mean.comparison for mean in compare_means(experiment, item, plan, frame, store)]
    if item.kind == "time_table":
        return compare_times(experiment, item, plan, frame)
    if item.kind == "dataset_table":
        return compare_datasets(experiment, item, plan)
    if item.kind == "metric_mean_table":
        return compare_with_means(experiment, item, plan, frame, store)
    if item.kind == "cluster_table":
        return compare_clusters(experiment, item, plan)
    if item.kind == "worked_example":
        return compare_distances(experiment, item)
    if item.kind == "effect_table":
        return compare_effects(experiment, item, plan, frame)
    return []


def unprinted_numbers(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame
) -> list[Comparison]:
    """Return the numbers of a table of ours that claims may be about; of another item none."""
    if item.kind in ("grouped_table", "reading_table") and not item.options.get("vary"):
        return compare_item(experiment, item, plan, frame)
    return []
