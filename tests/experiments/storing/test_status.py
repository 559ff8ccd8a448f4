from dataclasses import replace

import pytest
from toy_benchmark import CV, make_dataset, make_datasets, make_experiment, make_plan, run

from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.plan import Datasets, plan_item
from retree_lab.experiments.storing.status import Speed, plan_status
from retree_lab.experiments.storing.store import Store
from retree_lab.study import registry


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cells.sqlite"
    run(make_plan(make_experiment()), path)
    return path


def status_of(path, experiment, datasets=None):
    datasets = datasets or make_datasets()
    plan = plan_item(experiment, experiment.items[0], datasets)
    with Store(path, readonly=True) as store:
        return plan_status([plan], store, Speed(store, datasets))


def test_stored_cells_are_counted(path):
    status = status_of(path, make_experiment())
    assert status.missing == 0
    assert status.stored["north", "grid"] == status.planned["north", "grid"] == 36
    assert not status.stale


def test_another_version_makes_stale(path, monkeypatch):
    raised = replace(registry.ESTIMATORS["toy"], version=2)
    monkeypatch.setitem(registry.ESTIMATORS, "toy", raised)
    status = status_of(path, make_experiment())
    assert status.missing == 12
    assert status.stale == {("plain", "estimator"): 12}


def test_other_data_make_stale(path):
    datasets = Datasets({**make_datasets().loaded, "south": make_dataset("south", 9)}, {})
    status = status_of(path, make_experiment(), datasets)
    assert status.stale == {("grid", "data"): 36, ("plain", "data"): 6}


def test_other_fixed_parameters_make_stale(path):
    status = status_of(path, make_experiment(wait=0.001))
    assert status.stale == {("grid", "parameters"): 72, ("plain", "parameters"): 12}


def test_other_protocol_makes_stale(path):
    status = status_of(path, make_experiment(replace(CV, seed=7)))
    assert set(status.stale) == {("grid", "protocol"), ("plain", "protocol")}


def test_expected_time_is_scaled_by_size_and_unknown_where_no_cell_is_stored(path):
    experiment = make_experiment()
    new = Method("new", "New", "", "toy", {"depth": 1})
    item = replace(
        experiment.items[0], datasets=("big",), methods=(*experiment.items[0].methods, new)
    )
    sizes = []
    for n in (600, 1200):
        datasets = Datasets({"big": make_dataset("big", 3, n)}, {})
        status = status_of(path, replace(experiment, items=(item,)), datasets)
        assert status.expected.unknown == 6
        sizes.append(status.expected.seconds)
    assert sizes[1] == pytest.approx(2 * sizes[0])
    assert sizes[0] > 0


def test_failed_cells_are_counted(tmp_path):
    experiment = make_experiment()
    method = Method("bad", "Bad", "", "toy", {"shift": -1.0})
    item = replace(experiment.items[0], methods=(method,))
    experiment = replace(experiment, items=(item,))
    run(make_plan(experiment), tmp_path / "failed.sqlite")
    assert status_of(tmp_path / "failed.sqlite", experiment).failed == 12
