"""Missing cells, grouped into the batches that a worker computes at once."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from retree_lab.datasets import Dataset
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.keys import Cell, canonical, protocol_text, seed_names
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.running.compute import Batch, Data, Problem, Table
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import inner_targets


class _Task(NamedTuple):
    """A cell and what its plan says of it."""

    cell: Cell
    method: Method
    protocol: Protocol
    scores: tuple[str, ...]

    @property
    def target(self) -> str:
        """The estimator, as ``module:Class``."""
        return self.method.registered.target

    @property
    def params(self) -> dict[str, Any]:
        """All parameters, the fixed and the varied ones."""
        return {**self.method.params, **self.cell.params}

    @property
    def common(self) -> tuple[str, ...] | None:
        """The parameters that cells must agree in to be of one batch, whatever their methods."""
        estimator = import_estimator(self.target)
        return None if self.protocol.timed else getattr(estimator, "grown_together", None)


def make_batches(
    pending: Iterable[tuple[Plan, Iterable[Cell]]],
    scores: Mapping[str, Collection[str]] | None = None,
) -> list[Batch]:
    """Return cells, each beside its plan, in batches of the same data set, method and split.

    An estimator may name, in the class attribute ``grown_together``, the parameters that its
    expensive part depends on. Its cells of one data set and split that agree in these are one
    batch, of whatever methods and plans they are, unless they are timed.
    `scores` are the other metrics that a cell is asked for, by its key.
    """
    groups: dict[Hashable, list[_Task]] = {}
    for number, (plan, cells) in enumerate(pending):
        methods = {method.key: method for method in plan.item.methods}
        for cell in cells:
            asked = (scores or {}).get(cell.key, ())
            task = _Task(cell, methods[cell.method], plan.item.protocol, tuple(asked))
            groups.setdefault(_place(number, task), []).append(task)
    return [_batch(group) for group in groups.values()]


def make_problem(dataset: Dataset) -> Problem:
    """Return `dataset` as workers see it."""
    X: Table = dataset.X
    if dataset.X.select_dtypes(exclude="number").empty:
        X = np.ascontiguousarray(dataset.X.to_numpy(dtype=np.float64))
    if dataset.is_regression:
        numbers = dataset.y.to_numpy(np.float64)
        return Problem(X, numbers, name=dataset.name, groups=dataset.groups)
    declared = pd.Categorical(dataset.y)
    codes = declared.codes.astype(np.intp)
    # Classes that the data set does not declare are those that training rows have.
    n_classes = len(declared.categories) if isinstance(dataset.y.dtype, pd.CategoricalDtype) else 0
    names = tuple(map(str, declared.categories))
    return Problem(X, codes, dataset.test_rows, n_classes, dataset.name, dataset.groups, names)


def batch_size(batch: Batch, problems: Mapping[Data, Problem]) -> float:
    """Return cells times rows times features: how large a batch is, if its speed is unknown."""
    return float(len(batch.keys) * problems[batch.data].X.size)


def _place(number: int, task: _Task) -> Hashable:
    """Return the data that all cells of a batch share; `number` counts the plans."""
    cell, params = task.cell, task.params
    split = cell.data, cell.repeat, cell.fold, cell.inner
    if task.common is None:
        return *split, number, cell.method
    common = canonical({name: params.get(name) for name in task.common})
    protocol = protocol_text(task.protocol, cell.inner)
    return *split, protocol, task.target, task.method.transductive, common, task.method.limits


def _batch(tasks: Sequence[_Task]) -> Batch:
    cell, method, protocol, _ = tasks[0]
    params = method.params
    if tasks[0].common is not None:
        # An estimator inside, in which they agree, is made with the one that has it.
        params = {name: value for name, value in params.items() if any(inner_targets(value))}
    return Batch(
        data=cell.data,
        method=method.key,
        target=tasks[0].target,
        params=params,
        home=method.home,
        scores=tuple(sorted({name for task in tasks for name in task.scores})),
        limits=method.limits,
        transductive=method.transductive,
        protocol=protocol,
        repeat=cell.repeat,
        fold=cell.fold,
        inner=cell.inner,
        points=tuple(_point(task, params) for task in tasks),
        keys=tuple(t.cell.key for t in tasks),
    )


def _point(task: _Task, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a cell that its batch does not say already, and its seed."""
    point = {n: v for n, v in task.params.items() if n not in shared or n in task.cell.params}
    return point | _seed(task)


def _seed(task: _Task) -> dict[str, int]:
    """Return the parameters that get the cell's seed, if it has one of its own."""
    seed = task.cell.parts.seed
    return {} if seed is None else dict.fromkeys(seed_names(task.method, task.cell.params), seed)
