"""`reports.kinds.reference_tables`: times beside those of another machine, compared as ratios."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from toy_paper import (
    BASE,
    NEW,
    OTHER,
    PRINTED,
    cells,
    context_of,
    frame_of,
    make_item,
    toy_experiment,
    toy_paper,
)

from retree_lab import reports
from retree_lab.experiments.planning.keys import Cell, Parts
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.outcomes import Outcome, pack_predictions
from retree_lab.experiments.storing.store import Store

TIMES = """\
table5,xor,Base,train_ms_10_trees,100,,
table5,xor,New+Base,train_ms_10_trees,250,,
table5,xor,Other,train_ms_10_trees,700,,
table5,waveform1_R,Base,train_ms_10_trees,100,,
table5,waveform1_R,New+Base,train_ms_10_trees,50,,
"""
OPTIONS = {
    "kind": "time_table",
    "caption": "Times",
    "datasets": ["xor", "waveform1_R"],
    "methods": ["base", "new", "other"],
    "reference": "base",
}
ALONE = {"name": "cv5", "folds": 5, "seed": 0, "inner_folds": 0, "timed": True}
FRAME = frame_of(
    cells("xor", "base", [0.5, 0.5], cpu_seconds=0.01, fit_seconds=0.02),
    cells("xor", "new", [0.5, 0.5], cpu_seconds=0.04, fit_seconds=0.05),
    cells("waveform1_R", "base", [0.5, 0.5], cpu_seconds=0.1, fit_seconds=0.1),
    cells("waveform1_R", "new", [0.5, 0.5], cpu_seconds=0.3, fit_seconds=0.3),
)


@pytest.fixture
def timed(tmp_path):
    """An experiment of one item of kind ``time_table``, and its plan."""
    paper = toy_paper(tmp_path)
    (tmp_path / "toy.csv").write_text(PRINTED + TIMES)
    paper = replace(paper, items={**paper.items, "table5": OPTIONS})
    protocol = type(toy_experiment(tmp_path, paper).protocol)(**ALONE)
    methods = (BASE, replace(NEW, tune=()), OTHER)
    options = {"reference": "base"}
    item = make_item("table5", "time_table", OPTIONS["datasets"], methods, options, protocol)
    return toy_experiment(tmp_path, paper, item), Plan(item, [], {"other": str(OTHER.missing)})


@pytest.fixture
def files(timed):
    experiment, plan = timed
    with Store(experiment.store) as store:
        run = store.begin_run("2024-01-02T03:04:05+00:00", {"platform": "CP/M", "cpu": "Z80"})
        for key in FRAME["key"]:
            cell = Cell("d", "m", {}, 0, 0, 0, -1, Parts("a", "b", "c", key, None), key)
            codes = pack_predictions(np.zeros(2, dtype=np.intp))
            store.record(run, [(cell, Outcome(key, accuracy=0.5, n_test=2, predictions=codes))])
        paths = reports.write_item(context_of(experiment, plan, FRAME, store), tex=True)
    return {path.suffix: path.read_text() for path in paths}


def rows_of(files):
    rows = csv.DictReader(io.StringIO(files[".csv"]))
    return {(row["dataset"], row["method"], row["metric"]): row for row in rows}


def test_times_are_those_of_ten_trees_and_have_no_verdict(files):
    rows = rows_of(files)
    cpu = rows["xor", "New+Base", "train_ms_10_trees"]
    assert (float(cpu["reproduced"]), cpu["published"]) == (pytest.approx(400), "250")
    assert (cpu["verdict"], cpu["difference"], cpu["n_folds"]) == ("", "", "2")
    wall = rows["xor", "New+Base", "train_wall_ms_10_trees"]
    assert (float(wall["reproduced"]), wall["published"]) == (pytest.approx(500), "")


def test_ratios_to_the_reference_are_judged_by_a_factor(files):
    rows = rows_of(files)
    near = rows["xor", "New+Base", "train_time_ratio"]
    assert float(near["reproduced"]) == pytest.approx(4.0)
    assert (near["published"], near["verdict"]) == ("2.5", "agrees")
    far = rows["waveform1_R", "New+Base", "train_time_ratio"]
    assert (float(far["reproduced"]), far["published"]) == (pytest.approx(3.0), "0.5")
    assert far["verdict"] == "differs"
    assert ("xor", "Base", "train_time_ratio") not in rows


def test_a_method_that_does_not_run_has_its_printed_ratio(files):
    row = rows_of(files)["xor", "Other", "train_time_ratio"]
    assert (row["reproduced"], row["published"], row["verdict"]) == ("", "7", "missing")
    assert row["n_folds"] == "0"


def test_markdown_names_machine_and_day(files):
    lines = files[".md"].splitlines()
    assert "| xor | 100 (100) | 400 (250) | — (700) |" in lines
    assert "| xor | 4.00 (2.50) ✓ | — (7.00) ? |" in lines
    assert "## CPU time relative to Base" in lines
    assert "- Measured on CP/M, Z80 (2024-01-02)." in lines
    assert any("nothing else ran at the same time" in line for line in lines)
    assert "- Of 3 published numbers: 1 match, 1 off, 1 not checkable." in lines


def test_tex_has_a_table_for_each_quantity(files):
    assert files[".tex"].count(r"\toprule") == 3
    assert files[".tex"].isascii()


def test_without_the_reference_there_are_no_ratios(timed):
    experiment, plan = timed
    item = replace(plan.item, methods=plan.item.methods[1:])
    plan = Plan(item, [], plan.unavailable)
    context = context_of(experiment, plan, FRAME)
    metrics = {c.metric for c in context.comparisons}
    assert metrics == {"train_ms_10_trees", "train_wall_ms_10_trees"}
    text = reports.write_item(context)[1].read_text()
    assert "in units of" not in text
    assert "Measured on" not in text
