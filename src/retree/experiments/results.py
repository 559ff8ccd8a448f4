"""The stored results of a plan as a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.experiments.definitions import ACCURACY
from retree.experiments.exports import TEXT
from retree.experiments.keys import canonical
from retree.experiments.plan import Plan
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
        by, unless that is the accuracy.
    """
    stored = store.metrics([cell.key for cell in plan.cells])
    found = [stored.get(cell.key) for cell in plan.cells]
    done = [row if row is not None and row["error"] is None else {} for row in found]
    # The points of a grid are shared by all its cells.
    points = {id(cell.params): cell.params for cell in plan.cells}
    texts = {number: canonical(point) for number, point in points.items()}
    columns: dict[str, Any] = {
        "dataset": [cell.dataset for cell in plan.cells],
        "method": [cell.method for cell in plan.cells],
        "params": [texts[id(cell.params)] for cell in plan.cells],
        **{name: _integers(plan, name) for name in ("point", "repeat", "fold", "inner")},
        "status": [_status(row) for row in found],
        "reason": [_reason(row) for row in found],
        **{name: np.array([row.get(name) for row in done], np.float64) for name in METRICS},
        "key": [cell.key for cell in plan.cells],
    }
    frame = pd.DataFrame({name: _texts(values) for name, values in columns.items()})
    for name in plan.item.scores:
        frame[name] = [_score(stored.get(key), name) for key in frame["key"]]
    if plan.item.select_by != ACCURACY:
        frame[CRITERION] = frame[plan.item.select_by]
    return frame


def _score(stored: dict[str, Any] | None, name: str) -> float:
    scores = stored["scores"] if stored is not None and stored["error"] is None else {}
    return float(scores.get(name, math.nan))


def _integers(plan: Plan, name: str) -> NDArray[np.int64]:
    return np.array([getattr(cell, name) for cell in plan.cells], np.int64)


def _texts(values: Any) -> Any:
    return pd.Series(values, dtype=TEXT) if isinstance(values, list) else values


def _status(stored: dict[str, Any] | None) -> str:
    if stored is None:
        return "absent"
    return "done" if stored["error"] is None else "failed"


def _reason(stored: dict[str, Any] | None) -> str:
    if stored is None:
        return "not computed yet"
    return "" if stored["error"] is None else str(stored["error"].strip().splitlines()[-1])
