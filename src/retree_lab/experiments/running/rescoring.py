"""Metrics of cells that are stored already, from their stored predictions and probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from retree_lab.experiments.planning.cell import Cell
from retree_lab.experiments.planning.needed_data import Datasets
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.experiments.running.batches import make_problem
from retree_lab.experiments.running.compute import Problem
from retree_lab.experiments.running.responses import recall_responses, score_responses
from retree_lab.experiments.storing.pending import lacking_scores, scores_asked
from retree_lab.experiments.storing.store import Store


def score_stored(plans: Sequence[Plan], datasets: Datasets, store: Store) -> int:
    """Store the metrics that done cells of `plans` lack, and return of how many cells.

    No estimator is fitted: a cell stays as it is if what a metric needs is not stored.
    """
    asked = scores_asked(plans)
    lacking = {
        key: names
        for key, values in store.metrics(list(asked)).items()
        if values.error is None
        and values.outputs is not None
        and (names := lacking_scores(values, asked[key]))
    }
    cells = {c.key: (plan, c) for plan in plans for c in plan.every if c.key in lacking}
    data = {cell.data for _, cell in cells.values()}
    problems = {found: make_problem(datasets.find(*found)) for found in data}
    scored = {
        key: _score(plan, cell, lacking[key], problems[cell.data], store)
        for key, (plan, cell) in cells.items()
    }
    return store.add_scores({key: scores for key, scores in scored.items() if scores})


def _score(
    plan: Plan, cell: Cell, names: Sequence[str], problem: Problem, store: Store
) -> dict[str, float]:
    """Return the metrics called `names` of a stored cell; none if one needs what is not stored."""
    protocol, y = plan.item.protocol.on(problem), problem.y
    test = split_rows(protocol, y, cell.repeat, cell.fold, cell.inner, problem.groups)[1]
    home = next(method.home for method in plan.item.methods if method.key == cell.method)
    responses = recall_responses(store.predictions(cell.key), store.probabilities(cell.key))
    try:
        return score_responses(responses, y[test], names, home)
    except AttributeError:
        return {}
