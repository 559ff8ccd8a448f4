"""The folds behind a number: results, parameters, predictions, and the same computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError, unknown_name
from retree_lab.commands.run.run_screen import RunProgress
from retree_lab.commands.show.find import Number
from retree_lab.datasets import Dataset
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning.keys import Cell
from retree_lab.experiments.planning.plan import Datasets, Plan
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.experiments.running.batches import make_batches, make_problem
from retree_lab.experiments.running.compute import compute_batch
from retree_lab.experiments.storing.outcomes import StoredCell, unpack_predictions
from retree_lab.experiments.storing.planned import (
    Planned,
    choose_machines,
    machines_of,
    plans_elsewhere,
)
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store
from retree_lab.experiments.verifying.verification import Recomputed, recompute
from retree_lab.reports.selection import Choice, choose
from retree_lab.statistics.metrics import is_nested
from retree_lab.study.registry import make_estimator


@dataclass(frozen=True)
class Folds:
    """The cells behind a number, or the one cell of a key."""

    plan: Plan  # The plan of the number's item
    dataset: Dataset
    rows: pd.DataFrame  # The rows of the results frame that are shown
    choice: Choice | None  # How these were chosen; None if a key was asked for
    stored: Mapping[str, StoredCell]  # What is stored of each cell, by key
    runs: list[dict[str, Any]]  # The runs that computed them

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of `rows`, in their order."""
        by_key = {cell.key: cell for cell in self.plan.cells}
        return [by_key[key] for key in self.rows["key"]]

    def recompute(self, store: Store) -> list[Recomputed]:
        """Compute the cells in this process, and compare them with those in `store`."""
        plan = replace(self.plan, cells=self.cells, replicates=[])
        datasets = Datasets({self.dataset.name: self.dataset}, {})
        return recompute([plan], datasets, store, Execution("here", "loky", 1), RunProgress)

    def parameters(self, cell: Cell) -> dict[str, Any]:
        """Return all parameters that the estimator of a cell is fitted with."""
        (batch,) = make_batches([(self.plan, [cell])])
        estimator = make_estimator(batch.target, batch.params, batch.home)
        parameters: dict[str, Any] = estimator.set_params(**batch.points[0]).get_params(deep=False)
        return parameters

    def predictions(self, cell: Cell, store: Store) -> pd.DataFrame:
        """Return the test rows of a cell by their place in the data set, with both classes.

        Of a regression both are numbers. Predictions that are not stored are computed.
        """
        y, problem = self.dataset.y.to_numpy(), make_problem(self.dataset)
        protocol, place = self.plan.item.protocol.on(self.dataset), (cell.repeat, cell.fold)
        test = split_rows(protocol, problem.y, *place, cell.inner, self.dataset.groups)[1]
        outcome = self._predicted(cell, store)
        predicted = outcome if self.dataset.is_regression else np.take(problem.class_names, outcome)
        return pd.DataFrame({"row": test, "class": y[test], "predicted": predicted})

    def _predicted(self, cell: Cell, store: Store) -> NDArray[Any]:
        stored = self.stored.get(cell.key)
        if stored is not None and stored.outputs is not None:
            return store.predictions(cell.key)
        (batch,) = make_batches([(self.plan, [cell])])
        (outcome,) = compute_batch(make_problem(self.dataset), batch)
        if outcome.error is not None:
            raise RetreeError(f"Cell {cell.key[:16]} failed: {outcome.error.strip()}")
        return unpack_predictions(outcome.predictions or b"")


def find_folds(planned: Planned, number: Number, metric: str, store: Store) -> Folds:
    """Return the folds behind `number`, or the cell that its key names."""
    if number.dataset in planned.datasets.lost:
        raise RetreeError(planned.datasets.lost[number.dataset])
    plan = _plan_of(planned, number, store)
    frame = results_frame(plan, store)
    if number.key is not None:
        rows, choice = frame[frame["key"].str.startswith(number.key)], None
    else:
        chosen = choose(frame, plan.item.chosen_on_test and not is_nested(metric))
        choice = chosen.get((number.dataset, number.method.key))
        if choice is None:
            why = plan.reason(number.dataset, number.method.key) or "no cell is planned for it"
            raise RetreeError(f"{number.method.name} has no number on {number.dataset}: {why}.")
        rows = choice.folds.reset_index()
    stored = store.metrics(list(rows["key"]))
    used = {values.run for values in stored.values()}
    runs = [run for key, run in store.runs().items() if key in used]
    return Folds(plan, planned.datasets.loaded[number.dataset], rows, choice, stored, runs)


def pick(folds: Folds, repeat: int, fold: int) -> Folds:
    """Return one of the folds."""
    rows = folds.rows[(folds.rows["repeat"] == repeat) & (folds.rows["fold"] == fold)]
    if rows.empty:
        valid = [f"{cell.fold} of repeat {cell.repeat}" for cell in folds.cells]
        raise unknown_name("fold", f"{fold} of repeat {repeat}", valid)
    return replace(folds, rows=rows)


def _plan_of(planned: Planned, number: Number, store: Store) -> Plan:
    """Return the plan that has the cell of the number's key, if it has one."""
    (chosen,) = choose_machines(planned, store)
    if number.key is None:
        return chosen
    others = plans_elsewhere(planned, machines_of(store.runs().values()))
    for plan in (chosen, *planned.plans, *others):
        if any(cell.key.startswith(number.key) for cell in plan.cells):
            return plan
    raise RetreeError(
        f"The committed cell {number.key} of {number.method.name} on {number.dataset} does not "
        "match the present configuration, data and versions: render it again with retree report."
    )
