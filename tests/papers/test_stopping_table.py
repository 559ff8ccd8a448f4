"""What rules of stopping do, over data sets."""

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

from retree import reports
from retree.errors import RetreeError

KIND = "pruning/kinds.py:StoppingTable"
DATASETS = ("waveform1_R", "waveform0_R", "xor")
RULE = replace(NEW, key="base_rule", name="Ruled")
OPTIONS = {"baselines": ["base"], "rules": {"rule": "few rows"}, "always": "Pure nodes too."}


def rendered(tmp_path, *methods):
    paper = toy_paper(tmp_path)
    paper = replace(paper, items={**paper.items, "stopping": {"datasets": list(DATASETS)}})
    item = make_item("stopping", KIND, DATASETS, methods, OPTIONS, caption="Stopping")
    frame = frame_of(
        *(cells(name, "base", [0.5] * 5, leaves=9.0) for name in DATASETS),
        cells("waveform1_R", "base_rule", [0.8] * 5, leaves=3.0),
        cells("waveform0_R", "base_rule", [0.4] * 5, leaves=6.0),
        cells("xor", "base_rule", [0.6] * 5, leaves=9.0),
    )
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame))
    return {path.suffix: path.read_text() for path in paths}


def test_rules_beside_the_tree_without_them(tmp_path):
    page = rendered(tmp_path, BASE, RULE)[".md"]
    assert "| rule | Base: accuracy | Base: leaves |" in page
    assert "| none | 0.5000 | 9.0 |" in page
    # More accurate on two sets and less on one, smaller on two.
    assert "| few rows | 0.6000 (2, 1) | 6.0 (2) |" in page
    assert "Pure nodes too." in page


def test_every_kind_of_tree_has_every_rule(tmp_path):
    with pytest.raises(RetreeError, match="stopping needs the methods base_rule"):
        rendered(tmp_path, BASE)
