from collections import Counter
from dataclasses import replace

import pytest
from toy_benchmark import CV, WHOLE, make_datasets, make_experiment, make_plan

from retree_lab.experiments.planning import plan as planning
from retree_lab.experiments.planning.plan import Datasets, plan_item
from retree_lab.study import registry


def count(plan, **wanted):
    return sum(all(getattr(c, name) == v for name, v in wanted.items()) for c in plan.cells)


def test_outer_cells_are_folds_times_points():
    plan = make_plan(make_experiment())
    assert count(plan, method="grid", dataset="north") == 6 * 6
    assert count(plan, method="plain", dataset="north") == 6
    assert count(plan, inner=-1) == len(plan.cells)


def test_nested_selection_plans_inner_cells_of_tuned_methods_only():
    plan = make_plan(make_experiment(select=["best_test", "nested"]))
    assert count(plan, method="grid", dataset="north") == 6 * 6 * 3
    assert count(plan, method="plain", dataset="north") == 6


def test_no_inner_folds_no_inner_cells():
    plan = make_plan(make_experiment(replace(CV, inner_folds=0), select=["best_test", "nested"]))
    assert count(plan, inner=-1) == len(plan.cells)


def test_grid_order_is_first_name_slowest():
    plan = make_plan(make_experiment())
    points = {c.point: dict(c.params) for c in plan.cells if c.method == "grid"}
    assert [points[i] for i in range(3)] == [
        {"depth": 1, "shift": 0.0},
        {"depth": 1, "shift": 0.5},
        {"depth": 2, "shift": 0.0},
    ]


def test_vary_takes_the_place_of_the_grid():
    plan = make_plan(make_experiment(WHOLE, vary={"depth": [1, 2]}))
    assert [dict(c.params) for c in plan.cells if c.dataset == "north"] == [
        {"depth": 1},
        {"depth": 2},
    ] * 2


def test_keys_are_unique_and_reproducible():
    keys = [c.key for c in make_plan().cells]
    assert len(set(keys)) == len(keys)
    assert keys == [c.key for c in make_plan().cells]


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        ({"name": "other"}, False),
        ({"repeats": 5}, False),
        ({"inner_folds": 4}, False),
        ({"seed": 1}, True),
        ({"stratified": False}, True),
    ],
)
def test_only_what_decides_the_outer_split_moves_outer_keys(change, moved):
    before = make_plan(make_experiment()).cells[0].key
    after = make_plan(make_experiment(replace(CV, **change))).cells[0].key
    assert (before != after) == moved


def test_inner_keys_depend_on_the_number_of_inner_folds():
    plans = [
        make_plan(make_experiment(replace(CV, inner_folds=n), select=["best_test", "nested"]))
        for n in (2, 3)
    ]
    first, second = ({c.key for c in plan.cells if c.inner >= 0} for plan in plans)
    assert not first & second


def test_a_version_moves_only_the_keys_of_its_estimator(monkeypatch):
    before = {c.key: c.method for c in make_plan().cells}
    raised = replace(registry.ESTIMATORS["toy_grid"], version=2)
    monkeypatch.setitem(registry.ESTIMATORS, "toy_grid", raised)
    stays = before.keys() & {c.key for c in make_plan().cells}
    assert {before[key] for key in stays} == {"plain"}


def test_holes_have_reasons():
    experiment = make_experiment()
    item = experiment.items[0]
    lost = replace(item.methods[1], missing="not written yet")
    datasets = Datasets({"north": make_datasets().loaded["north"]}, {"south": "no network"})
    plan = plan_item(experiment, replace(item, methods=(item.methods[0], lost)), datasets)
    assert plan.unavailable == {"south": "no network", "plain": "not written yet"}
    assert {(c.dataset, c.method) for c in plan.cells} == {("north", "grid")}


def test_items_that_share_data_and_protocol_are_checked_once(monkeypatch):
    experiment, datasets, made = make_experiment(), make_datasets(), {}
    calls = Counter()
    for name in ("split_rows", "make_estimator"):
        function = getattr(planning, name)

        def counted(*args, _name=name, _function=function, **options):
            calls[_name] += 1
            return _function(*args, **options)

        monkeypatch.setattr(planning, name, counted)
    (item,) = experiment.items
    plan_item(experiment, item, datasets, made)
    n_splits = calls["split_rows"]
    plan_item(experiment, item, datasets, made)
    # An estimator says what it takes once per item, whatever the number of data sets.
    assert len(datasets.loaded) > 1
    assert calls == {"split_rows": n_splits, "make_estimator": 2 * len(item.methods)}
