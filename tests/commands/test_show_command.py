"""``retree show`` in a clone that has committed results but no store."""

from __future__ import annotations

import gzip
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from retree_lab.cli import main
from retree_lab.commands.show.folds import Folds
from retree_lab.commands.show.show_screen import print_published
from retree_lab.datasets import Dataset, load
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.planning.splits import OUTER
from retree_lab.study.registry import find_estimator

NUMBER = ["tiny", "table1", "iris", "bnm_csn_gini"]


@pytest.fixture
def cells(tiny_clone):
    """The committed rows of the number's item on iris."""
    table = pd.read_csv(tiny_clone / "results" / "tiny" / "cells.csv.gz", dtype={"key": str})
    return table[(table["dataset"] == "iris") & (table["method"] == "BNM+CSN+Gini")]


@pytest.fixture
def row(tiny_clone):
    """The number's row in the rendered table."""
    table = pd.read_csv(tiny_clone / "results" / "tiny" / "table1.csv")
    return table[(table["dataset"] == "iris") & (table["method"] == "BNM+CSN+Gini")].iloc[0]


def show(capsys, *arguments):
    code = main(["show", *arguments])
    return code, capsys.readouterr().out


def test_a_number_is_the_mean_of_the_folds_that_are_shown(cells, row, capsys):
    code, out = show(capsys, *NUMBER)
    assert code == 0
    assert f"accuracy: {row['reproduced']:.4f}, the mean of 5 folds, standard deviation 0." in out
    assert f"table1.csv: reproduced {row['reproduced']:.4f}" in out
    assert f"At {row['params']}, the point with the highest mean test accuracy" in out
    chosen = cells[cells["params"] == row["params"]]
    assert len(chosen) == 5
    assert chosen["accuracy"].mean() == pytest.approx(row["reproduced"])
    for key in chosen["key"]:
        assert key in out
    for key in set(cells["key"]) - set(chosen["key"]):
        assert key not in out


def test_all_that_a_fold_comes_from_is_told(cells, capsys):
    out = " ".join(show(capsys, *NUMBER)[1].split())
    version = find_estimator("structure_purity").version
    assert f"structure_purity, version {version} (retree.trees.structure" in out
    assert "omega2=0.01" in out
    parameters, defaults = out.partition("parameters ")[2].partition("defaults ")[::2]
    assert "criterion='bnm+csn', " in parameters
    assert "code_matrix=None" in defaults
    assert "150 rows, 4 features" in out
    assert "numpy" in out
    assert "command retree run paper=tiny item=table1 datasets=[iris] methods=[bnm_csn_gini]" in out


def test_published_names_and_other_metrics_will_do(row, capsys):
    out = show(capsys, "tiny", "table1", "iris", "BNM+CSN+Gini", "--metric", "leaves")[1]
    assert "leaves: " in out
    assert "the mean of 5 folds" in out


def test_the_digits_of_a_key_are_enough(cells, capsys):
    cell = cells.iloc[-1]
    code, out = show(capsys, cell["key"])
    assert code == 0
    assert cell["key"] in out
    assert "the mean of" not in out
    (line,) = (line for line in out.splitlines() if cell["key"] in line)
    assert line.split()[1:3] == [str(cell["repeat"]), str(cell["fold"])]


def test_a_fold_has_its_rows_with_predictions_that_are_not_committed(cells, row, capsys):
    chosen = cells[(cells["params"] == row["params"]) & (cells["fold"] == 2)].iloc[0]
    code, out = show(capsys, *NUMBER, "--fold", "2")
    assert code == 0
    wrong = round((1 - chosen["accuracy"]) * 30)
    assert f"repeat 0, fold 2: {wrong} of 30 test rows are misclassified" in out
    rows = [line.split() for line in out.splitlines() if line.split()[:1] and "Iris" in line]
    assert len(rows) == 30
    y = load("iris")[1]
    assert all(y.iloc[int(number)] == known for number, known, *_ in rows)
    assert sum(known != predicted for _, known, predicted, *_ in rows) == wrong


def test_recomputed_folds_are_equal(cells, capsys):
    code, out = show(capsys, *NUMBER, "--recompute")
    assert code == 0
    assert out.count("equal, as is its digest") == 5


def test_a_fold_that_is_not_equal_is_named(tiny_clone, cells, capsys):
    path = tiny_clone / "results" / "tiny" / "cells.csv.gz"
    digest = cells["digest"].iloc[0]
    text = gzip.decompress(path.read_bytes()).decode()
    path.write_bytes(gzip.compress(text.replace(digest, "0" * 16).encode()))
    code, out = show(capsys, cells["key"].iloc[0], "--recompute")
    assert code == 1
    assert f"digest {'0' * 16} → {digest}" in out


def test_no_line_is_wider_than_the_screen(cells, capsys):
    out = show(capsys, *NUMBER)[1]
    said = [line for line in out.splitlines() if "restored from" not in line]
    assert max(map(len, said)) <= 100


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["tinny", *NUMBER[1:]], "Unknown paper 'tinny'. Did you mean 'tiny'"),
        (["tiny", "tabel1", *NUMBER[2:]], "Unknown item of tiny: 'tabel1'. Did you mean 'table1'"),
        (["tiny", "table1", "iriss", "gini"], "Unknown data set of table1: 'iriss'. Did you mean"),
        (["tiny", "table1", "iris", "ginni"], "Unknown method of table1: 'ginni'. Did you mean"),
        ([*NUMBER, "--metric", "acuracy"], "Unknown metric of table1: 'acuracy'. Did you mean"),
        ([*NUMBER, "--fold", "9"], "Unknown fold '9 of repeat 0'"),
        (["0123456789abcdef"], "no cell has a key that begins with 0123456789abcdef"),
        (["tiny", "table1"], "Usage: retree show PAPER ITEM DATASET METHOD"),
    ],
    ids=lambda value: "",
)
def test_wrong_names_are_one_sentence(tiny_clone, capsys, names, message):
    assert main(["show", *names]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("verdict", "published", "said"),
    [
        ("agrees", 0.8, "match (agrees)"),
        ("edge", 0.81, "close (outside, but chance explains it)"),
        ("differs", 0.5, "off (differs)"),
        ("missing", 0.5, "not checkable"),
        ("", 0.5, "not judged"),
    ],
)
def test_a_number_is_judged_in_the_words_of_the_pages(capsys, verdict, published, said):
    row = {"reproduced": 0.8, "published": published, "verdict": verdict, "n_replicates": 1}
    print_published(row | {"low": math.nan, "high": math.nan}, "t.csv", "accuracy", Console())
    assert f"published {published:.4f}: {said}\n" in capsys.readouterr().out


def test_classes_are_named_in_their_declared_order(monkeypatch):
    classes = pd.CategoricalDtype(["sick", "never", "healthy"])  # nobody is "never"
    y = pd.Series(["sick", "healthy"] * 5, name="class").astype(classes)
    dataset = Dataset("ward", pd.DataFrame({"age": range(10)}), y, "own", "", "")
    plan = SimpleNamespace(item=SimpleNamespace(protocol=Protocol("five", folds=5)))
    folds = Folds(plan, dataset, pd.DataFrame(), None, {}, [])
    monkeypatch.setattr(Folds, "_predicted", lambda *_: np.array([0, 2]))
    cell = SimpleNamespace(repeat=0, fold=0, inner=OUTER)
    table = folds.predictions(cell, None)
    assert table["predicted"].tolist() == ["sick", "healthy"]
    assert table["class"].tolist() == [y[row] for row in table["row"]]
