"""``retree methods``, ``retree metrics`` and ``retree data list``: what a study can name."""

import pytest

from retree_lab.cli import main
from retree_lab.commands.methods import dataset_names, method_names
from retree_lab.datasets.own import own_names
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.study.available import available
from retree_lab.study.folders import opened

MINE = "mine: {name: Mine, estimator: sklearn.dummy.DummyClassifier}\n"


def rows(capsys):
    found = {}
    # A table that is wider than the terminal is shown in parts.
    for line in filter(str.strip, capsys.readouterr().out.splitlines()):
        key = line.split()[0]
        found[key] = found.get(key, "") + line
    return found


def test_all_that_is_there_is_listed_with_the_papers_that_use_it():
    data, methods = ({row[0]: row for row in t.rows} for t in (dataset_names(), method_names()))
    every, of_studies = set(available("dataset")), {n for s in opened() for n in own_names(s)}
    assert every - of_studies <= set(data) <= every
    paper = load_paper("pruning")
    for item in paper.items.values():
        assert all("pruning" in data[name][-1] for name in item.get("datasets") or ())
        named = [key for key in item.get("methods") or () if key in methods]
        assert all("pruning" in methods[key][-1] for key in named)


@pytest.mark.parametrize(
    ("words", "key", "said"),
    [
        (["methods", "REPTREE"], "reptree", "REPTree"),
        (["methods", "confidence"], "c45_pruned", "confidence=0.25"),
        (["metrics", "auc"], "roc_auc_ovr", "greater"),
        (["metrics", "error"], "error_pct", "smaller"),
        (["data", "list", "Segment"], "segment", "2310"),
        (["data", "list", "--all"], "hundreds-wine", "178"),
    ],
)
def test_a_word_finds_names(capsys, words, key, said):
    assert main(words) == 0
    assert said in rows(capsys)[key]


def test_methods_of_a_study_are_among_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "toy"]) == 0
    (tmp_path / "toy" / "methods" / "more.yaml").write_text(MINE)
    assert main(["methods", "dummy", "--study", "toy"]) == 0
    assert "mine" in rows(capsys)
    assert main(["methods", "no such word"]) == 2
    assert "None of the methods contains 'no such word'" in capsys.readouterr().err
