"""How long cells will take, by those that were computed before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from retree.experiments.planning.plan import Cell, Datasets
from retree.experiments.storing.exports import read_export
from retree.experiments.storing.planned import Planned
from retree.experiments.storing.store import Store

# By data set and method: mean seconds of a fit, and mean rows times features.
Times = Mapping[tuple[str, str], tuple[float, float]]


@dataclass(frozen=True)
class Expected:
    """How long cells will take.

    Attributes
    ----------
    seconds : float
        Sum over the cells whose time is known, one after the other.
    unknown : int
        Number of the others.
    """

    seconds: float
    unknown: int


class Speed:
    """Expected seconds of a cell, by the cells of its method that were computed before.

    Those in the store count first, then those that are committed with the paper's results.

    Parameters
    ----------
    store : Store
        Where they are stored.
    datasets : Datasets
        The data sets of the plan.
    planned : Planned, optional
        Knows where cells are committed, and under which published names of methods.
    """

    def __init__(self, store: Store, datasets: Datasets, planned: Planned | None = None) -> None:
        self._stored, self._planned = store.speeds(), planned
        self._sizes = {name: dataset.X.size for name, dataset in datasets.loaded.items()}

    def seconds(self, dataset: str, method: str) -> float | None:
        """Return the expected seconds of one cell, None if no cell of `method` is known.

        On a data set that is new to the method, the others' times are scaled by rows x features.
        """
        pair = (dataset, method)
        if known := self._stored.get(pair) or self._committed.get(pair):
            return known[0]
        for times in (self._stored, self._committed):
            if others := [found for (_, name), found in times.items() if name == method]:
                total, size = (sum(column) for column in zip(*others, strict=True))
                return total / size * self._sizes[dataset]
        return None

    def expect(self, cells: Iterable[Cell]) -> Expected:
        """Return how long `cells` will take."""
        found = [self.seconds(cell.dataset, cell.method) for cell in cells]
        known = [seconds for seconds in found if seconds is not None]
        return Expected(sum(known), len(found) - len(known))

    @cached_property
    def _committed(self) -> Times:
        planned = self._planned
        if planned is None or planned.experiment.committed is None:
            return {}
        export = read_export(planned.experiment.committed / planned.experiment.paper.name)
        if export.done.empty:
            return {}
        numbers = {
            n: pd.to_numeric(export.done[n]) for n in ("fit_seconds", "n_train", "n_features")
        }
        rows = export.done[["dataset", "method"]].assign(
            seconds=numbers["fit_seconds"], size=numbers["n_train"] * numbers["n_features"]
        )
        names: dict[str, set[str]] = {}
        for method in (method for plan in planned.plans for method in plan.item.methods):
            names.setdefault(method.key, set()).add(method.name)
        return {
            (str(dataset), key): (float(seconds), float(size))
            for key, some in names.items()
            for dataset, seconds, size in rows[rows["method"].isin(some)]
            .groupby("dataset")[["seconds", "size"]]
            .mean()
            .itertuples()
        }
