"""Backends of joblib, by name: none of them changes a result."""

from dataclasses import replace

import joblib
import pytest
from joblib._parallel_backends import ThreadingBackend
from toy_benchmark import WHOLE, make_datasets, make_experiment, make_plan, run

from retree.errors import RetreeError
from retree_lab.experiments.definition.config import check_backend
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.definition.method import Limits
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store

TIMES = ["fit_seconds", "cpu_seconds"]


class Counting(ThreadingBackend):
    """A backend that somebody registers."""

    rounds = 0

    def configure(self, *args, **keywords):
        type(self).rounds += 1
        return super().configure(*args, **keywords)


@pytest.fixture
def counting(monkeypatch):
    monkeypatch.setattr(joblib.parallel, "BACKENDS", dict(joblib.parallel.BACKENDS))
    monkeypatch.setattr(
        "retree_lab.experiments.definition.config.BACKENDS", joblib.parallel.BACKENDS
    )
    joblib.register_parallel_backend("counting", Counting)


def frame_of(plan, path):
    with Store(path, readonly=True) as store:
        return results_frame(plan, store).drop(columns=TIMES)


@pytest.mark.parametrize(
    "name",
    [
        "sequential",
        "threading",
        "counting",
        pytest.param("multiprocessing", marks=pytest.mark.slow),
        pytest.param("loky", marks=pytest.mark.slow),
        pytest.param("dask", marks=pytest.mark.slow),
    ],
)
def test_results_do_not_depend_on_the_backend(name, tmp_path, counting):
    if name == "dask":
        pytest.importorskip("distributed")
    check_backend(name)
    plan = make_plan()
    run(plan, tmp_path / "here.sqlite")
    with Store(tmp_path / "there.sqlite") as store:
        report = run_plans([plan], make_datasets(), store, Execution("local", name, 2))
    assert (report.computed, report.failed) == (len(plan.cells), [])
    there, here = (frame_of(plan, tmp_path / f"{place}.sqlite") for place in ("there", "here"))
    assert there.equals(here)
    assert (Counting.rounds > 0) == (name == "counting")
    Counting.rounds = 0


@pytest.mark.slow
def test_limits_hold_in_threads(tmp_path):
    experiment = make_experiment(WHOLE, wait=5.0)
    (item,) = experiment.items
    item = replace(item, methods=(replace(item.methods[1], limits=Limits(0.2)),))
    item = replace(item, datasets=("north",))
    plan = make_plan(replace(experiment, items=(item,)))
    with Store(tmp_path / "cells.sqlite") as store:
        report = run_plans([plan], make_datasets(), store, Execution("local", "threading", 2))
    assert len(report.failed) == len(plan.cells) == 1
    assert "took longer than 0.2 s" in str(report.failed)


class Broken(ThreadingBackend):
    """A backend that loses what it is handed."""

    def submit(self, func, callback=None):
        raise OSError("no cluster here")

    apply_async = submit


def test_a_backend_that_breaks_is_named(tmp_path, counting):
    joblib.register_parallel_backend("broken", Broken)
    execution = Execution("local", "broken", 2)
    with (
        Store(tmp_path / "cells.sqlite") as store,
        pytest.raises(RetreeError, match=r"backend broken failed \(no cluster here\)"),
    ):
        run_plans([make_plan()], make_datasets(), store, execution)


def test_a_name_that_joblib_does_not_know_is_refused_with_what_is_registered(counting):
    with pytest.raises(RetreeError, match="counting, dask, loky, multiprocessing, ray, sequential"):
        check_backend("threads")
    try:
        import ray  # noqa: F401
    except ImportError:
        with pytest.raises(RetreeError, match="needs a package: run pip install ray"):
            check_backend("ray")
