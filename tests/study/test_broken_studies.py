"""Broken studies: each is refused with one sentence that names the file, the key and what to do."""

from pathlib import Path

import pytest

from retree.errors import RetreeError
from retree_lab.commands.check import check

PAPER, METHODS, WINE = "paper.yaml", "methods/mine.yaml", "datasets/wine.yaml"


def published(dataset="wine", method="Stump", metric="accuracy", value="0.9", table="table1"):
    head = "table,dataset,method,metric,value,std,marker"
    return f"{head}\n{table},{dataset},{method},{metric},{value},,\n"


REPLACED = [
    (PAPER, "title: My study\n", "", "paper.yaml lacks title"),
    (PAPER, "authors: Me\n", "", "paper.yaml lacks authors"),
    (PAPER, "items:", "itmes:", "line 7: Unknown key of paper.yaml: 'itmes'. Did you mean 'items'"),
    (PAPER, "    kind: metric_table\n", "", "table1 lacks kind; add it"),
    (PAPER, "caption: Acc", "captoin: Acc", "line 8: table1 lacks caption; add it"),
    (PAPER, "protocol: cv5", "protocol: cv55", "Unknown protocol 'cv55'. Did you mean 'cv5'"),
    (
        PAPER,
        "roc_auc_ovr",
        "roc_auc_ovrr",
        "Unknown metric 'roc_auc_ovrr'. Did you mean 'roc_auc_ovr",
    ),
    (PAPER, "[iris, wine]", "[iris, wien]", "Unknown data set 'wien'. Did you mean 'wine'"),
    (PAPER, "[iris, wine]", "iris", "datasets of table1 must be a list"),
    (PAPER, "[iris, wine]", "[iris, iris]", "iris appears twice: keep one"),
    (
        PAPER,
        "small_forest, st",
        "smal_forest, st",
        "Unknown method 'smal_forest'. Did you mean 'small",
    ),
    (PAPER, "baseline: c45_pruned", "baseline: c45", "Unknown baseline 'c45'"),
    (PAPER, "table1:", "table1: [", "paper.yaml, line"),
    (METHODS, "base: forest", "base: forset", "mine.yaml, line 9: Unknown base of small_forest"),
    (METHODS, "base: forest", "base: small_forest", "a method cannot be its own base"),
    (METHODS, "small_forest:", "forest:", "mine.yaml, line 8: 'forest' appears twice"),
    (METHODS, "small_forest:", "c45:", "has a method c45 already; rename one"),
    (METHODS, "Small random forest", "Random forest", "two methods with the same name"),
    (METHODS, "n_estimators", "n_estimator", "Unknown parameter of Random forest: 'n_estimator'"),
    (
        METHODS,
        "ensemble.Rand",
        "ensembel.Rand",
        "sklearn.ensembel:RandomForestClassifier cannot be imported",
    ),
    (METHODS, "py:Stump", "py:Stmup", "Did you mean 'Stump'"),
    (METHODS, "n_estimators: 20", "n_estimators: many", "forest cannot be run (The 'n_estim"),
    (WINE, "load_wine", "load_wien", "wine.yaml, line 3: Unknown function of sklearn.datasets"),
    (
        WINE,
        "title:",
        "titel:",
        "wine.yaml, line 4: Unknown key of wine: 'titel'. Did you mean 'title'",
    ),
    (WINE, "sklearn: load_wine", "file: wine.csv", "wine.yaml lacks target"),
    (
        WINE,
        "sklearn: load_wine\n",
        "",
        "wine.yaml must have exactly one of the keys openml, openml_task, file, sklearn",
    ),
]
WRITTEN = [
    (PAPER, "", "paper.yaml is empty"),
    (METHODS, "", "mine.yaml is empty"),
    ("published.csv", published(dataset="wien"), "line 2: Unknown data set 'wien'"),
    (
        "published.csv",
        published(method="Stmup"),
        "line 2: Unknown method 'Stmup'. Did you mean 'St",
    ),
    ("published.csv", published(table="table2"), "line 2: Unknown table 'table2'"),
    ("published.csv", published(value="high"), "the value 'high' is not a number"),
    ("claims.yaml", "- {name: a, place: b}\n", "Claim a lacks text; add it"),
]


def complaint(study: Path) -> str:
    with pytest.raises(RetreeError) as refused:
        list(check(study))
    text = str(refused.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(("file", "old", "new", "message"), REPLACED)
def test_a_mistake_is_named(study, file, old, new, message):
    text = (study / file).read_text()
    assert old in text
    (study / file).write_text(text.replace(old, new, 1))
    assert message in complaint(study)


@pytest.mark.parametrize(("file", "content", "message"), WRITTEN)
def test_a_wrong_file_is_named(study, file, content, message):
    (study / file).write_text(content)
    assert message in complaint(study)


def test_a_folder_without_a_study(tmp_path):
    assert "name the folder of a study, or make one with retree init" in complaint(tmp_path)


def test_other_data_than_before_are_refused(study):
    (study / "mine.csv").write_text("a,b,kind\n" + "1,2,x\n3,4,y\n" * 10)
    (study / WINE).write_text("file: mine.csv\ntarget: kind\n")
    assert list(check(study))[:2] == ["Items: table1", "Data sets loaded: 2"]
    (study / "mine.csv").write_text("a,b,kind\n" + "1,2,x\n3,4,y\n" * 9)
    assert "rows were 20 and are 18" in complaint(study)
