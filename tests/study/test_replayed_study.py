"""A study from a csv to an edited method, step by step as its author goes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pandas as pd
import pytest

from retree_lab import paths
from retree_lab.cli import main

PAPER = """\
title: One rule
authors: Me
reference: None
items:
  table1:
    kind: metric_table
    caption: Accuracy
    protocol: thirds
    datasets: [tennis]
    methods: [one_rule, c45_pruned]
    metrics: [accuracy, "estimators.py:hits"]
"""
CODE = """\
import time

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin


class OneRule(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep(0.05)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.common_ = np.bincount(codes).argmax()
        column = pd.DataFrame(X).iloc[:, 0].to_numpy()
        self.by_ = {level: np.bincount(codes[column == level]).argmax() for level in set(column)}
        return self

    def predict(self, X):
        column = pd.DataFrame(X).iloc[:, 0]
        return self.classes_[[self.by_.get(level, self.common_) for level in column]]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def hits(y, predicted):
    return (y == predicted).mean()
"""
EDITED = CODE.replace("self.by_.get(level, self.common_)", "self.common_")
FILES = {
    "paper.yaml": PAPER,
    "methods/mine.yaml": "one_rule: {name: 1R, estimator: 'estimators.py:OneRule'}\n",
    "protocols/thirds.yaml": "splitter: holdout\ntest_share: 0.34\nrepeats: 25\n",
    "datasets/tennis.yaml": "file: tennis.csv\ntarget: play\n",
    "estimators.py": CODE,
}
N = 60


@pytest.fixture
def tennis(tmp_path):
    """The study; its second column is a number that a ``?`` must not make a category."""
    folder = tmp_path / "tennis"
    rows = [
        ("sun" if i % 2 else "rain", "?" if i % 10 == 0 else 10 + i, "yes" if i % 2 else "no")
        for i in range(N)
    ]
    table = pd.DataFrame(rows, columns=["sky", "degrees", "play"])
    for name, text in {**FILES, "tennis.csv": table.to_csv(index=False)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def accuracies(folder):
    table = pd.read_csv(folder / "results" / "tennis" / "table1.csv")
    return table[table["metric"] == "accuracy"].set_index("method")["reproduced"]


def stored(folder):
    """Return how many cells are stored, 0 where there is no store yet."""
    path = folder / "results/.store/cells.sqlite"
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute("SELECT COUNT(*) FROM cells").fetchone()[0]
    return 0


def kill_midway(folder, arguments):
    """Kill a run when some of its cells are stored."""
    command = [
        sys.executable,
        "-c",
        "import sys; from retree_lab.cli import main; main(sys.argv[1:])",
    ]
    run = subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL)
    try:
        while stored(folder) < 3 and run.poll() is None:
            time.sleep(0.02)
    finally:
        run.kill()
        run.wait()


@pytest.mark.slow
def test_a_study_from_its_csv_to_an_edited_method(tennis, capsys):
    def said(*words):
        capsys.readouterr()
        assert main([*words]) == 0
        return " ".join(capsys.readouterr().out.split())

    arguments = ["run", "--report", "-j", "1", "--study", str(tennis), "item=all"]
    text = said("check", str(tennis))
    assert "tennis: degrees: numeric, 6 missing" in text
    assert "tennis: sky: categorical, 2 levels" in text
    kill_midway(tennis, arguments)
    before = stored(tennis)
    assert 3 <= before < 50
    # Edited between the kill and the resumption: no column mixes the two states.
    (tennis / "estimators.py").write_text(EDITED)
    assert "stale" in said("plan", "--study", str(tennis), "item=all")
    said(*arguments)
    # The most frequent class of a half is right on half of the rows that are stratified.
    assert accuracies(tennis)["1R"] == pytest.approx(0.5, abs=0.05)
    assert accuracies(tennis)["C4.5 (pruned)"] == 1
    # Put back, what was computed before the kill counts again, and the rest is computed.
    (tennis / "estimators.py").write_text(CODE)
    said(*arguments)
    assert accuracies(tennis)["1R"] == 1
    assert stored(tennis) == 25 * 3
    assert "0 to compute" in said("plan", "--study", str(tennis), "item=all")
    assert "Unchanged" in said("diff", "--study", str(tennis))
    (tennis / "protocols" / "thirds.yaml").write_text("splitter: holdout\ntest_size: 0.34\n")
    assert main(["check", str(tennis)]) == 2
    assert (
        f"See {paths.project_dir() / 'docs' / 'guide' / 'studies.md'}." in capsys.readouterr().err
    )
