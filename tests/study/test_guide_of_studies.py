"""The files that the guide shows are studies that work."""

import re
import runpy
from pathlib import Path

import pandas as pd

from retree_lab.cli import main

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
FILES = re.compile(r"^`([\w/.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)


def written(page, folder):
    for name, text in FILES.findall((GUIDE / page).read_text()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(folder):
    assert main(["check", str(folder)]) == 0
    assert main(["run", "--report", "-j", "1", "--study", str(folder), "item=all"]) == 0
    return folder / "results" / folder.name


def test_the_reference_is_a_study(tmp_path):
    results = run(written("studies.md", tmp_path / "visits"))
    table = pd.read_csv(results / "table1.csv", keep_default_na=False)
    verdicts = table[table["published"] != ""].set_index("method")["verdict"]
    assert verdicts.to_dict() == {"Tree": "explained", "Majority": verdicts["Majority"]}
    assert table["reproduced"].astype(float).between(0, 1).all()
    assert verdicts["Majority"] in ("agrees", "differs")
    assert "as the study says" in (results / "table1.md").read_text()
    page = (results / "README.md").read_text()
    assert "- Visits to a clinic: The ages are rounded." in page
    assert "- Majority: Both know the ward." in page
    assert "- Other seeds: They change the third decimal." in page
    assert list(results.glob("heat*.svg"))
    assert "groups of rows kept together" in (results / "table1.md").read_text()


def test_the_tutorial_replicates_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (GUIDE / "replicate.md").read_text()
    (tmp_path / "table.md").write_text(re.search(r"```text\n(.*?)```", text, re.DOTALL)[1])
    first, check = re.findall(r"^retree (init|check) (.*)$", text, re.MULTILINE)
    for command, words in (first, check):
        assert main([command, *words.split()]) == 0
    methods = Path("fs1996/methods/table.yaml")
    methods.write_text(methods.read_text().replace("100", "2"))
    written("replicate.md", tmp_path / "fs1996")
    paper = Path("fs1996/paper.yaml")
    paper.write_text(paper.read_text().replace("cv10", "ten_folds"))
    table = pd.read_csv(run(Path("fs1996")) / "table1.csv")
    assert (table["published"].notna()).all()
    here = table[table["dataset"] != "letter"]
    assert here["verdict"].isin(["agrees", "weak", "edge", "differs"]).all()
    assert (here["n_replicates"] == 5).all()
    assert table["reproduced"].isna().sum() == 3


def test_the_reference_has_every_key_that_a_study_may_have():
    reference = runpy.run_path(str(GUIDE.parents[1] / "scripts" / "reference.py"))["reference"]()
    table = reference.partition("A data set:")[2].partition(":\n")[0]
    assert "| `groups` | none | The column with the group of each row" in table
    assert "| `missing` | `?, NA, NaN, nan` |" in table
