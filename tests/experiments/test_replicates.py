"""Replicates: planned beside the protocol's cells, exported as their chosen points, restored."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from toy_benchmark import CV, make_datasets, make_experiment, make_plan, run

from retree.errors import RetreeError
from retree.experiments import config
from retree.experiments.exports import read_export
from retree.experiments.machines import Planned
from retree.experiments.pending import pending_cells
from retree.experiments.plan import plan_item
from retree.experiments.restore import open_store
from retree.experiments.results import results_frame
from retree.experiments.store import Store
from retree.reports.cells import write_cells
from retree.reports.provenance import write_provenance
from retree.reports.replicates.cells import replicate_cells
from retree.reports.selection import best_test

FOUR = replace(CV, replicates=4)


def test_the_first_replicate_is_the_protocol_and_the_others_its_further_repeats():
    alone, plan = (make_plan(make_experiment(p, select=["nested"])) for p in (CV, FOUR))
    assert plan.cells == alone.cells
    assert len(plan.further) == 3 * sum(cell.inner == -1 for cell in plan.cells)
    assert {cell.repeat for cell in plan.further} == set(range(2, 8))
    longer = make_plan(make_experiment(replace(CV, repeats=8)))
    assert {cell.key for cell in plan.further} < {cell.key for cell in longer.cells}


def test_a_data_set_may_have_fewer_replicates():
    plan = make_plan(make_experiment(FOUR, replicates_of={"south": 2}))
    repeats = {(c.dataset, c.repeat) for c in plan.further}
    assert {repeat for name, repeat in repeats if name == "south"} == {2, 3}
    assert {repeat for name, repeat in repeats if name == "north"} == set(range(2, 8))


@pytest.mark.parametrize(
    "change", [{"alone": True}, {"shuffle": False}, {"folds": 1}, {"replicates": 0}]
)
def test_replicates_that_could_not_differ_are_refused(change):
    content = {**vars(CV), "replicates": 2, **change}
    with pytest.raises(RetreeError, match="replicates"):
        config._protocol(content)


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """An experiment whose cells are all stored and committed, and its plan."""
    from toy_benchmark import register

    register()
    folder = tmp_path_factory.mktemp("replicates")
    experiment = replace(
        make_experiment(FOUR),
        results=folder / "results",
        committed=folder / "results",
        store=folder / "clone.sqlite",
    )
    plan = make_plan(replace(experiment, committed=None))
    run(plan, folder / "origin.sqlite")
    with Store(folder / "origin.sqlite") as store:
        entries = [(plan, results_frame(plan, store))]
        chosen = replicate_cells(plan, store)
        write_cells(experiment, entries, [(plan, chosen)], store)
        write_provenance(experiment, [*entries, (plan, chosen)], store)
        whole = results_frame(replace(plan, cells=plan.further), store)
    return experiment, chosen, whole


def test_each_replicate_chooses_for_itself_as_one_run_does(origin):
    _, chosen, whole = origin
    for replicate in (1, 2, 3):
        best = best_test(whole[whole["repeat"] // 2 == replicate])
        for (dataset, method), choice in best.items():
            rows = chosen[(chosen["dataset"] == dataset) & (chosen["method"] == method)]
            rows = rows[rows["replicate"] == replicate]
            assert sorted(rows["key"]) == sorted(choice.folds["key"])


def test_a_clone_needs_only_what_is_committed_and_finds_the_same(origin):
    experiment, chosen, _ = origin
    plan = plan_item(experiment, experiment.items[0], make_datasets())
    assert {cell.key for cell in plan.further} == set(chosen["key"])
    planned = Planned(experiment, make_datasets(), [plan])
    with open_store(planned, Console(file=io.StringIO())) as store:
        assert pending_cells([plan], store) == []
        again = replicate_cells(plan, store)
        write_cells(experiment, [(plan, results_frame(plan, store))], [(plan, again)], store)
    assert again.drop(columns=["fit_seconds", "cpu_seconds"]).equals(
        chosen.drop(columns=["fit_seconds", "cpu_seconds"])
    )
    assert set(read_export(experiment.results / "toy").chosen) >= {("north", "Grid", 2)}


def test_another_grid_is_planned_whole(origin):
    experiment, chosen, _ = origin
    paper = replace(experiment.paper, grid={"depth": [1, 2, 3, 4], "shift": [0.0, 0.5]})
    plan = plan_item(replace(experiment, paper=paper), experiment.items[0], make_datasets())
    assert len(plan.further) == 2 * 3 * 6 * (8 + 1)
    assert {cell.key for cell in plan.further if cell.method == "plain"} < set(chosen["key"])
