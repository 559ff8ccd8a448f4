"""``retree compare``: an own estimator on the folds of committed results."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pandas as pd
import pytest

from retree_lab.cli import main
from retree_lab.experiments.storing.store import Store

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
        (["mine:nothing", *GIVEN], "is not an estimator"),
        (["mine:Broken", *GIVEN], "no idea"),
        (["mine:Mine", "--with", "tinny"], "Unknown paper"),
        (["mine:Mine", *GIVEN, "--item", "table9"], "Unknown item"),
        (["mine:Mine", *GIVEN, "--item", "figure1"], "has no folds"),
        (["mine:Mine", *GIVEN, "datasets=[iris,zoo]"], "no data set zoo"),
        (["mine:Mine", *GIVEN, "protocol=cv10"], "override"),
        (["mine:Mine", *GIVEN, "committed=nowhere"], "committed=nowhere is neither a folder"),
        (["mine:Mine", *GIVEN, "committed=."], "has no results of tiny"),
        (["mine:Mine", *GIVEN, "method.max_deepth=2"], "'max_deepth'"),
        (["mine:Mine", *GIVEN, "method.max_depth=2,3"], "must give one value"),
        (["mine:Mine", *GIVEN, "--metric", "acuracy"], "'acuracy'"),
        (["mine:Mine", *GIVEN, "--metric", "train_ms_10_trees"], "is a time"),
        (["mine:Mine", *GIVEN, "--replicates", "2"], "from 1 to 1"),
        (["mine:Mine", *GIVEN, "--page", "page.txt"], "must end in .html or .md"),
        (["os:path", *GIVEN], "os is not a module of an installed package"),
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


def test_a_part_of_one_paper_is_taken_from_anywhere(mine, tmp_path, monkeypatch, capsys):
    """As from a wheel: the class, the results and the working folder are in three places."""
    other = mine / "results" / "other"
    shutil.copytree(mine / "results" / "tiny", other)
    (mine / "results" / "other" / "cells.csv.gz").write_bytes(b"nobody reads this")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    words = ["compare", "../mine.py:Mine", *GIVEN, "datasets=[iris]", "method.max_depth=2"]
    assert main([*words, f"committed={mine / 'results'}", "--page", "page.md"]) == 0
    # Five folds of a class without parameters to choose, and the rows of iris alone.
    assert "cells restored from" in capsys.readouterr().out
    folds = pd.read_csv("page.csv")
    assert set(folds["dataset"]) == {"iris"}
    texts = folds.groupby("method")["params"].first()
    params = {method: json.loads(text) for method, text in texts.items()}
    assert params["own"] == {"max_depth": 2}
    assert params["gini"]["criterion"] == "gini"
    page = (work / "page.md").read_text()
    assert page.startswith("# Mine beside tiny, table1\n")
    assert f"| iris | {folds.loc[folds['method'] == 'own', 'accuracy'].mean():.4f} |" in page
    assert (work / "results" / ".store" / ".gitignore").is_file()


def test_a_page_to_share_is_one_file(mine):
    words = ["compare", "mine:Mine", *GIVEN, "datasets=[iris]", "--page", "page.html"]
    assert main(words) == 0
    page, folds = (mine / "page.html").read_text(), pd.read_csv(mine / "page.csv")
    assert page.startswith("<!doctype html>")
    assert "<h1>Mine beside tiny, table1</h1>" in page
    assert f"<td>{folds.loc[folds['method'] == 'own', 'accuracy'].mean():.4f}</td>" in page
    assert "<code>mine:Mine</code> {}, fitted by retree" in page
    # Nothing is loaded from elsewhere, and no folder of this machine is named.
    assert not re.search(r'(src|href)="', page)
    assert str(mine) not in page


def test_results_are_fetched_from_an_address_once(mine, tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.delenv("RETREE_OFFLINE", raising=False)

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(mine)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        work = tmp_path / "work"
        work.mkdir()
        monkeypatch.chdir(work)
        address = f"http://127.0.0.1:{server.server_port}/results"
        words = ["compare", "../mine.py:Mine", *GIVEN, "datasets=[iris]", f"committed={address}"]
        assert main(words) == 0
        found = capsys.readouterr().out
        assert "Gini" in found
        cells = [path for path in asked if path.endswith("cells.csv.gz")]
        assert main(words) == 0
        assert (
            [path for path in asked if path.endswith("cells.csv.gz")]
            == cells
            == ["/results/tiny/cells.csv.gz"]
        )
        assert main([*words[:-1], f"{words[-1]}/nowhere"]) == 2
        assert "nowhere has no results of tiny: name" in capsys.readouterr().err
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
