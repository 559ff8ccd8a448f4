"""The configuration of forest_thinning: its items fit the print and each other."""

from __future__ import annotations

import pandas as pd
import pytest

from retree_lab.datasets import Dataset
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.planning.plan import Datasets, plan_item
from retree_lab.study.composing import compose


@pytest.fixture(scope="module")
def experiment():
    return load_experiment(compose(["paper=forest_thinning", "item=all"]))


@pytest.fixture(scope="module")
def items(experiment):
    return {item.name: item for item in experiment.items}


def test_every_printed_cell_has_its_place(experiment, items):
    printed = pd.read_csv(experiment.paper.published)
    for table, rows in printed.groupby("table"):
        item = items[table]
        assert set(rows["dataset"]) == {item.label(name) for name in item.datasets}
        assert set(rows["method"]) <= {method.name for method in item.methods}
        assert set(rows["metric"]) == set(item.kind.metrics)


def test_sets_are_called_as_in_print(items):
    assert items["table1"].label("australian_nominal") == "australian"
    assert items["table1"].label("iris") == "iris"


def test_pairs_and_steps_are_of_the_items_methods(items):
    for name in ("table1", "table2", "table3"):
        keys = {method.key for method in items[name].methods}
        assert items[name].kind.method_keys() == keys
    effects = items["effects"]
    assert effects.kind.method_keys() == {m.key for m in effects.methods}


def test_every_interpretation_has_a_name(items):
    interpretations = items["interpretations"]
    options = interpretations.kind.options
    assert len(interpretations.vary) == len(set(options["points"]))
    assert {m.key for m in interpretations.methods} == set(options["groups"])


def test_the_table_of_figures_needs_no_cells_of_its_own(experiment, items):
    """Its methods are points of the figures and of the interpretations."""
    table = pd.DataFrame({"a": [0.0] * 10})
    small = Dataset("", table, pd.Series(["x"] * 10), "generator", "0", "")
    names = items["figures"].datasets
    every = {name for item in items.values() for name in item.datasets}
    datasets = Datasets(dict.fromkeys(every, small), {})
    planned = {name: plan_item(experiment, items[name], datasets).cells for name in items}
    assert len(planned["figures"]) == 10 * len(names) * len(items["figures"].methods)
    others = ("figure2", "figure3", "interpretations", "table1")
    keys = {cell.key for name in others for cell in planned[name]}
    assert {cell.key for cell in planned["figures"]} <= keys
