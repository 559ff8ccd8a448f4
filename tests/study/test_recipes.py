"""The recipes of CONTRIBUTING, followed in a temporary folder through to a rendered table.

Data sets, methods and metrics of a study are in `test_own_study`.
"""

import re
import sys

import pandas as pd
import pytest
from tiny_paper import write_configuration

from retree import paths
from retree.cli import main
from retree.study import registry

CONTRIBUTING = (paths.project_dir() / "CONTRIBUTING.md").read_text()
PAPER = """\
title: Mine
authors: Me
reference: Journal 1, 2000
items:
  table1:
    kind: {kind}
    caption: Accuracy
    protocol: cv5
    metrics: [accuracy]
    datasets: [iris]
    methods: [{methods}]
"""
PUBLISHED = (
    "table,dataset,method,metric,value,std,marker\ntable1,iris,C4.5 (pruned),accuracy,0.95,,\n"
)
CLAIMS = """\
- name: better
  place: section 1
  text: One is better.
  check: {kind: count, item: table1, metric: accuracy, of: [c45_pruned], relation: ">",
          than: [gini], at_least: 1}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def code_of(heading):
    """Return the Python code below a heading of CONTRIBUTING."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", CONTRIBUTING + "\n## ", re.M | re.S)
    block = re.search(r"^( *)```python\n(.*?)^\1```", section.group(1), re.M | re.S)
    return re.sub(rf"^{block.group(1)}", "", block.group(2), flags=re.M)


def study(folder, **files):
    (folder / "mine" / "methods").mkdir(parents=True)
    for name, text in files.items():
        (folder / "mine" / name.replace("__", "/").replace("_DOT_", ".")).write_text(text)
    return folder / "mine"


def test_a_tree_family_in_python(folder, monkeypatch):
    package = folder / "stump_family"
    package.mkdir()
    (package / "__init__.py").write_text('"""One test: the first feature against its mean."""\n')
    (package / "classifier.py").write_text(code_of("A new tree family only in Python"))
    monkeypatch.syspath_prepend(folder)
    known = {**registry.ESTIMATORS}
    known["stump"] = registry.Registered("stump_family.classifier:StumpClassifier")
    monkeypatch.setattr(registry, "ESTIMATORS", known)
    conf = write_configuration(folder)
    (conf / "method" / "stump.yaml").write_text("one_test: {name: One test, estimator: stump}\n")
    monkeypatch.setattr(paths, "conf_dir", lambda: conf)
    text = PAPER.format(kind="metric_table", methods="one_test, c45_pruned")
    (conf / "paper" / "tiny" / "paper.yaml").write_text(text)
    (conf / "paper" / "tiny" / "claims.yaml").unlink()
    assert main(["run", "--report", "-j", "1", "paper=tiny", "item=all"]) == 0
    table = pd.read_csv(folder / "results" / "tiny" / "table1.csv")
    assert table["method"].tolist() == ["One test", "C4.5 (pruned)"]
    assert table["reproduced"].between(0.3, 1).all()
    assert sys.modules["stump_family.classifier"].__file__ == str(package / "classifier.py")


def test_a_paper(folder, monkeypatch, capsys):
    conf = write_configuration(folder)
    monkeypatch.setattr(paths, "conf_dir", lambda: conf)
    paper = conf / "paper" / "mine"
    paper.mkdir()
    text = PAPER.format(kind="metric_table", methods="c45_pruned, gini")
    (paper / "paper.yaml").write_text(f"{text}published_protocol: same\n")
    (paper / "claims.yaml").write_text(CLAIMS)
    (paper / "published.csv").write_text(PUBLISHED)
    assert main(["plan", "paper=mine", "item=all"]) == 0
    assert "10 cells, 10 to compute" in capsys.readouterr().out
    assert main(["run", "--report", "-j", "1", "paper=mine", "item=all"]) == 0
    table = pd.read_csv(folder / "results" / "mine" / "table1.csv")
    assert table["published"].tolist()[0] == 0.95
    assert table["verdict"][0] in ("agrees", "differs")
    assert (folder / "results" / "mine" / "claims.csv").is_file()


def test_a_kind(folder):
    mine = study(
        folder,
        paper_DOT_yaml=PAPER.format(kind="kinds.py:BestMethods", methods="c45_pruned, gini"),
        kinds_DOT_py=code_of("A kind of table or figure"),
    )
    assert main(["run", "--report", "--tex", "-j", "1", "--study", str(mine), "item=all"]) == 0
    rendered = mine / "results" / "mine"
    assert pd.read_csv(rendered / "table1.csv")["dataset"].tolist() == ["iris"]
    assert "| iris |" in (rendered / "table1.md").read_text()
    assert (rendered / "table1.tex").is_file()
