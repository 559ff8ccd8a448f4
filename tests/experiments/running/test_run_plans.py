import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import toy_benchmark
from toy_benchmark import WHOLE, make_datasets, make_experiment, make_plan, run

from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.running.batches import make_batches, make_problem
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store

TIMES = ["fit_seconds", "cpu_seconds"]


def frame_of(plan, path):
    with Store(path, readonly=True) as store:
        frame = results_frame(plan, store).drop(columns=TIMES)
        return frame, [store.predictions(key) for key in frame["key"]]


def assert_equal_results(plan, first, second):
    (frame, predictions), (other, other_predictions) = frame_of(plan, first), frame_of(plan, second)
    assert (frame["status"] == "done").all()
    assert frame.equals(other)
    assert all(map(np.array_equal, predictions, other_predictions))


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The store of an undisturbed run of the benchmark with one job."""
    path = tmp_path_factory.mktemp("reference") / "cells.sqlite"
    run(make_plan(), path)
    return path


def test_accuracy_is_that_of_the_stored_predictions(reference):
    plan = make_plan()
    frame, predictions = frame_of(plan, reference)
    problem = make_problem(make_datasets().loaded["north"])
    first = frame[(frame["dataset"] == "north") & (frame["repeat"] == 0) & (frame["inner"] == -1)]
    points = first[(first["method"] == "grid") & (first["point"] == 4)]
    rows = np.concatenate([predictions[i] for i in points.index])
    # The folds of a repeat cover every row once.
    assert len(rows) == len(problem.y)
    weighted = (points["accuracy"] * points["n_test"]).sum() / points["n_test"].sum()
    assert 0.5 < weighted <= 1
    assert set(rows) <= {0, 1}


@pytest.mark.slow
def test_two_jobs_give_the_same_bits(reference, tmp_path):
    run(make_plan(), tmp_path / "two.sqlite", jobs=2)
    assert_equal_results(make_plan(), reference, tmp_path / "two.sqlite")


def test_order_of_cells_does_not_matter(reference, tmp_path):
    plan = make_plan()
    shuffled = [plan.cells[i] for i in np.random.default_rng(0).permutation(len(plan.cells))]
    for part in (shuffled[:40], shuffled):
        run(replace(plan, cells=part), tmp_path / "shuffled.sqlite")
    assert_equal_results(plan, reference, tmp_path / "shuffled.sqlite")


@pytest.mark.slow
def test_killed_run_goes_on_where_it_was(tmp_path):
    killed, whole = tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    plan = make_plan(make_experiment(wait=0.02))
    script = subprocess.Popen(
        [sys.executable, toy_benchmark.__file__, str(killed), "0.02"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    while not killed.exists() and script.poll() is None:
        time.sleep(0.05)
    while stored(plan, killed) < 5 and script.poll() is None:
        time.sleep(0.02)
    script.send_signal(signal.SIGKILL)
    assert script.wait() == -signal.SIGKILL
    before = stored(plan, killed)
    report = run(plan, killed)
    assert 5 <= before < len(plan.cells)
    assert report.computed == len(plan.cells) - before
    run(plan, whole)
    assert_equal_results(plan, killed, whole)


def stored(plan, path):
    with Store(path, readonly=True) as store:
        return int((results_frame(plan, store)["status"] == "done").sum())


def test_nothing_is_computed_twice(reference):
    assert run(make_plan(), reference).computed == 0


@pytest.mark.parametrize("estimator", ["toy", "toy_grid"])
def test_only_failing_points_fail_and_are_tried_again(estimator, tmp_path):
    experiment = make_experiment()
    item = experiment.items[0]
    method = Method("grid", "Grid", "", estimator, {}, ("depth", "shift"))
    item = replace(item, datasets=("north",), methods=(method,))
    paper = replace(experiment.paper, grid={"depth": [1], "shift": [0.0, -1.0, 0.5]})
    experiment = replace(experiment, paper=paper, items=(item,))
    plan = make_plan(experiment)
    report = run(plan, tmp_path / "cells.sqlite")
    assert {cell.params["shift"] for cell, _ in report.failed} == {-1.0}
    assert all("shift is negative" in error for _, error in report.failed)
    with Store(tmp_path / "cells.sqlite") as store:
        frame = results_frame(plan, store)
    assert frame.groupby("point")["status"].unique().explode().tolist() == [
        "done",
        "failed",
        "done",
    ]
    failed = frame[frame["status"] == "failed"]
    assert set(failed["reason"]) == {"ValueError: shift is negative"}
    assert failed["accuracy"].isna().all()
    assert run(plan, tmp_path / "cells.sqlite").computed == 6


def test_later_success_replaces_a_failure(tmp_path, monkeypatch):
    plan = make_plan(make_experiment())
    path = tmp_path / "cells.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(toy_benchmark.ToyTree, "predict", None)
        assert len(run(plan, path).failed) == len(plan.cells)
    assert run(plan, path).computed == len(plan.cells)
    assert (frame_of(plan, path)[0]["status"] == "done").all()


def test_interrupt_inside_a_kernel_is_an_interrupt(tmp_path, monkeypatch):
    def interrupted(self, X, y):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(toy_benchmark.ToyTree, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(make_plan(make_experiment()), tmp_path / "cells.sqlite")


def test_every_cell_has_a_seed_of_its_own_that_survives_a_new_version(monkeypatch):
    def seeds():
        plan = make_plan()
        batches = make_batches([(plan, plan.cells)])
        return [point["random_state"] for batch in batches for point in batch.points]

    before = seeds()
    assert len(set(before)) == len(before) == len(make_plan().cells)
    for name, registered in toy_benchmark.registry.ESTIMATORS.items():
        raised = replace(registered, version=2)
        monkeypatch.setitem(toy_benchmark.registry.ESTIMATORS, name, raised)
    assert seeds() == before


def test_whole_protocol_keeps_the_tree(tmp_path):
    experiment = make_experiment(WHOLE, vary={"max_depth": [1, 2]})
    method = Method("gini", "Gini", "", "structure_purity", {"criterion": "gini"})
    item = replace(experiment.items[0], datasets=("north",), methods=(method,))
    plan = plan_item(experiment, item, make_datasets())
    run(plan, tmp_path / "cells.sqlite")
    problem = make_problem(make_datasets().loaded["north"])
    with Store(tmp_path / "cells.sqlite") as store:
        for depth, cell in enumerate(plan.cells, start=1):
            tree = store.tree(cell.key)
            predicted = tree.value[tree.apply(problem.X)].argmax(axis=1)
            assert tree.max_depth == depth
            assert np.array_equal(predicted, store.predictions(cell.key))
