"""How long an item takes, by the times of the committed results."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd

from retree import paths
from retree.experiments.plan import Cell, Plan

_COLUMNS = ["dataset", "method", "cpu_seconds", "status"]


def forecast(paper: str, plans: Sequence[Plan], pending: Collection[Cell]) -> float | None:
    """Return the expected CPU seconds of cells, None if some method is not among the results.

    A cell is expected to take as long as those of its method on its data set took on average, on
    the machine of the committed results; on a data set that is not there, as on the others.

    Parameters
    ----------
    paper : str
        The paper whose results are looked up.
    plans : sequence of Plan
        Know the methods' names.
    pending : collection of Cell
        The cells to be computed.
    """
    file = paths.project_dir() / "results" / paper / "cells.csv.gz"
    if not file.exists():
        return None
    rows = pd.read_csv(file, usecols=_COLUMNS).query("status == 'done'")
    known = rows.groupby(["dataset", "method"])["cpu_seconds"].mean().to_dict()
    others = rows.groupby("method")["cpu_seconds"].mean().to_dict()
    names = {m.key: m.name for plan in plans for m in plan.item.methods}
    labels = {d: plan.item.label(d) for plan in plans for d in plan.item.datasets}
    total = 0.0
    for cell in pending:
        method, dataset = names[cell.method], labels[cell.dataset]
        seconds = known.get((dataset, method), others.get(method))
        if seconds is None:
            return None
        total += seconds
    return total
