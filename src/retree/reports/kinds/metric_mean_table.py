"""Tables of a metric per data set and method with a row of means (kind ``metric_mean_table``)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, compare_item
from retree.reports.kinds.mean_table import compare_means
from retree.reports.kinds.metric_table import write_tables


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    comparisons = compare_with_means(experiment, item, plan, frame, store)
    return write_tables(experiment, item, plan, comparisons)


def compare_with_means(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store | None = None
) -> list[Comparison]:
    """Return the comparisons of a metric table, and then those of the means over its data sets.

    Parameters
    ----------
    experiment, item, plan, frame, store
        As for `retree.reports.comparison.compare_item`.
    """
    means = compare_means(experiment, item, plan, frame, store)
    cells = compare_item(experiment, item, plan, frame, store)
    return [*cells, *(mean.comparison for mean in means)]
