"""`reports.kinds.reference_tables`: Weka's table: marks of a t-test, and what is missing."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from toy_paper import (
    ABSENT,
    DATASETS,
    cells,
    context_of,
    frame_of,
    results,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree.errors import UnknownNameError
from retree_lab import reports
from retree_lab.statistics import corrected_resampled_t_test, paired_t_test

BASE = [0.80, 0.81, 0.79, 0.80, 0.80]
BETTER = [0.86, 0.87, 0.85, 0.85, 0.87]
# Significantly smaller by the plain test, not by the corrected one.
NEAR = [0.79, 0.79, 0.79, 0.79, 0.79]


def weka_item(**options):
    return toy_item("table2", kind="weka_table", **options)


def rendered(tmp_path, item, frame):
    paper = toy_paper(tmp_path)
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame), tex=True)
    return {path.suffix: path.read_text() for path in paths}


def rows_of(files):
    rows = csv.DictReader(io.StringIO(files[".csv"]))
    return {(row["selection"], row["dataset"], row["method"]): row for row in rows}


def plain_frame():
    return frame_of(
        cells("waveform1_R", "base", BASE),
        cells("waveform1_R", "new", BETTER, 0, {"k": 2}),
        cells("waveform0_R", "base", BASE),
        cells("waveform0_R", "new", NEAR, 0, {"k": 2}),
        cells("xor", "base", BETTER),
        cells("xor", "new", BASE, 0, {"k": 2}),
    )


def test_marks_and_their_counts(tmp_path):
    item = weka_item(select=["best_test"])
    lines = rendered(tmp_path, item, plain_frame())[".md"].splitlines()
    assert "## Accuracy" in lines
    assert "| data set | (1) Base | (2) Other [1] | (3) New+Base |" in lines
    assert "| waveform1_R | 0.8000 | — | 0.8600 v |" in lines
    assert "| waveform0_R | 0.8000 | — | 0.7900 |" in lines
    assert r"| xor | 0.8600 | — | 0.8000 \* |" in lines
    assert r"| (v/ /\*) |  |  | (1/1/1) |" in lines
    assert any("(1) Base at 5%, by the t-test over all folds, corr" in line for line in lines)
    assert any("test share 1/5" in line for line in lines)
    assert "[1] Other is not implemented yet" in lines


def test_data_sets_are_called_as_published(tmp_path):
    item = replace(weka_item(select=["best_test"]), labels={"xor": "X_OR"})
    files = rendered(tmp_path, item, plain_frame())
    assert r"| X_OR | 0.8600 | — | 0.8000 \* |" in files[".md"].splitlines()
    assert r"| (v/ /\*) |  |  | (1/1/1) |" in files[".md"].splitlines()
    assert {dataset for _, dataset, _ in rows_of(files)} == {"waveform1_R", "waveform0_R", "X_OR"}


def test_the_plain_test_is_less_careful(tmp_path):
    corrected, plain = (
        rows_of(rendered(tmp_path, weka_item(select=["best_test"], test=name), plain_frame()))
        for name in ("corrected", "paired")
    )
    place = ("best_test", "waveform0_R", "New+Base")
    assert (corrected[place]["mark"], plain[place]["mark"]) == ("", "*")
    expected = corrected_resampled_t_test(NEAR, BASE, 0.2)
    assert float(corrected[place]["p_value"]) == pytest.approx(expected.p_value)
    low, high = expected.confidence_interval()
    assert float(corrected[place]["low"]) == pytest.approx(low)
    assert float(corrected[place]["high"]) == pytest.approx(high)
    assert float(plain[place]["p_value"]) == pytest.approx(paired_t_test(NEAR, BASE).p_value)


def test_each_way_of_selection_has_its_table(tmp_path):
    files = rendered(tmp_path, weka_item(), results())
    lines, rows = files[".md"].splitlines(), rows_of(files)
    assert "## Accuracy: parameters with the highest test accuracy (optimistic)" in lines
    assert "## Accuracy: parameters chosen inside the training folds" in lines
    # Inside the training folds k=3 is always better, whose mean is 0.85.
    assert rows["best_test", "waveform1_R", "New+Base"]["mean"] == "0.86"
    assert rows["nested", "waveform1_R", "New+Base"]["mean"] == "0.85"
    assert len(rows) == 2 * len(DATASETS) * 3
    assert files[".tex"].count(r"\toprule") == 2
    assert files[".tex"].isascii()


def test_what_is_missing_is_named_and_not_counted(tmp_path):
    files = rendered(tmp_path, weka_item(select=["best_test"]), results())
    lines, rows = files[".md"].splitlines(), rows_of(files)
    xor = rows["best_test", "xor", "New+Base"]
    assert (xor["mean"], xor["p_value"], xor["n_pairs"]) == ("", "", "0")
    assert xor["reason"] == "2 of 2 grid points are incomplete: ValueError: too few rows"
    assert "| xor | 0.5400 | — | — [3] |" in lines
    assert any(line.startswith("[3] 2 of 2 grid points") for line in lines)
    # Waveform0_R: 0.8 against 0.7 everywhere; xor is not tested.
    assert r"| (v/ /\*) |  |  | (2/0/0) |" in lines


def test_where_the_baseline_is_missing_there_is_no_test(tmp_path):
    frame = frame_of(
        cells("waveform1_R", "base", BASE),
        cells("waveform1_R", "new", BETTER, 0, {"k": 2}),
        cells("xor", "base", [*BASE[:4], ABSENT]),
        cells("xor", "new", BETTER, 0, {"k": 2}),
    )
    files = rendered(tmp_path, weka_item(select=["best_test"]), frame)
    xor = rows_of(files)["best_test", "xor", "New+Base"]
    assert (xor["mean"], xor["p_value"], xor["mark"]) == ("0.86", "", "")
    assert xor["reason"] == "no test: Base: 1 of 5 cells: not computed yet"
    none = rows_of(files)["best_test", "waveform0_R", "Base"]
    assert none["reason"] == "no cell is planned"


def test_without_the_baseline_the_first_method_takes_its_place(tmp_path):
    item = weka_item(select=["best_test"])
    item = replace(item, methods=tuple(m for m in item.methods if m.key != "base"))
    frame = plain_frame()
    lines = rendered(tmp_path, item, frame[frame["method"] != "base"])[".md"].splitlines()
    assert "| data set | (1) New+Base | (2) Other [1] |" in lines


def test_without_results_it_says_so(tmp_path):
    frame = plain_frame().iloc[:0]
    assert "- No method has results." in rendered(tmp_path, weka_item(), frame)[".md"].splitlines()


def test_sizes_are_marked_by_what_is_greater(tmp_path):
    frame = plain_frame().assign(depth=lambda f: f["accuracy"] * 10)
    item = weka_item(metrics=["depth"], select=["best_test"])
    lines = rendered(tmp_path, item, frame)[".md"].splitlines()
    assert "## Depth" in lines
    assert "| waveform1_R | 8.0 | — | 8.6 v |" in lines


def test_the_order_of_the_rows_does_not_matter(tmp_path):
    first = rendered(tmp_path, weka_item(), results())
    assert rendered(tmp_path, weka_item(), results().iloc[::-1]) == first


def test_a_wrong_test_is_named(tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'paired'"):
        rendered(tmp_path, weka_item(test="pared"), plain_frame())
