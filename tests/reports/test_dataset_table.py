"""`reports.kinds.fact_tables`: data sets as they are beside what the paper says of them."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from toy_paper import PRINTED, cells, context_of, frame_of, make_item, toy_experiment, toy_paper

from retree_lab import reports
from retree_lab.experiments.planning.plan import Plan

SHAPES = """\
table1,xor,,rows,800,,
table1,xor,,attributes,2,,
table1,xor,,classes,2,,
table1,waveform1_R,,rows,4999,,
"""
EMPTY = frame_of(cells("xor", "base", [0.5])).iloc[:0]


@pytest.fixture
def described(tmp_path):
    paper = toy_paper(tmp_path)
    (tmp_path / "toy.csv").write_text(PRINTED + SHAPES)
    datasets = ("xor", "waveform1_R", "waveform0_R")
    options = {"kind": "dataset_table", "caption": "Sets", "datasets": list(datasets)}
    paper = replace(paper, items={**paper.items, "table1": options}, remarks={"xor": "Four blobs."})
    item = make_item("table1", "dataset_table", datasets, (), {})
    return toy_experiment(tmp_path, paper, item), Plan(item, [], {"waveform0_R": "no network"})


@pytest.fixture
def files(described):
    experiment, plan = described
    paths = reports.write_item(context_of(experiment, plan, EMPTY))
    return {path.suffix: path.read_text() for path in paths}


def test_shapes_are_counted_and_must_be_the_same(files):
    rows = {(r["dataset"], r["metric"]): r for r in csv.DictReader(io.StringIO(files[".csv"]))}
    assert len(rows) == 9
    cell = rows["xor", "rows"]
    assert (cell["method"], cell["reproduced"], cell["verdict"]) == ("", "800", "agrees")
    cell = rows["waveform1_R", "rows"]
    assert (cell["reproduced"], cell["difference"], cell["verdict"]) == ("5000", "1", "differs")
    assert rows["waveform1_R", "classes"]["verdict"] == "missing"
    assert (rows["waveform0_R", "rows"]["reproduced"], rows["xor", "classes"]["reproduced"]) == (
        "",
        "2",
    )


def test_markdown_tells_sources_and_what_is_known(files):
    lines = files[".md"].splitlines()
    assert "| xor [1] | 800 (800) ✓ | 2 (2) ✓ | 2 (2) ✓ | generator |" in lines
    assert "| waveform1_R | 5000 (4999) ≈ | 21 | 2 | generator, a fresh draw |" in lines
    assert "| waveform0_R [2] | — | — | — |  |" in lines
    assert "[1] Four blobs.  " in lines
    assert "[2] no network" in lines
    assert "- Two counts match if they are the same." in lines
    assert not any("standard deviation" in line for line in lines)


def test_the_page_lists_a_count_that_differs(described):
    experiment, plan = described
    context = context_of(experiment, plan, EMPTY)
    page = reports.write_page(experiment, [context])[0].read_text()
    assert "| Table 1 | waveform1_R |  | rows | [5000](table1.md) | 4999 | +1 | 0 |" in page
    assert "| Table 1 | rows |  | 1 | 1 | 0 | 0 | 50% |" in page
    assert "cross-validation" not in page
