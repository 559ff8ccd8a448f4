"""Replicates: planned beside the protocol's cells, exported as their chosen points, restored."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace

import pytest
from rich.console import Console
from toy_benchmark import (
    CV,
    ToyTree,
    make_dataset,
    make_datasets,
    make_experiment,
    make_plan,
    run,
)

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.definition.protocol_config import read_protocol
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing.planned import Planned, plan_with_committed
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.status import pending_cells
from retree_lab.experiments.storing.store import Store, open_store
from retree_lab.experiments.verifying.verification import Grade, recompute
from retree_lab.reports.cells import cell_tables, provenance_content, write_cells, write_provenance
from retree_lab.reports.kinds import Context
from retree_lab.reports.runs import replicate_cells
from retree_lab.reports.selection import best_test, nested

FOUR = replace(CV, replicates=4)


def test_the_first_replicate_is_the_protocol_and_the_others_its_further_repeats():
    alone, plan = (
        make_plan(make_experiment(p, select=["best_test", "nested"])) for p in (CV, FOUR)
    )
    assert plan.cells == alone.cells
    assert len(plan.replicates) == 3 * sum(cell.inner == -1 for cell in plan.cells)
    assert {cell.repeat for cell in plan.replicates} == set(range(2, 8))
    longer = make_plan(make_experiment(replace(CV, repeats=8)))
    assert {cell.key for cell in plan.replicates} < {cell.key for cell in longer.cells}


def drawn_anew(**options):
    """Return the datasets of the benchmark, of which each replicate draws "north" anew."""
    draws = [make_dataset("north", seed) for seed in (11, 12, 13)]
    return replace(make_datasets(), draws={"north": draws})


def test_each_replicate_has_its_own_draw_of_a_data_set_that_is_drawn_anew():
    experiment, datasets = make_experiment(FOUR), drawn_anew()
    plan = plan_item(experiment, experiment.items[0], datasets)
    same = make_plan(make_experiment(FOUR))
    assert plan.cells == same.cells
    data = {(c.dataset, c.repeat // 2, c.parts.data) for c in plan.replicates}
    drawn = {("north", i + 1, draw.sha256) for i, draw in enumerate(datasets.draws["north"])}
    assert data == drawn | {("south", i, "south-2") for i in (1, 2, 3)}


def test_cells_of_a_draw_are_computed_on_its_rows(tmp_path):
    experiment, datasets = make_experiment(FOUR), drawn_anew()
    plan = plan_item(experiment, experiment.items[0], datasets)
    cell = next(c for c in plan.replicates if (c.dataset, c.repeat, c.fold) == ("north", 4, 1))
    draw = datasets.find(*cell.data)
    assert draw is datasets.draws["north"][1]
    with Store(tmp_path / "cells.sqlite") as store:
        only = replace(plan, cells=[cell], replicates=[])
        run_plans([only], datasets, store, Execution("local", "loky", 1))
        stored = store.predictions(cell.key)
        train, test = split_rows(FOUR, draw.y.to_numpy(), cell.repeat, cell.fold)
        params = {**experiment.items[0].methods[0].params, **cell.params}
        tree = ToyTree(**params, random_state=cell.parts.seed)
        X = draw.X.to_numpy()
        codes = (draw.y == "yes").to_numpy(int)
        assert list(stored) == list(tree.fit(X[train], codes[train]).predict(X[test]))
        (again,) = recompute([only], datasets, store, Execution("local", "loky", 1))
        assert again.difference.grade == Grade.EQUAL


def test_a_data_set_may_have_fewer_replicates():
    plan = make_plan(make_experiment(FOUR, replicates_of={"south": 2}))
    repeats = {(c.dataset, c.repeat) for c in plan.replicates}
    assert {repeat for name, repeat in repeats if name == "south"} == {2, 3}
    assert {repeat for name, repeat in repeats if name == "north"} == set(range(2, 8))


@pytest.mark.parametrize(
    "change", [{"timed": True}, {"shuffle": False}, {"folds": 1}, {"replicates": 0}]
)
def test_replicates_that_could_not_differ_are_refused(change):
    content = {**vars(CV), "arguments": {}, "replicates": 2, **change}
    with pytest.raises(RetreeError, match="replicates"):
        read_protocol(content)


def test_the_first_replicates_may_select_inside_the_training_folds_too():
    plan = make_plan(make_experiment(FOUR, select=["best_test", "nested"], nested_replicates=3))
    inner = Counter(cell.repeat for cell in plan.replicates if cell.inner != -1)
    assert inner == dict.fromkeys(range(2, 6), 2 * 3 * 2 * 6)
    fewer = {"nested_replicates": 3, "replicates_of": {"south": 2}}
    plan = make_plan(make_experiment(FOUR, select=["best_test", "nested"], **fewer))
    inner = {(cell.dataset, cell.repeat) for cell in plan.replicates if cell.inner != -1}
    assert inner == {("north", repeat) for repeat in range(2, 6)} | {("south", 2), ("south", 3)}


@pytest.fixture(
    scope="module", params=[{}, {"select": ["best_test", "nested"], "nested_replicates": 3}]
)
def origin(request, tmp_path_factory):
    """An experiment whose cells are all stored and committed, and its plan."""
    from toy_benchmark import register

    register()
    folder = tmp_path_factory.mktemp("replicates")
    experiment = replace(
        make_experiment(FOUR, **request.param),
        results=folder / "results",
        committed=folder / "results",
        store=folder / "clone.sqlite",
    )
    plan = make_plan(replace(experiment, committed=None))
    run(plan, folder / "origin.sqlite")
    with Store(folder / "origin.sqlite") as store:
        entries = [(plan, results_frame(plan, store))]
        cells = replicate_cells(plan, store)
        write_cells(experiment, cell_tables(entries, [(plan, cells.every)], store))
        write_provenance(experiment, provenance_content([*entries, (plan, cells.every)], store))
        whole = results_frame(replace(plan, cells=plan.replicates), store)
    return experiment, cells, whole


def test_each_replicate_chooses_for_itself_as_one_run_does(origin):
    experiment, cells, whole = origin
    for replicate in (1, 2, 3):
        rows = whole[whole["repeat"] // 2 == replicate]
        best = best_test(rows)
        honest = nested(rows, best) if replicate < experiment.items[0].nested_replicates else {}
        for choices, frame in ((best, cells.best), (honest, cells.nested)):
            ours = frame[frame["replicate"] == replicate]
            chosen = [key for choice in choices.values() for key in choice.folds["key"]]
            assert sorted(ours["key"]) == sorted(chosen)


def test_a_clone_needs_only_what_is_committed_and_finds_the_same(origin):
    experiment, cells, _ = origin
    plan = plan_with_committed(experiment, experiment.items[0], make_datasets())
    assert {cell.key for cell in plan.replicates} == set(cells.every["key"])
    planned = Planned(experiment, make_datasets(), [plan])
    with open_store(planned.experiment, Console(file=io.StringIO()), readonly=False) as store:
        assert pending_cells([plan], store) == []
        again = replicate_cells(plan, store)
        write_cells(
            experiment,
            cell_tables([(plan, results_frame(plan, store))], [(plan, again.every)], store),
        )
    for name in ("best", "nested", "every"):
        here, there = (
            getattr(some, name).drop(columns=["fit_seconds", "cpu_seconds"])
            for some in (again, cells)
        )
        assert here.reset_index(drop=True).equals(there.reset_index(drop=True))
    with open_store(experiment) as store:
        chosen = store.committed.chosen(experiment.results / "toy").chosen
    assert set(chosen) >= {("north", "Grid", 2, 0)}


def test_optimism_is_a_mean_over_the_runs_that_choose_both_ways(origin):
    experiment, _, whole = origin
    plan = plan_with_committed(experiment, experiment.items[0], make_datasets())
    with open_store(experiment, Console(quiet=True), readonly=False) as store:
        first = results_frame(plan, store)
        context = Context(experiment, plan, first, store)
        runs, honest = context.runs, context.nested_runs
        found = runs.find_optimism(honest, "north", "grid")
    if "nested" not in plan.item.select:
        assert found is None
        return
    expected = []
    for rows in (first, *(whole[whole["repeat"] // 2 == replicate] for replicate in (1, 2))):
        best = best_test(rows)
        choices = best, nested(rows, best)
        ours, theirs = (some["north", "grid"].folds["accuracy"].mean() for some in choices)
        expected.append(ours - theirs)
    assert found.means == pytest.approx(expected)
    assert found.n_replicates == 3
    assert runs.find("north", "grid", "accuracy").n_replicates == 4


def test_another_grid_is_planned_whole(origin):
    experiment, cells, _ = origin
    paper = replace(experiment.paper, grid={"depth": [1, 2, 3, 4], "shift": [0.0, 0.5]})
    plan = plan_with_committed(
        replace(experiment, paper=paper), experiment.items[0], make_datasets()
    )
    assert sum(cell.inner == -1 for cell in plan.replicates) == 2 * 3 * 6 * (8 + 1)
    plain = {cell.key for cell in plan.replicates if cell.method == "plain"}
    assert plain < set(cells.best["key"])


def test_a_nested_selection_that_is_not_committed_is_planned_whole(origin):
    experiment, *_ = origin
    item = replace(experiment.items[0], select=("best_test", "nested"), nested_replicates=4)
    plan = plan_with_committed(experiment, item, make_datasets())
    last = [cell for cell in plan.replicates if cell.repeat >= 6 and cell.method == "grid"]
    assert len(last) == 2 * 2 * 3 * 6 * (1 + CV.inner_folds)
