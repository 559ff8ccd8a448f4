"""Missing cells, grouped into the batches that a worker computes at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from retree.datasets import Dataset
from retree.experiments.compute import Batch, Problem, Table
from retree.experiments.definitions import Method
from retree.experiments.keys import cell_seed
from retree.experiments.plan import Cell, Plan
from retree.experiments.registry import find_estimator, import_estimator


def make_batches(plan: Plan, cells: Iterable[Cell]) -> list[Batch]:
    """Return `cells`, all of `plan`, in batches of the same data set, method and split."""
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in cells:
        place = (cell.dataset, cell.method, cell.repeat, cell.fold, cell.inner)
        groups.setdefault(place, []).append(cell)
    methods = {method.key: method for method in plan.item.methods}
    return [_batch(plan, methods[group[0].method], group) for group in groups.values()]


def make_problem(dataset: Dataset) -> Problem:
    """Return `dataset` as workers see it."""
    X: Table = dataset.X
    if dataset.X.select_dtypes(exclude="number").empty:
        X = np.ascontiguousarray(dataset.X.to_numpy(dtype=np.float64))
    return Problem(X, np.unique(dataset.y.to_numpy(), return_inverse=True)[1].astype(np.intp))


def batch_size(batch: Batch, problems: Mapping[str, Problem]) -> float:
    """Return cells times rows times attributes: how large a batch is, if its speed is unknown."""
    return float(len(batch.keys) * problems[batch.dataset].X.size)


def _batch(plan: Plan, method: Method, cells: Sequence[Cell]) -> Batch:
    first, target = cells[0], find_estimator(str(method.estimator))
    seeded = "random_state" in import_estimator(target)().get_params()
    return Batch(
        dataset=first.dataset,
        method=method.key,
        target=target,
        params=method.params,
        transductive=method.transductive,
        protocol=plan.item.protocol,
        repeat=first.repeat,
        fold=first.fold,
        inner=first.inner,
        points=tuple({**c.params, **({"random_state": _seed(c)} if seeded else {})} for c in cells),
        keys=tuple(cell.key for cell in cells),
    )


def _seed(cell: Cell) -> int:
    return cell_seed(cell.parts, cell.repeat, cell.fold, cell.inner)
