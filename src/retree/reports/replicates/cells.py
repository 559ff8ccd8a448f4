"""The cells of the chosen point of each further replicate."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pandas as pd

from retree.experiments.plan import Plan
from retree.experiments.results import results_frame
from retree.experiments.store import Store

GROUP = ["dataset", "method", "replicate"]


def replicate_cells(plan: Plan, store: Store) -> pd.DataFrame:
    """Return the outer cells of the chosen point of every further replicate that is complete.

    A point is chosen as in `retree.reports.selection.best_test`, in each replicate by itself; the
    points that lack a cell are not eligible. Where the choice is committed, only its cells are
    planned, and it stands.

    Parameters
    ----------
    plan : Plan
        The plan of an item.
    store : Store
        Where its cells may be.

    Returns
    -------
    DataFrame
        Rows as from `retree.experiments.results.results_frame` in the plan's order, and the
        columns ``replicate`` (1 or more) and ``n_points`` (points of the grid).
    """
    frame = results_frame(replace(plan, cells=plan.further), store)
    frame["replicate"] = frame["repeat"] // plan.item.protocol.repeats
    n_points: Counter[tuple[str, str]] = Counter()
    for cell in plan.cells:
        pair = cell.dataset, cell.method
        n_points[pair] = max(n_points[pair], cell.point + 1)
    pairs = zip(frame["dataset"], frame["method"], strict=True)
    frame["n_points"] = [n_points[pair] for pair in pairs]
    best = _best_points(frame, plan.item.protocol.folds * plan.item.protocol.repeats)
    return frame.merge(best, on=[*GROUP, "point"])


def _best_points(frame: pd.DataFrame, n_places: int) -> pd.DataFrame:
    """Return the chosen point of each replicate of a method on a data set, if there is any."""
    done = frame[frame["status"] == "done"]
    points = done.groupby([*GROUP, "point"])["accuracy"].agg(["count", _mean]).reset_index()
    complete = points[points["count"] == n_places]
    # The sort is stable, so that ties go to the first point of the grid.
    ordered = complete.sort_values("_mean", ascending=False, kind="stable")
    return ordered.drop_duplicates(GROUP)[[*GROUP, "point"]]


def _mean(values: pd.Series) -> float:
    # As in `best_test`: an exact sum, so that no tie is broken by the last bit.
    return round(math.fsum(values) / len(values), 12)
