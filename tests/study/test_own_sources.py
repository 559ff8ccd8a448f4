"""What a study's own code gives is current, or said to be stale."""

import shutil

import pytest
import regression_study

from retree.errors import DataError
from retree_lab.cli import main
from retree_lab.experiments.running import compute
from retree_lab.experiments.verifying import verified
from retree_lab.study.importing import load_file
from retree_lab.study.own_sources import source_state

FILE = '''\
"""Trees."""
from sklearn.base import BaseEstimator, RegressorMixin

SHIFT = 0.0


def middle(values):
    return values.mean() + SHIFT


class Mean(RegressorMixin, BaseEstimator):
    """Predicts the mean."""

    def fit(self, X, y):
        self.mean_ = middle(y)
        return self

    def predict(self, X):
        return X[:, 0] * 0 + self.mean_


class Other(Mean):
    pass


def bias(y, predicted):
    return -abs((y - predicted).mean())
'''
METHODS = {
    "mean": "{name: Mean, estimator: 'estimators.py:Mean'}",
    "tree": "{name: Tree, estimator: sklearn.tree.DecisionTreeRegressor, max_depth: 2}",
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "estimators.py"
    path.write_text(FILE)
    return path


@pytest.fixture
def folder(tmp_path):
    return regression_study.write(tmp_path / "numbers", "estimators.py:bias", METHODS, FILE)


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def said(capsys, *words):
    capsys.readouterr()
    code = main([*words])
    return code, " ".join(capsys.readouterr().out.split())


def run(folder, capsys, *words):
    return said(capsys, "run", "--report", "-j", "1", "--study", str(folder), "item=all", *words)[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Predicts the mean."""', '"""Something else."""'),
        ("SHIFT = 0.0\n", "SHIFT = 0.0  # nothing\n"),
        ("-abs((y - predicted)", "abs((y - predicted)"),
        ("class Other(Mean):\n    pass", "class Other(Mean):\n    more = 1"),
    ],
)
def test_what_a_class_does_not_need_is_no_part_of_its_state(file, old, new):
    before = source_state(file, "Mean")
    edit(file, old, new)
    assert source_state(file, "Mean") == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.mean_ = middle(y)", "self.mean_ = middle(y) + 1"),
        ("SHIFT = 0.0", "SHIFT = 1.0"),
        ("class Other(Mean):", "Mean.predict = None\n\n\nclass Other(Mean):"),
        ("def bias(", "@print\ndef bias("),
        ("def bias(", "import numpy\nnumpy.random.seed(1)\ndef bias("),
        ("y - predicted", "getattr(y, 'x') - predicted"),
        ("SHIFT = 0.0", "from .helpers import SHIFT"),
    ],
)
def test_what_a_class_needs_is_part_of_its_state(file, old, new):
    before, derived = source_state(file, "Mean"), source_state(file, "Other")
    edit(file, old, new)
    assert source_state(file, "Mean") != before
    assert source_state(file, "Other") != derived


def test_what_a_file_imports_from_its_study_is_part_of_its_state(file):
    file.with_name("helpers.py").write_text("SHIFT = 1.0\n")
    edit(file, "SHIFT = 0.0", "from .helpers import SHIFT")
    before = source_state(file, "Mean")
    file.with_name("helpers.py").write_text("SHIFT = 2.0\n")
    assert source_state(file, "Mean") != before


@pytest.mark.parametrize("name", ["lib/__init__.py", "lib/deep.py", "lib/far/end.py", "top.py"])
def test_so_is_what_it_imports_from_packages_of_its_study(file, name):
    texts = {
        "lib/__init__.py": "",
        "lib/deep.py": "from ..top import ONE\nfrom .far import end\nSHIFT = end.TWO\n",
        "lib/far/end.py": "TWO = 2\n",
        "top.py": "ONE = 1\n",
    }
    for place, text in texts.items():
        (file.parent / place).parent.mkdir(exist_ok=True, parents=True)
        (file.parent / place).write_text(text)
    edit(file, "SHIFT = 0.0", "from .lib.deep import SHIFT")
    before, loaded = source_state(file, "Mean"), load_file(file)
    (file.parent / name).write_text(f"{texts[name]}MORE = 1\n")
    assert source_state(file, "Mean") != before
    assert load_file(file) is not loaded


def test_a_copy_elsewhere_has_the_same_state(file, tmp_path):
    assert source_state(tmp_path / "copy.py", "Mean")[:0] == ""
    (tmp_path / "there").mkdir()
    there = tmp_path / "there" / "estimators.py"
    shutil.copy(file, there)
    assert source_state(there, "Mean") == source_state(file, "Mean")


def test_an_edited_estimator_is_stale_and_computed_again(folder, capsys):
    first = run(folder, capsys)
    assert "10 cells computed" in first
    edit(folder / "estimators.py", "middle(y)\n", "middle(y) + 50\n")
    stale = "5 cells of mean are stored, but for other sources of the estimator"
    assert stale in said(capsys, "check", str(folder))[1]
    assert stale in said(capsys, "plan", "--study", str(folder), "item=all")[1]
    code, text = said(capsys, "diff", "--study", str(folder))
    assert f"retree run --study {folder} item=" in text
    assert code == 1
    assert stale in text
    assert "5 cells computed, 10 planned" in run(folder, capsys)
    assert "stale" not in said(capsys, "plan", "--study", str(folder), "item=all")[1]


def test_of_a_copy_without_a_store_the_committed_results_are_stale(folder, capsys):
    run(folder, capsys)
    shutil.rmtree(folder / "results" / ".store")
    assert "0 to compute" in said(capsys, "plan", "--study", str(folder), "item=all")[1]
    edit(folder / "estimators.py", "middle(y)\n", "middle(y) + 50\n")
    text = said(capsys, "plan", "--study", str(folder), "item=all")[1]
    assert "stale: 5 cells of mean" in text
    assert "as committed" in text


def test_with_a_version_the_author_takes_over(folder, capsys):
    edit(folder / "methods" / "trees.yaml", "Mean'}", "Mean', version: 1}")
    run(folder, capsys)
    edit(folder / "estimators.py", "middle(y)\n", "middle(y) + 50\n")
    assert "0 to compute" in said(capsys, "plan", "--study", str(folder), "item=all")[1]


def test_an_edited_metric_is_scored_again_without_a_fit(folder, capsys):
    run(folder, capsys)
    edit(folder / "estimators.py", "-abs((y", "-7 - abs((y")
    assert "10 to compute" in said(capsys, "plan", "--study", str(folder), "item=all")[1]
    text = run(folder, capsys)
    assert "10 cells scored from stored predictions" in text
    assert "0 cells computed" in text
    table = (folder / "results" / "numbers" / "table1.csv").read_text()
    scores = [float(line.split(",")[3]) for line in table.splitlines() if "bias" in line]
    assert len(scores) == 2
    assert max(scores) < -7


def test_a_study_that_cannot_be_written_is_verified(folder, capsys, monkeypatch):
    run(folder, capsys)

    def fail(*_):
        raise DataError("It cannot be written.")

    monkeypatch.setattr(verified, "write_atomically", fail)
    code, text = said(capsys, "verify", "--study", str(folder), "-j", "1")
    assert code == 0, text
    assert "Not noted: It cannot be written." in text


def test_a_run_stops_when_its_sources_are_edited(folder, capsys, monkeypatch):
    hashes = iter(["then", "now"])
    monkeypatch.setattr(compute, "folder_hash", lambda _: next(hashes))
    assert main(["run", "-j", "1", "--study", str(folder), "item=all"]) == 1
    assert "edited during the run" in capsys.readouterr().err


def test_a_file_may_import_from_its_study(folder, capsys):
    (folder / "helpers.py").write_text("SHIFT = 0.0\n")
    edit(folder / "estimators.py", "SHIFT = 0.0", "from helpers import SHIFT")
    assert main(["check", str(folder)]) == 2
    assert "write from .helpers import" in capsys.readouterr().err
    edit(folder / "estimators.py", "from helpers", "from .helpers")
    assert main(["check", str(folder)]) == 0
