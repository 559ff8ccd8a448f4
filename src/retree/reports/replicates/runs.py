"""The numbers of each run of a protocol, from which one knows how much of a number is chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.replicates.cells import replicate_cells
from retree.reports.selection import Choices
from retree.statistics.intervals import Prediction, predict
from retree.statistics.metrics import Kind, find_metric

# A standard deviation of two numbers says nothing.
FEWEST = 3
COLUMNS = ("accuracy", "depth", "leaves", "nodes")


@dataclass(frozen=True)
class Run:
    """What each run gave for a method on a data set, in one metric.

    Attributes
    ----------
    metric : str
    means, stds : ndarray of shape (n_runs,)
        Mean and sample standard deviation over the folds of each run, the first one first.
    averaged : int
        How many such numbers one published run is the mean of: 1, or the protocol's repeats, which
        then take the place of runs.
    """

    metric: str
    means: NDArray[np.float64]
    stds: NDArray[np.float64]
    averaged: int

    @property
    def is_size(self) -> bool:
        """Whether the numbers are sizes, which vary by factors."""
        return find_metric(self.metric).kind == Kind.SIZE

    @property
    def n_replicates(self) -> int:
        """How often the whole protocol was run."""
        return len(self.means) // self.averaged

    @property
    def prediction(self) -> Prediction:
        """What is expected of one more run."""
        return predict(self.means, self.averaged, self.is_size)


@dataclass(frozen=True)
class Runs:
    """The runs of an item.

    Attributes
    ----------
    cells : dict of (str, str) to DataFrame
        Data set and key of a method: the outer cells that stand for each complete run, with the
        column ``run``.
    averaged : int
        As in `Run`.
    """

    cells: Mapping[tuple[str, str], pd.DataFrame]
    averaged: int = 1

    def find(self, dataset: str, method: str, metric: str) -> Run | None:
        """Return the runs of a method (its key) on a data set, None if there are too few.

        Of times, and of what is no metric of cells, there are none.
        """
        measure, rows = find_metric(metric), self.cells.get((dataset, method))
        if rows is None or measure.column not in COLUMNS:
            return None
        by_run = measure.of(rows).groupby(rows["run"])
        means = by_run.mean().to_numpy(dtype=np.float64)
        if len(means) < FEWEST or np.isnan(means).any():
            return None
        spreads = np.asarray(by_run.std(ddof=1), dtype=np.float64)
        return Run(metric, means, spreads, self.averaged)


def find_runs(plan: Plan, best: Choices, store: Store | None) -> Runs:
    """Return the runs of an item: its replicates, or else the repeats of its protocol.

    Parameters
    ----------
    plan : Plan
        The item's plan.
    best : dict
        What stands for the first run, as from `retree.reports.selection.best_test`.
    store : Store or None
        Where the other replicates are, if there are any.
    """
    protocol = plan.item.protocol
    if protocol.replicates == 1 and protocol.repeats == 1:
        return Runs({})
    tables = [choice.folds.reset_index() for choice in best.values() if not choice.folds.empty]
    if protocol.replicates > 1 and store is not None:
        tables.append(replicate_cells(plan, store))
    cells = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    if cells.empty:
        return Runs({})
    length, averaged = (protocol.repeats, 1) if protocol.replicates > 1 else (1, protocol.repeats)
    cells = cells.assign(run=cells["repeat"] // length)
    pairs = cells.groupby(["dataset", "method"], sort=False)
    return Runs({(str(d), str(m)): rows for (d, m), rows in pairs}, averaged)
