"""The order of levels and classes, and those without rows, reach the fit from every origin."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from openml_server import FakeServer, Hosted

from retree import C45Classifier, OneRClassifier
from retree.errors import RetreeError
from retree.weka_folds import weka_fold
from retree_lab.datasets import Dataset
from retree_lab.datasets.arff import read_arff
from retree_lab.datasets.own import load_own
from retree_lab.experiments.running.batches import make_problem

FOLDER = Path(__file__).parents[2] / "data" / "openml"
ORIGINS = ("arff", "csv", "parquet", "function", "openml")
# Leaves and nodes of J48 and of J48 -U of the file, by Weka 3.9.7. Without the two levels that no
# row has they would be 98, 135, 334 and 441.
CREDIT = 31, [(103, 140), (359, 466)]
AUTOS = 9  # One of its seven classes has no row, and none is where sorting would put it
FUNCTION = """\
import pandas as pd

def table():
    data = pd.read_parquet({path!r})
    return data.iloc[:, :-1], data.iloc[:, -1]
"""


@pytest.fixture
def load(tmp_path, cache_folder, server: FakeServer):
    """Load the data set of an OpenML task through a study, from one of the origins."""
    (tmp_path / "datasets").mkdir()

    def loaded(task, origin):
        content = gzip.decompress((FOLDER / f"{task}.arff.gz").read_bytes())
        table = read_arff(content, "the file")
        target = table.columns[-1]
        about = {"file": f"mine.{origin}", "target": target}
        (tmp_path / "mine.arff").write_bytes(content)
        table.to_parquet(tmp_path / "mine.parquet")
        if origin == "csv":
            table.to_csv(tmp_path / "mine.csv", index=False)
            levels = {c: [*table[c].cat.categories] for c in table.select_dtypes("category")}
            about |= {"classes": levels.pop(target), "levels": levels}
        elif origin == "function":
            text = FUNCTION.format(path=str(tmp_path / "mine.parquet"))
            (tmp_path / "estimators.py").write_text(text)
            about = {"function": "estimators.py:table"}
        elif origin == "openml":
            server.sets[8] = Hosted(content.decode(), target=target)
            about = {"openml": 8, "target": target}
        file = tmp_path / "datasets" / "mine.yaml"
        file.write_text(json.dumps(about))
        return load_own(file)[:2], table

    return loaded


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("task", [CREDIT[0], AUTOS])
def test_what_is_declared_stays(load, task, origin):
    (X, y), table = load(task, origin)
    pd.testing.assert_frame_equal(X, table.iloc[:, :-1])
    pd.testing.assert_series_equal(y, table.iloc[:, -1].rename("class"))


@pytest.mark.parametrize("origin", ORIGINS)
def test_trees_of_a_study_have_the_sizes_of_weka(load, origin):
    task, sizes = CREDIT
    (X, y), _ = load(task, origin)
    trees = [C45Classifier(pruning=how).fit(X, y) for how in ("ebp", None)]
    assert [(tree.get_n_leaves(), len(tree.tree_.feature)) for tree in trees] == sizes


def test_folds_of_a_study_have_the_right_rows_of_weka(load):
    task, _ = CREDIT
    (X, y), _ = load(task, "arff")
    problem = make_problem(Dataset("credit", X, y, "own", "", ""))
    right = 0
    for fold in range(10):
        train, test = weka_fold(problem.y, 10, fold, 1, True)
        model = OneRClassifier().fit(X.iloc[train], problem.labels(train))
        right += int((model.predict(X.iloc[test]) == problem.y[test]).sum())
    # OneR -x 10 -s 1 of 3.9.7; with the classes sorted it would be 668.
    assert right == 661


def csv_study(tmp_path, keys, content="a,y\nx,no\nz,yes\nx,no\n"):
    (tmp_path / "datasets").mkdir()
    (tmp_path / "mine.csv").write_text(content)
    file = tmp_path / "datasets" / "mine.yaml"
    file.write_text(f"file: mine.csv\ntarget: y\n{keys}")
    return load_own(file)


def test_a_csv_declares_levels_by_keys(tmp_path):
    X, y, _ = csv_study(tmp_path, "classes: ['yes', maybe, 'no']\nlevels: {a: [z, y, x]}\n")
    assert y.cat.categories.tolist() == ["yes", "maybe", "no"]
    assert X["a"].cat.categories.tolist() == ["z", "y", "x"]
    lock = json.loads((tmp_path / "data.lock").read_text())
    assert lock["mine"]["classes"] == {"maybe": 0, "no": 2, "yes": 1}


def test_levels_that_look_like_numbers_stay_as_written(tmp_path):
    keys = "classes: [2, '01', 1]\nlevels: {a: ['07', 7]}\n"
    X, y, _ = csv_study(tmp_path, keys, "a,y\n07,01\n7,1\n07,2\n")
    assert X["a"].cat.codes.tolist() == [0, 1, 0]
    assert y.cat.codes.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("classes: ['yes']", "y has 'no' in row 1, which is not declared: add it, or correct"),
        ("classes: [yes, no]", "an entry of classes of mine must be a text, not True: write it in"),
        ("levels: {a: [x]}", "a has 'z' in row 2, which is not declared"),
        ("levels: {a: [x, z, x]}", "a declares a level twice"),
        ("levels: {b: [x]}", "Unknown levels column 'b'"),
        ("levels: {a: [x, z]}\nnumeric: [a]", "a cannot be categorical and numeric"),
        ("task: regression\nclasses: [x]", "classes has no effect on a regression; remove it"),
    ],
)
def test_a_wrong_declaration_is_one_sentence(tmp_path, keys, message):
    with pytest.raises(RetreeError) as refused:
        csv_study(tmp_path, keys)
    assert message in str(refused.value)
    assert "mine.yaml" in str(refused.value)
    assert "\n" not in str(refused.value)
