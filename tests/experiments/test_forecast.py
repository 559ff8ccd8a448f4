from __future__ import annotations

import gzip

import pytest

from retree import paths
from retree.experiments.config import load_experiment
from retree.experiments.forecast import forecast
from retree.experiments.plan import load_datasets, plan_item
from retree.study.composing import compose

RESULTS = """\
dataset,method,cpu_seconds,status
iris,ID3,0.5,done
iris,ID3,1.5,done
zoo,ID3,9,failed
zoo,CART,2,done
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    folder = tmp_path / "results" / "pruning"
    folder.mkdir(parents=True)
    (folder / "cells.csv.gz").write_bytes(gzip.compress(RESULTS.encode()))
    return lambda: monkeypatch.setattr(paths, "project_dir", lambda: tmp_path)


def planned(methods):
    wanted = ["paper=pruning", "item=table1", "datasets=[iris,zoo]", f"methods=[{methods}]"]
    experiment = load_experiment(compose(wanted))
    return plan_item(experiment, experiment.items[0], load_datasets(experiment))


@pytest.mark.parametrize(
    ("methods", "seconds"), [("id3", 20 * 1.0), ("id3,cart", 20 * 1.0 + 20 * 2.0), ("c45", None)]
)
def test_cells_take_as_long_as_the_committed_ones(results, methods, seconds):
    plan = planned(methods)
    results()
    assert forecast("pruning", [plan], plan.cells) == seconds
    assert forecast("another", [plan], plan.cells) is None


def test_only_what_is_pending_counts(results):
    plan = planned("id3")
    results()
    assert forecast("pruning", [plan], plan.cells[:3]) == 3.0
