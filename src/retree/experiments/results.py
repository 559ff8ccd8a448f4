"""The stored results of a plan as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from retree.experiments.definitions import ACCURACY
from retree.experiments.keys import canonical
from retree.experiments.pending import lacking_scores
from retree.experiments.plan import Cell, Plan
from retree.experiments.store import Store

CRITERION = "criterion"
METRICS = ("accuracy", "depth", "leaves", "nodes", "fit_seconds", "cpu_seconds", "n_test")


def results_frame(plan: Plan, store: Store) -> pd.DataFrame:
    """Return one row for each planned cell, in the plan's order; nothing is computed.

    Parameters
    ----------
    plan : Plan
        The plan of an item.
    store : Store
        Where its cells may be.

    Returns
    -------
    DataFrame
        Columns ``dataset``, ``method`` (key), ``params`` (JSON text of the varied parameters),
        ``point`` (position in the grid), ``repeat``, ``fold``, ``inner`` (-1: outer cell),
        ``status`` (done, failed or absent), ``reason``, the metrics ``accuracy``, ``depth``,
        ``leaves``, ``nodes``, ``fit_seconds``, ``cpu_seconds`` and ``n_test`` (NaN unless done),
        ``key``, the item's further metrics, and ``criterion``, the one that parameters are chosen
        by, unless that is the accuracy. A cell that lacks a metric of the item is absent.
    """
    stored = store.metrics([cell.key for cell in plan.cells])
    rows = [_row(cell, stored.get(cell.key), plan.item.scores) for cell in plan.cells]
    columns = ["dataset", "method", "params", "point", "repeat", "fold", "inner", "status"]
    frame = pd.DataFrame(rows, columns=[*columns, "reason", *METRICS, "key"])
    frame = frame.astype(dict.fromkeys(METRICS, np.float64))
    for name in plan.item.scores:
        frame[name] = [_score(stored.get(key), name) for key in frame["key"]]
    if plan.item.select_by != ACCURACY:
        frame[CRITERION] = frame[plan.item.select_by]
    return frame


def _score(stored: dict[str, Any] | None, name: str) -> float:
    scores = stored["scores"] if stored is not None and stored["error"] is None else {}
    return float(scores.get(name, math.nan))


def _row(cell: Cell, stored: dict[str, Any] | None, asked: Sequence[str]) -> dict[str, Any]:
    status, reason = "done", ""
    if stored is None:
        status, reason = "absent", "not computed yet"
    elif stored["error"] is not None:
        status, reason = "failed", stored["error"].strip().splitlines()[-1]
    elif lacking := lacking_scores(stored, asked):
        status, reason = "absent", f"{' and '.join(lacking)} not computed yet"
    metrics = stored if stored is not None and status == "done" else {}
    return {
        "dataset": cell.dataset,
        "method": cell.method,
        "params": canonical(cell.params),
        "point": cell.point,
        "repeat": cell.repeat,
        "fold": cell.fold,
        "inner": cell.inner,
        "status": status,
        "reason": reason,
        **{name: metrics.get(name) for name in METRICS},
        "key": cell.key,
    }
