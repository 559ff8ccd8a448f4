"""Which cells are computed at once: those of one method, and those that grow the same forest."""

from __future__ import annotations

from dataclasses import replace

import pytest
import toy_benchmark
from toy_benchmark import CV, make_datasets, make_experiment, make_plan

from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.grids import grid_points
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.running.batches import make_batches, make_problem
from retree_lab.experiments.running.compute import compute_batch, fit_points
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing.store import Store
from retree_lab.study import registry

FIT = []


class ToyForest(toy_benchmark.ToyGrid):
    """Its expensive part depends on the seed and on `wait` alone."""

    grown_together = ("random_state", "wait")

    def fit_grid(self, X, y, points):
        FIT.append(len(points))
        return super().fit_grid(X, y, points)


@pytest.fixture(autouse=True)
def forests():
    toy_benchmark.ToyForest = ToyForest
    registry.ESTIMATORS["toy_forest"] = registry.Registered("toy_benchmark:ToyForest")
    FIT.clear()
    yield
    del toy_benchmark.ToyForest


def forest_methods():
    one = Method("one", "One", "", "toy_forest", {"depth": 1, "random_state": 1})
    two = Method("two", "Two", "", "toy_forest", {"depth": 2, "random_state": 1})
    other = Method("other", "Other", "", "toy_forest", {"depth": 1, "random_state": 2})
    return one, two, other


def forest_plans(protocol=CV):
    """Return a plan of three methods, and one of two that varies what they have in common."""
    experiment = make_experiment(protocol)
    first = replace(experiment.items[0], methods=forest_methods())
    second = replace(first, methods=forest_methods()[:1], vary={"depth": [1, 3]})
    return [plan_item(experiment, item, make_datasets()) for item in (first, second)]


def batches_of(plans):
    return make_batches((plan, plan.cells) for plan in plans)


def test_cells_of_other_estimators_share_a_batch_within_their_method_only():
    plan = make_plan()
    batches = batches_of([plan, plan])
    assert sum(len(batch.keys) for batch in batches) == 2 * len(plan.cells)
    assert {len(batch.keys) for batch in batches if batch.method == "grid"} == {6}
    assert {len(batch.keys) for batch in batches if batch.method == "plain"} == {1}
    assert all(batch.params for batch in batches)


def test_cells_that_grow_the_same_share_a_batch_over_methods_and_plans():
    plans = forest_plans()
    batches = batches_of(plans)
    # Two sets, two repeats, three folds, two seeds.
    assert len(batches) == 2 * 2 * 3 * 2
    by_seed = {batch.points[0]["random_state"]: batch for batch in batches}
    assert [point["depth"] for point in by_seed[1].points] == [1, 2, 1, 3]
    assert [point["depth"] for point in by_seed[2].points] == [1]
    assert sorted(key for batch in batches for key in batch.keys) == sorted(
        cell.key for plan in plans for cell in plan.cells
    )


def test_other_splits_and_cells_for_times_are_not_shared():
    one, other = (forest_plans(protocol)[0] for protocol in (CV, replace(CV, seed=1)))
    assert len(batches_of([one, other])) == 2 * len(batches_of([one]))
    alone = forest_plans(replace(CV, timed=True))
    assert all(len(batch.keys) <= 2 for batch in batches_of(alone))


def test_a_fixed_seed_is_the_one_that_is_used():
    plans = forest_plans()
    assert {p["random_state"] for b in batches_of(plans) for p in b.points} == {1, 2}
    plan = make_plan()
    seeds = {
        key: point["random_state"]
        for batch in batches_of([plan])
        for key, point in zip(batch.keys, batch.points, strict=True)
    }
    for cell in plan.cells:
        assert seeds[cell.key] == cell.parts.seed


def test_a_shared_batch_gives_what_single_fits_give():
    plans = forest_plans()
    batch = next(b for b in batches_of(plans) if len(b.keys) == 4)
    problem = make_problem(make_datasets().loaded[batch.data[0]])
    outcomes = compute_batch(problem, batch)
    assert [o.key for o in outcomes] == list(batch.keys)
    for outcome, point, key in zip(outcomes, batch.points, batch.keys, strict=True):
        single = replace(batch, points=(point,), keys=(key,))
        assert compute_batch(problem, single)[0].accuracy == outcome.accuracy
        (fitted,) = fit_points(single, problem.X, problem.y, problem.X)
        assert fitted.depth == point["depth"]


def test_a_run_grows_once_what_items_have_in_common(tmp_path):
    plans = forest_plans()
    with Store(tmp_path / "cells.sqlite") as store:
        report = run_plans(plans, make_datasets(), store, Execution("local", "loky", 1))
        assert report.failed == []
        # The cells of the first point are the same in both items.
        distinct = {cell.key for plan in plans for cell in plan.cells}
        assert (report.planned, report.computed) == (len(distinct), len(distinct))
        again = run_plans(plans, make_datasets(), store, Execution("local", "loky", 1))
    assert again.computed == 0
    assert FIT.count(3) >= 2 * 2 * 3


def test_vary_may_be_a_list_of_points():
    points = [{}, {"depth": 3}, {"depth": 1, "wait": 0.0}]
    experiment = make_experiment(vary=points)
    item = experiment.items[0]
    assert grid_points(item.methods[1], item, {}) == points
    plan = plan_item(experiment, item, make_datasets())
    assert {(c.point, tuple(c.params)) for c in plan.cells} == {
        (0, ()), (1, ("depth",)), (2, ("depth", "wait"))
    }  # fmt: skip
