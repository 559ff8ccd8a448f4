"""A study from nothing to rendered tables, as docs/contributing/study.md says."""

import pandas as pd
import regression_study

from retree_lab.cli import main

METHODS = {
    "tree": "{name: Tree, estimator: sklearn.tree.DecisionTreeRegressor, max_depth: 3}",
    "pruned": "{name: CART, estimator: retree.CartRegressor, pruning: cost_complexity}",
}
METRIC = "estimators.py:negative_bias"
CODE = "def negative_bias(y, predicted):\n    return -abs((y - predicted).mean())\n"


def run(folder):
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return pd.read_csv(folder / "results" / folder.name / "table1.csv")


def test_the_study_of_init_is_in_order_and_renders(tmp_path, capsys):
    folder = tmp_path / "my_study"
    assert main(["init", str(folder)]) == 0
    assert main(["check", str(folder)]) == 0
    assert "Methods fitted and scored: 4" in capsys.readouterr().out
    table = run(folder)
    scores = table[table["metric"] == "roc_auc_ovr"]["reproduced"]
    assert len(scores) == 8
    assert scores.between(0.5, 1).all()
    assert (folder / "data.lock").is_file()
    run(folder)
    assert "0 cells computed" in capsys.readouterr().out


def test_a_regression_study_renders(tmp_path):
    folder = regression_study.write(tmp_path / "numbers", METRIC, METHODS, CODE)
    table = run(folder)
    assert set(table["metric"]) == {"r2", METRIC}
    assert table["reproduced"].notna().all()
