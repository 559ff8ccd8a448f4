"""A study from nothing to rendered tables, as CONTRIBUTING.md says."""

import pandas as pd
import pytest

from retree.cli import main

REGRESSION = """\
title: Mine
authors: Me
reference: None
items:
  table1:
    kind: metric_table
    caption: Error
    protocol: cv5
    metrics: [r2, estimators.py:negative_bias]
    datasets: [made]
    methods: [tree, pruned]
"""
METHODS = """\
tree: {name: Tree, estimator: sklearn.tree.DecisionTreeRegressor, max_depth: 3}
pruned: {name: CART, estimator: retree.CartRegressor, pruning: cost_complexity}
"""
MADE = "sklearn: make_friedman1\narguments: {n_samples: 60, random_state: 0}\ntask: regression\n"
CODE = "def negative_bias(y, predicted):\n    return -abs((y - predicted).mean())\n"


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setattr("retree.study.folders._opened", {})
    monkeypatch.setattr("retree.datasets.own._studies", [])


def run(folder):
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return pd.read_csv(folder / "results" / folder.name / "table1.csv")


def test_the_study_of_init_is_in_order_and_renders(tmp_path, capsys):
    folder = tmp_path / "my_study"
    assert main(["init", str(folder)]) == 0
    assert main(["check", str(folder)]) == 0
    assert "4 methods fit, predict and can be scored" in capsys.readouterr().out
    table = run(folder)
    scores = table[table["metric"] == "roc_auc_ovr"]["reproduced"]
    assert len(scores) == 8
    assert scores.between(0.5, 1).all()
    assert (folder / "data.lock").is_file()
    run(folder)
    assert "0 cells computed" in capsys.readouterr().out


def test_a_regression_study_renders(tmp_path):
    folder = tmp_path / "numbers"
    for name in ("methods", "datasets"):
        (folder / name).mkdir(parents=True)
    (folder / "paper.yaml").write_text(REGRESSION)
    (folder / "methods" / "trees.yaml").write_text(METHODS)
    (folder / "datasets" / "made.yaml").write_text(MADE)
    (folder / "estimators.py").write_text(CODE)
    table = run(folder)
    assert set(table["metric"]) == {"r2", "estimators.py:negative_bias"}
    assert table["reproduced"].notna().all()
