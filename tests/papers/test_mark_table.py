"""Arrows and ticks of published tables against the numbers beside them, and against ours."""

import csv
import io
from dataclasses import replace

import pytest
from toy_paper import (
    BASE,
    NEW,
    cells,
    context_of,
    frame_of,
    make_item,
    toy_experiment,
    toy_paper,
    toy_plan,
)

from retree_lab import reports

KIND = "structure_purity/kinds.py:MarkTable"
DATASETS = ("waveform1_R", "waveform0_R", "xor")
PUBLISHED = """\
table,dataset,method,metric,value,std,marker
table2,waveform1_R,Base,accuracy,0.8000,,
table2,waveform1_R,New+Base,accuracy,0.8600,,↑
table2,waveform0_R,Base,accuracy,0.7000,,
table2,waveform0_R,New+Base,accuracy,0.7000,,↓
table2,xor,Base,accuracy,0.6000,,
table2,xor,New+Base,accuracy,0.5000,,
table3,waveform1_R,Base,depth,4.0,,
table3,waveform1_R,New+Base,depth,2.0,,√
table3,xor,New+Base,depth,2.0,,√
"""


@pytest.fixture
def files(tmp_path):
    paper = toy_paper(tmp_path)
    paper = replace(paper, items={**paper.items, "marks": {"datasets": list(DATASETS)}})
    (tmp_path / "toy.csv").write_text(PUBLISHED)
    options = {"baseline": "base", "of": {"table2": ["accuracy"], "table3": ["depth"]}}
    item = make_item("marks", KIND, DATASETS, (BASE, NEW), options, caption="Marks")
    frame = frame_of(
        cells("waveform1_R", "base", [0.8] * 5, depth=4.0),
        cells("waveform1_R", "new", [0.7] * 5, params={"k": 2}, depth=3.0),
        cells("waveform0_R", "base", [0.7] * 5),
        cells("waveform0_R", "new", [0.6] * 5, params={"k": 2}),
    )
    paths = reports.write_item(
        context_of(toy_experiment(tmp_path, paper, item), toy_plan(item), frame)
    )
    return {path.suffix: path.read_text() for path in paths}


def test_each_readable_mark_is_asked_of_both(files):
    rows = {(r["dataset"], r["metric"]): r for r in csv.DictReader(io.StringIO(files[".csv"]))}
    found = {place: (row["published"], row["reproduced"]) for place, row in rows.items()}
    assert found == {
        ("waveform1_R", "accuracy"): ("1", "0"),
        ("waveform0_R", "accuracy"): ("0", "1"),
        ("waveform1_R", "depth"): ("1", "1"),
        ("xor", "depth"): ("", ""),
    }


def test_page_counts_them(files):
    lines = files[".md"].splitlines()
    assert "| Table 2 | New+Base | accuracy | ↑ | 1 | 1 of 1 | 0 of 1 |" in lines
    assert "| Table 2 | New+Base | accuracy | ↓ | 1 | 0 of 1 | 1 of 1 |" in lines
    assert "| Table 3 | New+Base | depth | √ | 2 | 1 of 1 | 1 of 1 |" in lines
    assert "- Contradicted by the published numbers: New+Base on waveform0_R (↓)." in lines
    assert "- Contradicted by our means: New+Base on waveform1_R (↑)." in lines
