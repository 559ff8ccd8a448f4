"""A throw-away benchmark: two small data sets, estimators that can wait and fail.

As a script it runs the benchmark on the store it is given, for tests that kill it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from retree_lab.datasets import Dataset
from retree_lab.experiments.definition.definitions import Execution, Experiment, Paper
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.plan import Datasets, Plan, plan_item
from retree_lab.experiments.running.run_plans import RunReport, run_plans
from retree_lab.experiments.storing.store import Store
from retree_lab.reports.kinds import Kind
from retree_lab.study import registry

GRID = {"depth": [1, 2, 3], "shift": [0.0, 0.5]}
CV = Protocol("cv", folds=3, repeats=2, stratified=True, shuffle=True, seed=0, inner_folds=2)
WHOLE = Protocol(
    "whole", folds=1, repeats=1, stratified=False, shuffle=False, seed=0, inner_folds=0
)


class ToyTree(ClassifierMixin, BaseEstimator):
    """A random tree; a negative `shift` makes it fail."""

    def __init__(self, depth=2, shift=0.0, wait=0.0, random_state=None):
        self.depth = depth
        self.shift = shift
        self.wait = wait
        self.random_state = random_state

    def fit(self, X, y):
        if self.shift < 0:
            raise ValueError("shift is negative")
        time.sleep(self.wait)
        tree = DecisionTreeClassifier(
            max_depth=self.depth, splitter="random", random_state=self.random_state
        )
        self.tree_ = tree.fit(X + self.shift, y).tree_
        self.fitted_ = tree
        return self

    def predict(self, X):
        return self.fitted_.predict(X + self.shift)

    def predict_proba(self, X):
        return self.fitted_.predict_proba(X + self.shift)

    def get_depth(self):
        return self.fitted_.get_depth()

    def get_n_leaves(self):
        return self.fitted_.get_n_leaves()


class ToyGrid(ToyTree):
    """The same, with ``fit_grid``."""

    def fit_grid(self, X, y, points):
        return [type(self)(**{**self.get_params(), **point}).fit(X, y) for point in points]


def register(estimators=registry.ESTIMATORS):
    estimators["toy"] = registry.Registered("toy_benchmark:ToyTree")
    estimators["toy_grid"] = registry.Registered("toy_benchmark:ToyGrid")


def make_dataset(name: str, seed: int, n: int = 60) -> Dataset:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    y = pd.Series(np.where(X["a"] * X["b"] + 0.3 * rng.normal(size=n) > 0, "yes", "no"))
    return Dataset(name=name, X=X, y=y, source="generator", sha256=f"{name}-{seed}", note="")


def make_datasets() -> Datasets:
    return Datasets({"north": make_dataset("north", 1), "south": make_dataset("south", 2)}, {})


def make_experiment(protocol: Protocol = CV, wait: float = 0.0, **options: object) -> Experiment:
    grid_method = Method("grid", "Grid", "", "toy_grid", {"wait": wait}, ("depth", "shift"))
    methods = (grid_method, Method("plain", "Plain", "", "toy", {"depth": 2, "wait": wait}))
    item = Item("table", Kind(), "", ("north", "south"), methods, protocol, **options)
    paper = Paper(
        name="toy", title="", authors="", reference="", grid=GRID, items={}, folder=Path("toy")
    )
    execution = Execution("local", "loky", 1)
    store = Path("cells.sqlite")
    return Experiment(
        paper, (item,), protocol, execution, (), Path("results"), store, None, methods[0]
    )


def make_plan(experiment: Experiment | None = None) -> Plan:
    experiment = experiment or make_experiment(select=["best_test", "nested"])
    return plan_item(experiment, experiment.items[0], make_datasets())


def run(plan: Plan, path: Path, jobs: int = 1) -> RunReport:
    with Store(path) as store:
        return run_plans([plan], make_datasets(), store, Execution("local", "loky", jobs))


if __name__ == "__main__":
    register()
    run(make_plan(make_experiment(wait=float(sys.argv[2]))), Path(sys.argv[1]))
