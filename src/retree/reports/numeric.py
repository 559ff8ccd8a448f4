"""The comparisons behind a numeric table, whatever its kind."""

from __future__ import annotations

import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.reports.comparison import Comparison, compare_item
from retree.reports.dataset_table import compare_datasets
from retree.reports.mean_table import compare_means
from retree.reports.time_table import compare_times


def comparisons_of(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame
) -> list[Comparison]:
    """Return the rows of the item's csv; an item without numbers has none."""
    if item.kind == "metric_table":
        return compare_item(experiment, item, plan, frame)
    if item.kind == "mean_table":
        return [mean.comparison for mean in compare_means(experiment, item, plan, frame)]
    if item.kind == "time_table":
        return compare_times(experiment, item, plan, frame)
    if item.kind == "dataset_table":
        return compare_datasets(experiment, item, plan)
    return []
