"""What commands work on: reports are values that outlive the store they were read from."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from toy_benchmark import make_datasets, make_experiment, make_plan, run

from retree.errors import StoreError
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store
from retree_lab.reports.cells import number_runs
from retree_lab.workspace import open_workspace


@pytest.fixture
def planned(tmp_path):
    experiment = replace(make_experiment(), store=tmp_path / "cells.sqlite")
    plan = make_plan(experiment)
    run(plan, experiment.store)
    return Planned(experiment, make_datasets(), [plan])


def test_reports_outlive_the_store(planned):
    with Store(planned.experiment.store, readonly=True) as store:
        expected = results_frame(planned.plans[0], store)
        runs = store.runs()
    with open_workspace(planned, Console(file=io.StringIO())) as workspace:
        (report,) = workspace.item_reports()
    planned.experiment.store.unlink()
    assert report.frame.equals(expected)
    assert set(report.frame["status"]) == {"done"}
    found, places = number_runs([report.frame], report.stored)
    assert found == list(runs.values())
    assert set(places) == set(runs)
    assert report.replicates.best.empty
    with pytest.raises(StoreError, match="has no tree"):
        report.stored.tree(report.frame["key"].iloc[0])


def test_cells_that_are_not_stored_are_absent(planned):
    planned.experiment.store.unlink()
    with open_workspace(planned, Console(file=io.StringIO())) as workspace:
        (report,) = workspace.item_reports()
    assert set(report.frame["status"]) == {"absent"}
    assert number_runs([report.frame], report.stored) == ([], {})
