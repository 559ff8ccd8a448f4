from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toy_paper import (
    cells,
    context_of,
    frame_of,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree_lab.reports.compare_items import compare_item
from retree_lab.reports.comparison import CSV_COLUMNS, comparison_table
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import ReplicateCells
from retree_lab.reports.verdicts import Rules, judge
from retree_lab.statistics import Digits, corrected_resampled_t_test


def compared_with(experiment, item, frame, **blanks):
    context = context_of(experiment, toy_plan(item, **blanks), frame)
    return compare_item(context, item.kind.metrics, item.kind.baseline)


@pytest.fixture
def compared(experiment, frame):
    item = experiment.items[0]
    comparisons = compared_with(experiment, item, frame)
    return {(c.dataset, c.method, c.metric): c for c in comparisons}


def test_mean_and_sample_deviation_over_the_folds(compared):
    cell = compared["waveform1_R", "New+Base", "accuracy"]
    assert cell.reproduced == pytest.approx(0.86)
    assert cell.reproduced_std == pytest.approx(0.01)
    assert (cell.published, cell.n_folds, cell.params) == (0.86, 5, '{"k": 2}')
    assert cell.difference == pytest.approx(0.0)
    assert cell.verdict == "agrees"


def test_number_mark_and_difference_are_over_all_replicates(experiment):
    base, new = [0.7, 0.8, 0.9, 0.8, 0.8], [0.9, 0.9, 0.9, 0.9, 0.8]
    accuracies = {"base": [base, base, new], "new": [new, [0.7] * 5, [0.6] * 5]}
    replicates = [
        frame_of(*(cells("xor", key, runs[i]) for key, runs in accuracies.items())).assign(repeat=i)
        for i in range(3)
    ]
    item = toy_item("table2", ["xor"], select=["best_test"])
    item = replace(item, protocol=replace(item.protocol, replicates=3))
    context = context_of(experiment, toy_plan(item), replicates[0])
    further = pd.concat(replicates[1:], ignore_index=True)
    context.__dict__["replicates"] = ReplicateCells(further, further.iloc[:0])
    found = {c.method: c for c in compare_item(context, ["accuracy"], "base")}
    ours, theirs = (np.concatenate(accuracies[key]) for key in ("new", "base"))
    cell = found["New+Base"]
    assert cell.reproduced - found["Base"].reproduced == pytest.approx(cell.test.mean_difference)
    assert cell.test == corrected_resampled_t_test(ours, theirs, 0.2)
    assert cell.test.n_pairs == 15


def test_a_cell_that_is_too_far_off_differs(compared):
    cell = compared["waveform0_R", "New+Base", "accuracy"]
    assert cell.difference == pytest.approx(-0.10)
    assert cell.verdict == "differs"
    assert cell.reason == "1 of 2 grid points are incomplete: not computed yet"


def test_holes_on_either_side_are_missing_and_have_a_reason(compared):
    ours = compared["xor", "New+Base", "accuracy"]
    assert (ours.verdict, ours.n_folds) == ("missing", 0)
    assert math.isnan(ours.reproduced)
    assert "ValueError: too few rows" in ours.reason
    theirs = compared["xor", "Base", "accuracy"]
    assert theirs.verdict == "missing"
    assert theirs.reproduced == pytest.approx(0.54)
    assert math.isnan(theirs.difference)
    assert compared["waveform1_R", "Other", "accuracy"].reason == "Other is not implemented yet"


def test_a_data_set_that_cannot_be_had_is_a_hole(experiment, frame):
    item, rest = experiment.items[0], frame[frame["dataset"] != "xor"]
    comparisons = compared_with(experiment, item, rest, xor="no network")
    assert {c.reason for c in comparisons if c.dataset == "xor" and c.method != "Other"} == {
        "no network"
    }


def test_a_print_known_to_be_wrong_is_explained(experiment):
    item = toy_item("table2", ["xor"])
    frame = frame_of(cells("xor", "new", [0.9] * 5, 0, {"k": 2}))
    comparisons = compared_with(experiment, item, frame)
    assert next(c.verdict for c in comparisons if c.method == "New+Base") == "explained"


def test_marks_show_the_direction_of_a_significant_difference(compared, experiment):
    assert compared["waveform1_R", "New+Base", "accuracy"].mark == "▲"
    assert compared["waveform1_R", "Base", "accuracy"].mark == ""
    item = toy_item("table2", ["xor"])
    low, same = [0.2, 0.21, 0.2, 0.22, 0.2], [0.5, 0.6, 0.5, 0.6, 0.5]
    for accuracies, mark in ((low, "▼"), (same, ""), ([0.6, 0.5, 0.5, 0.6, 0.5], "")):
        frame = frame_of(cells("xor", "base", same), cells("xor", "new", accuracies, 0, {"k": 2}))
        found = compared_with(experiment, item, frame)
        assert {c.mark for c in found if c.method == "New+Base" and c.verdict} == {mark}


def test_optimism_is_the_best_minus_the_nested_accuracy(compared):
    nested = compared["waveform1_R", "New+Base", "accuracy_nested"]
    assert nested.reproduced == pytest.approx(0.85)
    assert nested.params == str([{"k": 3}] * 5).replace("'", '"')
    optimism = compared["waveform1_R", "New+Base", "optimism"]
    assert optimism.reproduced == pytest.approx(0.01)
    assert optimism.reproduced_std == pytest.approx(0.0, abs=1e-12)
    assert optimism.verdict == ""
    assert compared["waveform1_R", "Base", "optimism"].reproduced == 0.0
    assert ("waveform0_R", "New+Base", "optimism") not in compared


def test_an_estimator_without_a_size_leaves_a_hole(experiment):
    frame = frame_of(cells("xor", "base", [0.5] * 5, depth=np.nan))
    item = toy_item("table2", ["xor"], metrics=["depth"])
    comparisons = compared_with(experiment, item, frame)
    (cell,) = [c for c in comparisons if (c.method, c.metric) == ("Base", "depth")]
    assert (cell.verdict, cell.n_folds, cell.reason) == ("missing", 0, "Base has no depth")


def test_a_score_that_is_undefined_on_a_fold_says_so(experiment):
    scores = [0.5, np.nan, 0.7, np.nan, 0.6]
    frame = frame_of(cells("xor", "base", [0.5] * 5)).assign(roc_auc_ovr=scores)
    item = toy_item("table2", ["xor"], metrics=["roc_auc_ovr"])
    comparisons = compared_with(experiment, item, frame)
    (cell,) = [c for c in comparisons if (c.method, c.metric) == ("Base", "roc_auc_ovr")]
    assert cell.reason == "ROC AUC one-vs-rest is undefined on 2 of 5 folds"
    assert math.isnan(cell.reproduced)


def test_the_table_has_the_columns_of_the_contract(compared):
    table = comparison_table(compared.values())
    assert tuple(table.columns) == CSV_COLUMNS
    assert ",".join(CSV_COLUMNS) == (
        "dataset,method,metric,reproduced,reproduced_std,published,published_std,difference,"
        "verdict,n_folds,params,low,high,n_replicates,std_verdict,steps"
    )
    assert len(table) == len(compared)


def by_digits(tmp_path, published, std, accuracies=(0.80, 0.81, 0.79, 0.80, 0.8034), digits="cut"):
    """The number of Base on waveform1_R, ten test rows in each fold."""
    paper = toy_paper(tmp_path)
    text = f"table2,waveform1_R,Base,accuracy,{published},{std},\n"
    paper.published.write_text("table,dataset,method,metric,value,std,marker\n" + text)
    item = replace(toy_item("table2", ["waveform1_R"]), digits=Digits(digits))
    frame = frame_of(cells("waveform1_R", "base", accuracies)).assign(n_test=10.0)
    experiment = toy_experiment(tmp_path, paper, item)
    compared = compared_with(experiment, item, frame)
    return next(c for c in compared if (c.method, c.metric) == ("Base", "accuracy"))


@pytest.mark.parametrize(
    ("digits", "published", "verdict", "steps"),
    [
        ("cut", "0.800", "equal", 0),
        ("rounded", "0.801", "equal", 0),
        ("rounded", "0.80", "equal", 0),  # a digit less is published
        ("rounded", "0.800", "differs", 1),
        ("cut", "0.801", "differs", 1),
        ("rounded", "0.740", "differs", 4),
    ],
)
def test_where_folds_are_known_the_digit_judges(tmp_path, digits, published, verdict, steps):
    cell = by_digits(tmp_path, published, "", digits=digits)
    assert (cell.verdict, cell.steps, cell.std_verdict) == (verdict, steps, "")
    assert cell.prediction is None


@pytest.mark.parametrize(("std", "verdict"), [("0.007", "equal"), ("0.008", "differs")])
def test_standard_deviations_are_judged_too(tmp_path, std, verdict):
    assert by_digits(tmp_path, "0.800", std).std_verdict == verdict


def test_a_size_is_so_many_nodes_away(tmp_path):
    theirs = PublishedValue(12.6, math.nan, 0.1)
    cell = replace(by_digits(tmp_path, "0.800", ""), metric="nodes", theirs=theirs)
    found = judge(replace(cell, reproduced=12.2), Rules(digits=Digits.ROUNDED))
    assert found.steps == 2  # of five trees; 12.55 is rounded to 12.6
