"""Cells computed by a dask cluster of real processes on this machine."""

import shutil
import time

import pandas as pd
import pytest
from stress_study_folder import STUDY
from toy_benchmark import make_datasets, make_experiment, make_plan, run

from retree.cli import main
from retree.errors import RetreeError
from retree.experiments.definition.definitions import Execution
from retree.experiments.running import pools
from retree.experiments.running.run_plans import run_plans
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.store import Store

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed")
TIMES = ["fit_seconds", "cpu_seconds"]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        yield cluster


def frame_of(plan, path):
    with Store(path, readonly=True) as store:
        return results_frame(plan, store).drop(columns=TIMES)


def test_cells_are_equal_bit_by_bit_and_data_travel_once_to_a_worker(cluster, tmp_path):
    plan = make_plan(make_experiment())
    run(plan, tmp_path / "here.sqlite")
    there = Execution("dask", "dask", 1, cluster.scheduler_address)
    with Store(tmp_path / "there.sqlite") as store:
        report = run_plans([plan], make_datasets(), store, there)
    assert report.computed == len(plan.cells)
    assert not report.failed
    assert frame_of(plan, tmp_path / "there.sqlite").equals(
        frame_of(plan, tmp_path / "here.sqlite")
    )


def test_a_killed_worker_costs_nothing(cluster, tmp_path):
    plan = make_plan(make_experiment(wait=0.05))
    there = Execution("dask", "dask", 1, cluster.scheduler_address)
    with distributed.Client(cluster) as client, Store(tmp_path / "there.sqlite") as store:
        killer = client.run(_leave_soon, workers=[next(iter(client.nthreads()))])
        assert killer
        report = run_plans([plan], make_datasets(), store, there)
    assert (report.computed, report.failed) == (len(plan.cells), [])


def _leave_soon():
    import os
    import threading

    threading.Timer(0.5, os._exit, [1]).start()
    return True


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:1"])
def test_no_scheduler_is_one_sentence(address, tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 0.5)
    began = time.monotonic()
    execution = Execution("dask", "dask", 1, address)
    with Store(tmp_path / "cells.sqlite") as store, pytest.raises(RetreeError, match="answers at"):
        run_plans([make_plan()], make_datasets(), store, execution)
    assert time.monotonic() - began < 60


def test_limits_hold_on_workers_of_dask(cluster, tmp_path):
    study = shutil.copytree(STUDY, tmp_path / "trouble")
    command = ["run", "--report", "--study", str(study), "item=troubled", "execution=dask"]
    where = f"execution.address={cluster.scheduler_address}"
    assert main([*command, where, "methods=[quick,sleeps]"]) == 1
    table = pd.read_csv(study / "results" / "local" / "trouble" / "troubled.csv")
    assert table["reproduced"].notna().tolist() == [True, False]
