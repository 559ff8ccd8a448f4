"""Best numbers and stars of published tables, counted again."""

from __future__ import annotations

import pandas as pd

from retree.statistics.metrics import find_metric


def recount(cells: pd.DataFrame) -> pd.DataFrame:
    """Return on how many data sets each method has the best published number.

    `cells`: published cells, as from `retree.reports.audit.published_cells.published_cells`.
    Returns ``table``, ``metric``, ``method``, ``sets`` (with a readable number), ``alone`` and
    ``best`` (the best number, without and with ties) and ``stars``; a row for each method of a
    table of more than one.
    """
    rows = []
    for (table, metric), group in cells.groupby(["table", "metric"], sort=False):
        wide = group.pivot(index="dataset", columns="method", values="value")
        wide = wide[group["method"].unique()]
        if wide.shape[1] < 2:
            continue
        least = find_metric(str(metric)).smaller_is_better
        best = wide.eq(wide.min(axis=1) if least else wide.max(axis=1), axis=0)
        alone = best[best.sum(axis=1) == 1]
        stars = group[group["marker"] == "*"]["method"].value_counts()
        for method in wide:
            counts = [wide[method].notna().sum(), alone[method].sum(), best[method].sum()]
            rows.append([table, metric, method, *map(int, counts), int(stars.get(method, 0))])
    columns = ["table", "metric", "method", "sets", "alone", "best", "stars"]
    return pd.DataFrame(rows, columns=columns)
