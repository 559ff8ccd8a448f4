"""A study, its published values and `load` take data sets by any of their usual names."""

import pandas as pd
import pytest

import retree
from retree.errors import UnknownNameError
from retree_lab.cli import main
from retree_lab.datasets import load, load_dataset
from retree_lab.experiments.definition.method import load_method
from retree_lab.study.methods import method_keys

PAPER = """\
title: Names
authors: Me
reference: None
published_protocol: same
names: {one_r: 1R, labor: Labour negotiations}
missing: {letter: Its file is not here.}
items:
  table1:
    kind: metric_table
    caption: Errors
    protocol: cv5
    metrics: [error_pct]
    datasets: [Labor, iris, letter]
    methods: [one_r]
"""
PUBLISHED = """\
table,dataset,method,metric,value
table1,labour,one_r,error_pct,20
table1,iris,1R,error_pct,6
table1,letter,1R,error_pct,80
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "names"
    folder.mkdir()
    (folder / "paper.yaml").write_text(PAPER)
    (folder / "published.csv").write_text(PUBLISHED)
    return folder


def test_usual_names_and_keys_are_one_everywhere(study, capsys):
    assert main(["check", "names"]) == 0
    said = capsys.readouterr().out
    assert "Published values matched to the tables: 3" in said
    assert "letter stays blank: Its file is not here." in said
    words = ["run", "--report", "-j", "1", "--study", "names", "item=all"]
    assert main(words) == 0
    table = pd.read_csv(study / "results" / "names" / "table1.csv", index_col="dataset")
    # The label that the study gives by another name of the set.
    assert table["published"].to_dict() == {"Labour negotiations": 20, "iris": 6, "letter": 80}
    assert table["reproduced"].isna().to_dict() == {
        "Labour negotiations": False,
        "iris": False,
        "letter": True,
    }
    page = (study / "results" / "names" / "table1.md").read_text()
    assert "] Its file is not here." in page
    # Another name in an override is the same cells.
    capsys.readouterr()
    assert main([*words[:1], *words[2:], "datasets=[LABOUR]"]) == 0
    assert "0 cells computed, 5 planned" in capsys.readouterr().out


def test_a_name_is_of_one_data_set(study, capsys):
    paper = study / "paper.yaml"
    paper.write_text(PAPER.replace("[Labor, iris", "[Labor, labour, iris"))
    assert main(["check", "names"]) == 2
    assert "openml-4 appears twice" in capsys.readouterr().err
    paper.write_text(PAPER.replace("missing: {letter", "missing: {iris"))
    assert main(["check", "names"]) == 2
    assert "iris is not missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "key"), [("Glass", "openml-40"), ("breast-w", "breast_w"), ("pima", "pima")]
)
def test_load_takes_usual_names(name, key):
    assert load_dataset(name).sha256 == load_dataset(key).sha256


def test_what_nobody_knows_leads_to_the_list():
    with pytest.raises(UnknownNameError, match="retree data list --all"):
        load("no such data set at all")


def test_every_estimator_of_retree_is_a_method(study):
    methods = [method for key in method_keys() if (method := load_method(key)).estimator]
    classes = {method.registered.target.rpartition(":")[2] for method in methods}
    public = {name for name in retree.__all__ if name.endswith(("Classifier", "Regressor"))}
    # What another library has fitted is no method.
    assert public - classes == {"FittedForestClassifier"}
    words = ["run", "-j", "1", "dataset=iris", "protocol=cv5"]
    for key in ("reptree", "decision_stump", "c45_rules"):
        assert main([*words, f"method={key}"]) == 0
