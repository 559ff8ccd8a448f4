"""Every command takes a study outside of the package: it works, or says in a sentence why not."""

import zipfile

import pytest
import regression_study

from retree_lab.cli import main
from retree_lab.experiments.storing.exports import read_export

METHODS = {
    "tree": "{name: Tree, estimator: estimators.py:Tree, max_depth: 3}",
    "scaled": """
  name: Scaled
  estimator: sklearn.pipeline.Pipeline
  steps:
    - [scale, {_target_: sklearn.preprocessing.StandardScaler}]
    - [tree, {_target_: sklearn.tree.DecisionTreeRegressor, max_depth: 2}]""",
}
CODE = "from sklearn.tree import DecisionTreeRegressor as Tree\n"


@pytest.fixture(autouse=True)
def inside(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study that is computed and rendered."""
    folder = tmp_path_factory.mktemp("studies") / "mine"
    regression_study.write(folder, "neg_mean_squared_error", METHODS, CODE)
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return folder


COMMANDS = [
    (["plan", "item=all"], "10 cells, 0 to compute"),
    (["run", "-j", "1", "item=table1"], "0 cells computed, 10 planned"),
    (
        ["run", "-j", "1", "-m", "dataset=made", "method=tree", "method.max_depth=2,3"],
        "max_depth=2",
    ),
    (["report", "item=all"], "table1.csv"),
    (["verify", "-j", "1"], "estimators.py:Tree, 1 cell: 1 equal"),
    (["diff"], "Unchanged: 14 rows of mine"),
    (["show", "table1", "made", "tree"], "--study {study} item=table1 datasets=[made]"),
    (
        ["show", "mine", "table1", "made", "scaled", "--metric", "r2"],
        "a different random_state in each fold",
    ),
    (["show", "table1", "made", "tree", "--fold", "0", "--recompute"], "equal, as is its digest"),
    (["bundle", "--output", "mine.zip"], "mine.zip: "),
    (["data", "list"], "made: 60 rows, 10 columns, numbers"),
    (["data", "verify", "made"], "made: 60 rows"),
]


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_a_command_works(study, capsys, command, said):
    assert main([*command, "--study", str(study)]) == 0
    assert said.format(study=study) in capsys.readouterr().out


def test_a_bundle_of_a_study_gives_it_no_licence(study, capsys):
    assert main(["bundle", "--study", str(study)]) == 0
    assert main(["diff", "--bundle", "mine.crate.zip", "--study", str(study)]) == 0
    assert "Unchanged: 14 rows of mine" in capsys.readouterr().out
    with zipfile.ZipFile("mine.crate.zip") as archive:
        assert "paper/mine/estimators.py" in archive.namelist()
        assert b"license" not in archive.read("ro-crate-metadata.json").lower()


def test_a_cell_is_shown_by_its_key(study, capsys):
    key = read_export(study / "results" / "mine").tables["cells.csv.gz"]["key"][0]
    assert main(["show", key, "--rows", "--study", str(study)]) == 0
    assert "12 test rows" in capsys.readouterr().out


REFUSED = [
    (["bundle", "forest_thinning"], "Name a paper, or give"),
    (["overview"], "has a published number; render an item that has some"),
    (["data", "verify", "maid"], "Unknown data set of mine: 'maid'. Did you mean 'made'"),
    (["show", "table1", "made", "three"], "Unknown method of table1: 'three'. Did you mean 'Tree'"),
    (["verify", "cart"], "None of this is stored"),
    (["plan", "item=table2"], "Unknown item of mine: 'table2'. Did you mean 'table1'"),
]


@pytest.mark.parametrize(("command", "said"), REFUSED)
def test_a_command_is_refused_in_a_sentence(study, capsys, command, said):
    assert main([*command, "--study", str(study)]) in (1, 2)
    assert said in capsys.readouterr().err
