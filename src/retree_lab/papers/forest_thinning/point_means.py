"""Means over the folds at every point that an item varies.

Unlike those of a grid, from which one is chosen, these points are all shown in the table or figure.
"""

from __future__ import annotations

import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.reports.selection import OUTER
from retree_lab.statistics.metrics import find_metric


def point_means(item: Item, frame: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Return mean and standard deviation of each metric at each point.

    Returns columns ``dataset`` (as published), ``method`` (key), ``point``, ``params`` (JSON),
    ``n_folds`` and for each metric its mean, and its standard deviation as ``<metric>_std``;
    without the points of which a fold is missing.
    """
    outer = frame[frame["inner"] == OUTER]
    n_folds = item.protocol.folds * item.protocol.repeats
    done = outer[outer["status"] == "done"]
    values = done.assign(**{metric: find_metric(metric).of(done) for metric in metrics})
    groups = values.groupby(["dataset", "method", "point", "params"], sort=False)
    means, stds = groups[metrics].mean(), groups[metrics].std().add_suffix("_std")
    table = pd.concat([groups.size().rename("n_folds"), means, stds], axis=1)
    table = table[table["n_folds"] == n_folds].reset_index()
    order = {name: place for place, name in enumerate(item.datasets)}
    ranked = table.assign(place=table["dataset"].map(order)).sort_values(["place", "point"])
    return ranked.assign(dataset=ranked["dataset"].map(item.label)).drop(columns="place")
