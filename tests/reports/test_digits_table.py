"""`reports.kinds.equality`: how many numbers are equal to the last digit, or by chance."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from toy_paper import (
    PRINTED,
    cells,
    context_of,
    frame_of,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.reports.document import Table

# Means of three runs of two folds of 10 rows each: published are .80, with ±.1414, and .70.
RUNS = {"waveform1_R": [(0.7, 0.9), (0.8, 0.9), (0.8, 0.8)]}
RUNS["waveform0_R"] = [(0.7, 0.8), (0.7, 0.7), (0.7, 0.6)]


def _context(tmp_path, n_runs=3):
    paper = toy_paper(tmp_path)
    (tmp_path / "toy.csv").write_text(
        PRINTED.replace("Base,accuracy,0.8000,,", "Base,accuracy,0.8000,.1414,")
    )
    item = toy_item(
        "interpretations", kind="digits_table", metrics=["accuracy", "depth"], digits="rounded"
    )
    rows = [
        {**row, "repeat": repeat}
        for dataset, runs in RUNS.items()
        for repeat, accuracies in enumerate(runs[:n_runs])
        # A depth of 4.0 is published on waveform1_R; one tree of run 1 is a level deeper.
        for row in cells(dataset, "base", accuracies, depth=4.0)
    ]
    rows[0]["depth"] = 5.0
    experiment = toy_experiment(tmp_path, paper, item)
    return context_of(experiment, toy_plan(item), frame_of(rows))


def test_each_run_is_judged_and_then_all_together(tmp_path):
    table = _context(tmp_path).rows.set_index(["metric", "dataset"])
    assert list(table["equal"]) == [True, False, False]
    assert list(table["equal_in_others"]) == [1, 1, 2]
    assert list(table["other_runs"]) == [2, 2, 2]
    # Over all runs, the means are .8167, .7000 and 4.17.
    assert list(table["mean_equal"]) == [False, True, False]
    # .75 over 20 rows is one row above .70, and a depth of 4.5 over two trees one level above 4.
    assert list(table["steps"]) == [0, 1, 1]
    assert table.loc[("accuracy", "waveform0_R"), "distance"] == "1 row away over 20 rows"
    # The deviation of .7 and .9 is .1414; where none is published, none is equal.
    assert list(table["std_equal"]) == [True, False, False]


def test_the_page_counts_equal_numbers_beside_those_that_chance_gives(tmp_path):
    context = _context(tmp_path)
    text = next(p for p in reports.write_item(context) if p.suffix == ".md").read_text()
    assert "| Base | default | accuracy | 2 | 1 | 1.0 | 1 | 1 | 0 |" in text
    assert "| Base | default | depth | 1 | 0 | 1.0 | — | 0 | 1 |" in text
    assert "| waveform1_R | 0.8000 | 0.8000 ✓ |" in text
    assert "| waveform0_R | 0.7000 | 0.7500 (1) |" in text


def test_without_further_runs_nothing_is_said_of_chance(tmp_path):
    document = _context(tmp_path, n_runs=1).document
    table = next(block for block in document.blocks if isinstance(block, Table))
    assert table.rows[0] == ["Base", "default", "accuracy", "2", "1", "—", "1", "—", "0"]


def test_the_csv_has_every_run_1(tmp_path):
    context = _context(tmp_path)
    text = next(p for p in reports.write_item(context) if p.suffix == ".csv").read_text()
    assert pd.read_csv(io.StringIO(text))["run_1"].tolist() == [0.8, 0.75, 4.5]


def test_an_item_without_digits_is_refused():
    with pytest.raises(RetreeError, match="interpretations lacks digits; say rounded or cut"):
        toy_item("interpretations", kind="digits_table")
