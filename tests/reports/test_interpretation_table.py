"""Readings held against all that is printed of a data set."""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from toy_paper import (
    BASE,
    CV5,
    DATASETS,
    PRINTED,
    cells,
    context_of,
    frame_of,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree_lab import reports


@pytest.fixture
def interpretations(tmp_path):
    """The csv and the Markdown of one whose best point does not agree, but another does."""
    item = toy_item("interpretations")
    experiment = toy_experiment(tmp_path, toy_paper(tmp_path), item)
    # Printed of waveform1_R: Base .80 at depth 4, New+Base .86 at depth 2.
    frame = frame_of(
        cells("waveform1_R", "base", [0.79, 0.80, 0.81], depth=4.0),
        cells("waveform1_R", "new", [0.87, 0.88, 0.89], 0, {"k": 2}, depth=5.0),
        cells("waveform1_R", "new", [0.85, 0.86, 0.87], 1, {"k": 3}, depth=2.0),
        # Nothing is printed of its depth, so it is not compared.
        cells("waveform0_R", "new", [0.9, 0.9, 0.9], 0, {"k": 2}, depth=1.0),
    )
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame))
    texts = {path.suffix: path.read_text() for path in paths}
    return pd.read_csv(io.StringIO(texts[".csv"])).set_index("method"), texts[".md"]


def test_selected_and_agreeing_points(interpretations):
    table, _ = interpretations
    assert table["n_datasets"].to_dict() == {"Base": 1, "New+Base": 1}
    assert table["selected_agrees"].to_dict() == {"Base": 1, "New+Base": 0}
    assert table["some_point_agrees"].to_dict() == {"Base": 1, "New+Base": 1}
    assert table["agreeing_points"].to_dict() == {"Base": 1, "New+Base": 1}
    assert table["points"].to_dict() == {"Base": 1, "New+Base": 2}


def test_differences_are_those_of_the_selected_point(interpretations):
    table, _ = interpretations
    assert table.loc["New+Base", "accuracy_difference"] == pytest.approx(0.02)
    assert table.loc["New+Base", "depth_ratio"] == pytest.approx(6 / 3)
    assert table.loc["Base", "depth_ratio"] == pytest.approx(1.0)


def test_methods_without_a_grid_agree_or_differ(tmp_path):
    paper = toy_paper(tmp_path)
    sizes = "table3,xor,Base,error_pct,45,,\ntable3,xor,Base,tree_size,7,,\n"
    (tmp_path / "toy.csv").write_text(PRINTED + sizes)
    item = toy_item("interpretations", ["xor"], metrics=["error_pct", "tree_size"])
    item = replace(item, methods=(BASE,))
    frame = frame_of(cells("xor", "base", [0.54, 0.55, 0.56]))
    experiment = toy_experiment(tmp_path, paper, item)
    context = context_of(experiment, toy_plan(item), frame)
    text = reports.write_item(context)[1].read_text()
    assert "| mean abs. error_pct difference | tree_size ratio | agrees | differs on |" in text
    assert "| Base | default | 1 | 0.0 | 1.00 | 1 | — |" in text
    assert "points" not in text.partition("Two numbers match")[0]


def test_markdown(interpretations):
    _, text = interpretations
    assert "| Base | default | 1 | 0.0000 | 1.00 | 1 | 1 | 1 of 1 | — |" in text
    assert "| New+Base | default | 1 | 0.0200 | 2.00 | 0 | 1 | 1 of 2 | — |" in text


def runs_of(tmp_path, accuracies, **protocol):
    """Return the row of Base on waveform1_R, of which .80 is published, with runs of its folds."""
    item = toy_item("interpretations", DATASETS[:1], metrics=["accuracy"])
    # The paper has no item of that name, so that it is no part of one.
    item = replace(item, name="others", methods=(BASE,), protocol=replace(CV5, **protocol))
    runs = [
        frame_of(cells("waveform1_R", "base", [a - 0.04, a, a + 0.04])).assign(repeat=run)
        for run, a in enumerate(accuracies)
    ]
    first, further = runs[0], pd.concat(runs[1:])
    whole = item.protocol.replicates > 1
    experiment = toy_experiment(tmp_path, toy_paper(tmp_path), item)
    context = context_of(experiment, toy_plan(item), first if whole else pd.concat(runs))
    vars(context)["replicates"] = SimpleNamespace(best=further.assign(reason="", params="{}"))
    table, text = (path.read_text() for path in reports.write_item(context)[:2])
    return pd.read_csv(io.StringIO(table)).iloc[0], text


@pytest.mark.parametrize("protocol", [{"repeats": 3}, {"replicates": 3}])
def test_runs_of_a_protocol_judge_by_their_interval(tmp_path, protocol):
    near, text = runs_of(tmp_path, [0.78, 0.80, 0.84], **protocol)
    assert near["accuracy_difference"] == pytest.approx(0.8067 - 0.80, abs=1e-4)
    assert near["selected_agrees"] == near["agreeing_points"] == 1
    assert "95 % prediction interval of one replicate" in text
    assert "Two numbers agree" not in text
    # By the spread of the folds alone they would agree.
    far, _ = runs_of(tmp_path, [0.829, 0.831, 0.830], **protocol)
    assert far["selected_agrees"] == far["agreeing_points"] == 0
    assert far["no_point_agrees"] == "waveform1_R"
