"""Eq. 7 of structure_purity against eq. 6."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from toy_paper import cells, context_of, frame_of, make_item, toy_experiment, toy_paper

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.planning.plan import Plan
from retree_lab.papers.structure_purity import kinds

COLUMNS = {"data set": "{dataset}", "nodes": "{nodes}", "other": "{other_split} of {nodes}"}
EMPTY = frame_of(cells("xor", "base", [0.5])).iloc[:0]


def rendered(tmp_path, omega2=0.02, **blanks):
    rows = "structure_purity/kinds.py:approximation"
    options = {"rows": rows, "options": {"omega2": omega2}, "columns": COLUMNS}
    item = make_item("approximation", "computed", ("xor",), (), options)
    paper = toy_paper(tmp_path)
    paper = replace(paper, items={**paper.items, "approximation": {"datasets": ["xor"]}})
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, Plan(item, [], blanks), EMPTY))
    return {path.suffix: path.read_text() for path in paths}


def test_penalties_by_hand():
    # Scaled, the left child has (0, 0) and (1/4, 0) of one class, (1/4, 1/2) of the other.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [4.0, 2.0]])
    by_threshold, by_rows = kinds.penalties(X, np.array([0, 0, 1, 1]), 0, 1.0)
    assert by_threshold == 0.0
    assert by_rows == 0.25
    # A threshold at 0 leaves (1/4, 0) and (1/4, 1/2), (1, 1) on the right: at 1/4, 1/2 apart.
    assert kinds.penalties(X, np.array([0, 0, 1, 1]), 0, 0.0) == (0.5, 0.25)


def test_a_row_for_each_data_set(tmp_path):
    files = rendered(tmp_path)
    (row,) = csv.DictReader(io.StringIO(files[".csv"]))
    assert 0 <= int(row["other_feature"]) <= int(row["other_split"]) <= int(row["nodes"])
    assert int(row["other_split"]) > 0
    assert float(row["penalty_6"]) != float(row["penalty_7"])
    assert f"| xor | {row['nodes']} | {row['other_split']} of {row['nodes']} |" in files[".md"]


def test_without_data_there_is_no_row(tmp_path):
    assert "| xor |" not in rendered(tmp_path, xor="no network")[".md"]


def test_bnm_must_count(tmp_path):
    with pytest.raises(RetreeError, match="omega2 of approximation must be a number above 0"):
        rendered(tmp_path, omega2=0.0)
