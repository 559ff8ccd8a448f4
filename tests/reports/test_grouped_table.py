"""Metric tables of groups of methods, and the figure of pruning paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toy_paper import ABSENT, cells, context_of, frame_of, make_item, toy_plan

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.definition.method import Method
from retree_lab.papers.pruning import kinds

NAMES = ["one", "one_cut", "two", "two_cut"]
METHODS = tuple(Method(name, name.upper(), estimator="cart") for name in NAMES)
OPTIONS = {"metrics": ["accuracy", "leaves"], "baseline": ["one", "two"], "means": True}
ITEM = make_item("table9", "metric_table", ("xor", "iris"), METHODS, OPTIONS)


@pytest.fixture
def written(experiment):
    configured = {"datasets": list(ITEM.datasets), "methods": NAMES}
    paper = replace(experiment.paper, items={ITEM.name: configured})
    experiment = replace(experiment, paper=paper)
    frame = frame_of(
        cells("xor", "one", [0.80, 0.81, 0.79, 0.80, 0.80], leaves=9.0),
        cells("xor", "one_cut", [0.90, 0.91, 0.89, 0.90, 0.90], leaves=4.0),
        cells("xor", "two", [0.95, 0.96, 0.94, 0.95, 0.95], leaves=8.0),
        cells("xor", "two_cut", [0.95, 0.95, 0.95, 0.94, 0.96], leaves=8.0),
        cells("iris", "one", [0.7] * 5),
        cells("iris", "one_cut", [0.7, 0.7, 0.7, 0.7, ABSENT]),
        cells("iris", "two", [0.6] * 5),
        cells("iris", "two_cut", [0.6] * 5),
    )
    paths = reports.write_item(context_of(experiment, toy_plan(ITEM), frame))
    return {path.suffix: path for path in paths}


def xor_frame():
    return frame_of(
        *(
            cells("xor", name, [level + k / 100 for k in range(5)])
            for name, level in zip(NAMES, (0.5, 0.6, 0.7, 0.8), strict=True)
        )
    )


def rows_of(text, heading):
    section = text.split(f"## {heading}\n")[1].split("##")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return {
        cells[0]: cells[1:] for cells in ([c.strip() for c in s.split("|")[1:-1]] for s in lines)
    }


def test_a_row_a_method_with_its_mean(written):
    rows = rows_of(written[".md"].read_text(), "Accuracy")
    assert list(rows)[2:] == [name.upper() for name in NAMES]
    assert rows["method"] == ["xor", "iris", "**mean**"]
    assert rows["TWO"] == ["0.9500", "0.6000", "0.7750"]


def test_marks_are_against_the_baseline_of_the_group(written):
    text = written[".md"].read_text()
    accuracy, leaves = rows_of(text, "Accuracy"), rows_of(text, "Leaves")
    assert accuracy["ONE_CUT"][0] == "0.9000 ▲"
    # It is better than ONE, but as good as TWO.
    assert accuracy["TWO_CUT"][0] == "0.9500"
    assert leaves["ONE_CUT"][0] == "4.0 ▼"


def test_another_test_may_be_asked_for(written, experiment):
    assert "by the t-test over all folds, corrected" in written[".md"].read_text()
    options = OPTIONS | {"test": "sign", "means": False}
    item = make_item("table9", "metric_table", ("xor", "iris"), METHODS, options)
    paper = replace(experiment.paper, items={item.name: {"datasets": list(item.datasets)}})
    context = context_of(replace(experiment, paper=paper), toy_plan(item), xor_frame())
    cut = next(c for c in context.comparisons if (c.dataset, c.method) == ("xor", "ONE_CUT"))
    # Five folds of five are better: twice one half to the power of five.
    assert cut.test.p_value == pytest.approx(2 * 0.5**5)
    with pytest.raises(RetreeError, match="corrected"):
        make_item("table9", "metric_table", ("xor", "iris"), METHODS, {**options, "test": "none"})


def test_a_blank_has_its_reason_and_its_mean_says_so(written):
    text = written[".md"].read_text()
    cut = rows_of(text, "Accuracy")["ONE_CUT"]
    assert cut[1].startswith("—")
    assert cut[2].startswith("0.9000 [")
    assert "mean over 1 of 2 data sets" in text
    assert "not computed yet" in text


def test_the_csv_has_every_cell(written):
    table = pd.read_csv(written[".csv"])
    assert len(table) == (2 + 1) * 4 * 2
    assert set(table["method"]) == {name.upper() for name in NAMES}
    cell = table.set_index(["dataset", "method", "metric"]).loc[("xor", "ONE", "leaves")]
    assert (cell["reproduced"], cell["n_folds"]) == (9.0, 5)


def path_frame():
    return frame_of(
        cells("xor", "one", [0.5, 0.7], 0, {"alpha": 0.0}, leaves=9.0),
        cells("xor", "one", [0.8, 0.8], 1, {"alpha": 0.1}, leaves=3.0),
        cells("xor", "one", [0.9, ABSENT], 2, {"alpha": 0.2}, leaves=2.0),
        cells("iris", "one", [0.6, 0.6], 0, {"alpha": 0.0}, leaves=5.0),
    )


def test_points_of_a_path_are_means_of_complete_points():
    points = kinds.path_points(path_frame())
    xor = points[points["dataset"] == "xor"]
    np.testing.assert_array_equal(xor["leaves"], [9.0, 3.0])
    np.testing.assert_allclose(xor["accuracy"], [0.6, 0.8])


def test_the_figure_is_the_same_every_time(experiment):
    options = {"figure": "pruning/kinds.py:pruning_path"}
    item = make_item("figure9", "computed", ITEM.datasets, METHODS[:1], options)

    def render():
        paths = reports.write_item(context_of(experiment, toy_plan(item), path_frame()))
        return {path.name: path.read_bytes() for path in paths}

    first = render()
    assert set(first) == {"figure9.svg"}
    assert first == render()
