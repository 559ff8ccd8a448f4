"""Nominal data, test rows without labels, and cells that run alone."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from toy_benchmark import CV, ToyTree, make_dataset, make_experiment

from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning import keys
from retree_lab.experiments.planning.plan import Datasets, plan_item
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.store import Store
from retree_lab.study import registry


class ToyUnlabelled(ToyTree):
    """Remembers what it was told of the test rows."""

    def fit(self, X, y, X_unlabelled=None):
        super().fit(X, y)
        self.seen_ = X_unlabelled
        return self

    def predict(self, X):
        assert self.seen_ is not None
        np.testing.assert_array_equal(X, self.seen_)
        return super().predict(X)


class ToyPlace(ToyTree):
    """As deep as the process it was fitted in is old."""

    def get_depth(self):
        return float(os.getpid())


@pytest.fixture(autouse=True)
def estimators(monkeypatch):
    monkeypatch.setitem(
        registry.ESTIMATORS, "unlabelled", registry.Registered("test_mixed_data:ToyUnlabelled")
    )
    monkeypatch.setitem(
        registry.ESTIMATORS, "place", registry.Registered("test_mixed_data:ToyPlace")
    )


def mixed_dataset():
    plain = make_dataset("north", 1)
    shape = pd.Categorical(np.where(plain.y == "yes", "round", "flat"), ["flat", "round", "square"])
    X = plain.X.assign(shape=shape)
    X.loc[3, "a"] = np.nan
    return replace(plain, X=X)


def run(datasets, methods, path: Path, protocol=CV, jobs=1):
    experiment = make_experiment(protocol)
    names = tuple(dataset.name for dataset in datasets)
    item = replace(experiment.items[0], datasets=names, methods=tuple(methods))
    loaded = Datasets({dataset.name: dataset for dataset in datasets}, {})
    plan = plan_item(experiment, item, loaded)
    with Store(path) as store:
        run_plans([plan], loaded, store, Execution("local", "loky", jobs))
        return plan, results_frame(plan, store)


def test_nominal_columns_reach_the_estimator(tmp_path):
    dataset = mixed_dataset()
    _, frame = run([dataset], [Method("c45", "C4.5", "", "c45")], tmp_path / "cells.sqlite")
    assert (frame["status"] == "done").all()
    # A branch for each of the three levels, and they tell the classes apart.
    assert set(frame["leaves"]) == {3.0}
    assert set(frame["accuracy"]) == {1.0}


def test_what_an_estimator_cannot_take_is_a_gap_with_its_reason(tmp_path):
    mixed = mixed_dataset()
    numeric = replace(make_dataset("south", 2), name="south")
    missing = replace(mixed, name="east", X=mixed.X.drop(columns="shape"))
    methods = [Method("c45", "C4.5", "", "c45"), Method("plain", "Plain", "", "toy")]
    plan, frame = run([mixed, numeric, missing], methods, tmp_path / "cells.sqlite")
    assert set(plan.gaps) == {("north", "plain"), ("east", "plain")}
    assert "categorical" in plan.reason("north", "plain")
    assert "missing values" in plan.reason("east", "plain")
    assert plan.reason("south", "plain") == plan.reason("north", "c45") == ""
    assert set(frame["status"]) == {"done"}
    assert len(frame) == 4 * CV.folds * CV.repeats


def test_wrappers_take_what_they_wrap_takes(tmp_path):
    bagging, search = "sklearn.ensemble.BaggingClassifier", "sklearn.model_selection.GridSearchCV"
    c45 = {"estimator": {"_target_": "c45"}}
    wrapped = {
        "plain": (bagging, {"n_estimators": 2}),
        "c45": (bagging, {"n_estimators": 2, **c45}),
        "search": (search, {"param_grid": {"min_cases": [2]}, "cv": 2, **c45}),
        "majority": ("sklearn.dummy.DummyClassifier", {}),
    }
    methods = [Method(key, key, "", *what) for key, what in wrapped.items()]
    plan, frame = run([mixed_dataset()], methods, tmp_path / "cells.sqlite")
    assert set(plan.gaps) == {("north", "plain")}
    assert set(frame["status"]) == {"done"}


def test_transductive_methods_see_the_test_rows(tmp_path):
    method = Method("t", "T", "", "unlabelled", transductive=True)
    _, frame = run([make_dataset("north", 1)], [method], tmp_path / "cells.sqlite")
    assert (frame["status"] == "done").all()
    _, inductive = run(
        [make_dataset("north", 1)], [replace(method, transductive=False)], tmp_path / "b.sqlite"
    )
    assert set(inductive["status"]) == {"failed"}
    assert set(frame["key"]).isdisjoint(inductive["key"])


@pytest.mark.slow
@pytest.mark.parametrize(("alone", "in_parent"), [(True, True), (False, False)])
def test_cells_that_run_alone_run_in_the_parent(tmp_path, monkeypatch, alone, in_parent):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    protocol = replace(CV, repeats=1, timed=alone)
    method = Method("p", "P", "", "place")
    _, frame = run([make_dataset("north", 1)], [method], tmp_path / "c.sqlite", protocol, jobs=2)
    assert (set(frame["depth"]) == {float(os.getpid())}) == in_parent


def test_times_of_another_machine_are_not_taken(monkeypatch):
    here = keys.protocol_text(replace(CV, timed=True), -1)
    monkeypatch.setattr(keys, "this_machine", lambda: "another one")
    assert keys.protocol_text(replace(CV, timed=True), -1) != here
    assert keys.protocol_text(CV, -1) == keys.protocol_text(replace(CV, timed=False), -1)
