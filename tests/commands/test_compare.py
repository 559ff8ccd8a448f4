"""``retree compare``: an own estimator on the folds of committed results."""

from __future__ import annotations

import pandas as pd
import pytest

from retree.cli import main
from retree.experiments.storing.store import Store

MINE = """\
from retree import StructurePurityClassifier


class Mine(StructurePurityClassifier):
    pass


class Broken(Mine):
    def fit(self, X, y):
        raise ValueError("no idea")


nothing = 1
"""
GIVEN = ["--with", "tiny", "-j", "1"]


@pytest.fixture
def mine(tiny_clone):
    (tiny_clone / "mine.py").write_text(MINE)
    return tiny_clone


def test_the_same_trees_have_the_same_folds(mine, capsys):
    assert main(["compare", "mine:Mine", *GIVEN, "--folds", "folds.csv"]) == 0
    text = capsys.readouterr().out
    folds = pd.read_csv("folds.csv").set_index(["dataset", "repeat", "fold"])
    own = folds[folds["method"] == "own"]
    # The default criterion is Gini's, so that an own class has the committed accuracies.
    gini = folds[folds["method"] == "gini"]
    assert len(own) == 10
    pd.testing.assert_series_equal(own["accuracy"], gini["accuracy"].reindex(own.index))
    # Nothing but the own method is computed.
    with Store(mine / "results" / ".store" / "cells.sqlite", readonly=True) as store:
        assert set(store.metrics(list(folds["key"]))) == set(own["key"])
    # The tiny paper chooses on the test rows alone, and that is marked.
    tuned = folds[folds["method"] == "bnm_csn_gini"]
    assert tuned["chosen_on_test"].all()
    assert not own["chosen_on_test"].any()
    assert f"{tuned.loc['iris', 'accuracy'].mean():.4f}‡" in text
    # An edited class is computed again.
    (mine / "mine.py").write_text(
        MINE.replace(
            "    pass", "    def predict(self, X):\n        return self.classes_[[0] * len(X)]"
        )
    )
    assert main(["compare", "mine.py:Mine", *GIVEN, "--folds", "folds.csv", "datasets=[iris]"]) == 0
    again = pd.read_csv("folds.csv")
    assert again.loc[again["method"] == "own", "accuracy"].tolist() == pytest.approx([1 / 3] * 5)
    assert set(again["dataset"]) == {"iris"}


def test_an_estimator_of_a_package_may_be_named(mine, capsys):
    assert main(["compare", "sklearn.dummy.DummyClassifier", *GIVEN, "datasets=[iris]"]) == 0
    text = capsys.readouterr().out
    rows = [line.split() for line in text.splitlines()]
    (iris,) = (row for row in rows if row[:1] == ["iris"])
    assert iris[1] == "0.3333"
    assert iris[3] == iris[5] == "▲"
    # More accurate, less accurate, and how many of these significantly.
    assert ["Gini", "0", "1", "0", "1", "1"] in rows


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent.py:Mine", *GIVEN], "There is no file absent.py"),
        (["mine:Mien", *GIVEN], "Mine"),
        (["mine:nothing", *GIVEN], "is no estimator"),
        (["mine:Broken", *GIVEN], "no idea"),
        (["mine:Mine", "--with", "tinny"], "Unknown paper"),
        (["mine:Mine", *GIVEN, "--item", "table9"], "Unknown item"),
        (["mine:Mine", *GIVEN, "--item", "figure1"], "has no folds"),
        (["mine:Mine", *GIVEN, "datasets=[iris,zoo]"], "no data set zoo"),
        (["mine:Mine", *GIVEN, "protocol=cv10"], "override"),
        (["mine:Mine", *GIVEN, "committed=nowhere"], "committed=nowhere is no folder"),
        (["mine:Mine", *GIVEN, "committed=."], "has no results of tiny"),
        (["mine:Mine", *GIVEN, "method.max_deepth=2"], "'max_deepth'"),
        (["mine:Mine", *GIVEN, "method.max_depth=2,3"], "must give one value"),
        (["mine:Mine", *GIVEN, "--metric", "acuracy"], "'acuracy'"),
        (["mine:Mine", *GIVEN, "--metric", "train_ms_10_trees"], "is a time"),
        (["mine:Mine", *GIVEN, "--replicates", "2"], "from 1 to 1"),
        (["os:path", *GIVEN], "os is no module of an installed package"),
    ],
)
def test_what_is_wrong_is_one_sentence(mine, capsys, words, message):
    assert main(["compare", *words]) == 2
    text = capsys.readouterr().err
    assert message in text
    assert text.count("\n") == 1


def test_parameters_and_metrics_are_asked_for(mine, capsys):
    words = ["--metric", "leaves", "--metric", "error_pct", "method.max_depth=1", "datasets=[iris]"]
    assert main(["compare", "mine:Mine", *GIVEN, *words, "--folds", "folds.csv"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    leaves, errors = (row for row in rows if row[:1] == ["iris"])
    folds = pd.read_csv("folds.csv").set_index("method")
    assert set(folds.loc["own", "leaves"]) == {2}
    gini = folds.loc["gini"]
    assert leaves[1:4] == ["2.0", f"{gini['leaves'].mean():.1f}", "▼"]
    assert errors[1] == f"{100 * (1 - folds.loc['own', 'accuracy'].mean()):.1f}"
    # Fewer leaves are better, and so are fewer errors.
    found = [row for row in rows if row[:1] == ["Gini"]]
    assert found[1:] != found[:1]
    assert found == [["Gini", "1", "0", "1", "0", "1"], ["Gini", "0", "1", "0", "1", "1"]]
