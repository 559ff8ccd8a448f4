from __future__ import annotations

import csv
import io
import itertools
import math
from dataclasses import replace
from statistics import fmean

import pandas as pd
import pytest
from toy_paper import (
    ITEMS,
    PRINTED,
    cells,
    context_of,
    frame_of,
    results,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.planning.plan import Plan
from retree_lab.reports.document import Table, ToFolds, ToValues
from retree_lab.reports.item_page import item_page
from retree_lab.reports.published import Published
from retree_lab.statistics.metrics import find_metric
from retree_lab.study.composing import compose


def rendered(experiment, item, frame, **blanks):
    """Render an item and return the content of its files by suffix."""
    paths = reports.write_item(context_of(experiment, toy_plan(item, **blanks), frame), tex=True)
    assert {path.parent for path in paths} == {experiment.results / "toy"}
    return {path.suffix: path.read_text() for path in paths}


@pytest.fixture
def table2(experiment, frame):
    return rendered(experiment, experiment.items[0], frame)


def test_the_csv_holds_every_cell(table2):
    rows = list(csv.DictReader(io.StringIO(table2[".csv"])))
    cell = next(r for r in rows if r["dataset"] == "waveform0_R" and r["method"] == "New+Base")
    assert cell["reproduced"] == "0.8"
    assert cell["difference"] == "-0.1"
    assert (cell["verdict"], cell["n_folds"], cell["params"]) == ("differs", "5", '{"k": 3}')
    optimism = next(r for r in rows if r["metric"] == "optimism" and r["method"] == "New+Base")
    assert (optimism["published"], optimism["verdict"]) == ("", "")
    # 3 data sets x 3 methods, and two nested rows for each of the 4 pairs that have any.
    assert len(rows) == 9 + 2 * 4


def test_the_markdown_shows_reproduced_printed_verdict_and_mark(table2):
    lines = table2[".md"].splitlines()
    assert lines[0] == "# Table 2: Accuracy & more"
    assert "| data set | Other [1] | Base | New+Base |" in lines
    assert "| waveform1_R | — (0.7700) ? | 0.8000 (0.8000) ✓ | 0.8600 (0.8600) ✓▲‡ |" in lines
    assert "| waveform0_R | — | 0.7000 (0.7000) ✓ | 0.8000 (0.9000) ✗▲‡ [2] |" in lines
    assert "| xor | — | 0.5400 | — (0.5000) ? [3] |" in lines
    assert "[1] Other is not implemented yet  " in lines
    assert "[3] 2 of 2 grid points are incomplete: ValueError: too few rows" in lines
    assert "- Of 6 published numbers: 3 match, 1 off, 2 not checkable." in lines


def test_the_markdown_shows_nested_accuracy_and_optimism(table2):
    section = table2[".md"].partition("## Nested selection")[2]
    lines = section.splitlines()
    assert "| waveform1_R | 0.8000 (+0.0000) | 0.8500 (+0.0100) |" in lines
    assert "| waveform0_R | 0.7000 (+0.0000) | — |" in lines
    assert "| **mean** | 0.6800 (+0.0000) | 0.8500 (+0.0100) |" in lines


def test_numbers_lead_to_folds_and_means_to_values(experiment, frame):
    page = item_page(context_of(experiment, toy_plan(experiment.items[0]), frame))
    first, nested = (block for block in page.blocks if isinstance(block, Table))
    number = first.rows[0][3]
    assert (number.text, number.published, number.marks) == ("0.8600", "(0.8600)", "✓▲‡")
    assert number.to == ToFolds("table2", "waveform1_R", "New+Base", '{"k": 2}')
    assert number.to.place == "table2-new-plus-base"
    assert number.facts[0] == "agrees"
    assert number.facts[1].startswith("s = ")
    assert number.facts[2].startswith("difference +0.0000")
    assert number.facts[3].startswith("against Base: +0.0600, t-test p = ")
    assert number.facts[-1] == "k = 2"
    assert nested.rows[-1][2].to == ToValues("table2", 2, "New+Base")


def test_the_tex_is_escaped_and_uses_booktabs(table2):
    tex = table2[".tex"]
    assert r"\caption{Accuracy \& more: Accuracy, reproduced (published)}" in tex
    row = r"waveform1\_R & --- (0.7700) ? & 0.8000 (0.8000) $^{=}$ "
    row += r"& 0.8600 (0.8600) $^{=}$$\uparrow$$^{\ddagger}$"
    assert row + r" \\" in tex.splitlines()
    assert tex.count(r"\toprule") == tex.count(r"\bottomrule") == 2
    assert "10\\%" in tex
    assert tex.isascii()
    assert "[1] Other is not implemented yet" in tex


def test_errors_are_shown_with_their_deviations_as_printed(tmp_path):
    paper = toy_paper(tmp_path)
    printed = "table3,xor,Base,error_pct,45.1,2.5,\n"
    (tmp_path / "toy.csv").write_text(PRINTED + printed)
    options = {"metrics": ["error_pct"], "select": ["best_test"]}
    paper = replace(paper, items={**paper.items, "table3": ITEMS["table2"] | options})
    item = replace(toy_item("table2", ["xor"], **options), name="table3")
    frame = frame_of(
        cells("xor", "base", [0.54, 0.56]), cells("xor", "new", [0.6, 0.7], 0, {"k": 2})
    )
    files = rendered(toy_experiment(tmp_path, paper, item), item, frame)
    lines = files[".md"].splitlines()
    assert "## Error in %" in lines
    # Nothing is printed of New+Base, so nothing has to be compared.
    assert "| xor | — | 45.0±1.4 (45.1±2.5) ✓ | 35.0 |" in lines
    assert any("smaller is better for error in %" in line for line in lines)
    assert r"45.0$\pm$1.4 (45.1$\pm$2.5) $^{=}$" in files[".tex"]
    assert files[".tex"].isascii()


def test_the_order_of_rows_does_not_matter(experiment, frame, table2):
    shuffled = frame.sample(frac=1, random_state=1)
    assert rendered(experiment, experiment.items[0], shuffled) == table2


def test_what_is_left_out_is_said(tmp_path):
    item = toy_item("table2", ["waveform1_R"])
    experiment = toy_experiment(tmp_path, toy_paper(tmp_path, {"k": [2]}), item)
    frame = results()
    text = rendered(experiment, item, frame[frame["dataset"] == "waveform1_R"])[".md"]
    assert "- Covers 1 of the paper's 3 data sets." in text
    assert "- The grid of k has 1 values (2), not the paper's 2 (2, 3)." in text
    assert "replace the published sample: waveform1_R." in text


def test_nothing_is_said_of_what_is_as_in_the_paper(experiment):
    item = toy_item("table2", ["xor"])
    frame = frame_of(cells("xor", "base", [0.5] * 5))
    text = rendered(experiment, item, frame)[".md"]
    assert "The grid of" not in text
    assert "replace the published sample" not in text


def test_lost_data_sets_are_named(experiment, frame):
    rest = frame[frame["dataset"] != "waveform1_R"]
    text = rendered(experiment, experiment.items[0], rest, waveform1_R="no network")[".md"]
    assert "- Unavailable data sets: waveform1_R." in text
    assert "no network" in text


def test_a_mean_has_the_deviation_of_a_mean(experiment, frame):
    item = toy_item("table4")
    context = context_of(experiment, toy_plan(item), frame)
    means = {mean.method: mean for mean in context.rows}
    new = means["New+Base"]
    assert (new.dataset, new.n_folds) == ("MEAN", 5)
    assert new.reproduced == pytest.approx((0.86 + 0.80) / 2)
    variance = 0.01**2 + (0.01**2 + 0.01**2) / 4
    assert new.reproduced_std == pytest.approx(math.sqrt(variance) / 2)
    assert (new.published, new.verdict) == (0.99, "differs")
    assert means["Base"].verdict == "agrees"


def test_a_mean_over_holes_is_named_so_and_not_judged(experiment, frame):
    item = toy_item("table4")
    rest = frame[frame["dataset"] != "waveform0_R"]
    files = rendered(experiment, item, rest, waveform0_R="no network")
    assert "| New+Base | 0.8600 (0.9900) ?‡ [1] |" in files[".md"].splitlines()
    assert "[1] mean over 1 of 2 data sets" in files[".md"]
    assert "- Unavailable data sets: waveform0_R." in files[".md"]
    table = pd.read_csv(io.StringIO(files[".csv"]))
    assert set(table["verdict"]) == {"missing"}
    assert table["difference"].isna().all()


def test_table_4_of_the_paper_contradicts_its_table_2_and_not_its_table_3(tmp_path):
    experiment = load_experiment(compose(["item=table4", f"results={tmp_path}"]))
    (item,), published = experiment.items, Published(experiment.paper)
    names, differing = experiment.paper.names, []
    for method, metric in itertools.product(item.methods, item.kind.metrics):
        cells = published.datasets(method.name, metric)
        column = fmean(cells[names.get(name, name)] for name in item.datasets)
        mean = published.find("table4", "MEAN", method.name, metric).value
        if abs(mean - column) > 1.01 * 10.0 ** -find_metric(metric).decimals:
            differing.append(metric)
    assert differing == ["accuracy"] * 4


def test_table_1_shows_the_published_labels_beside_the_right_ones(tmp_path):
    experiment = load_experiment(compose(["item=table1", f"results={tmp_path}"]))
    (item,) = experiment.items
    plan = Plan(item, [], {m.key: m.missing for m in item.methods if m.missing})
    paths = reports.write_item(context_of(experiment, plan, results()))
    table, text = (path.read_text() for path in paths)
    assert "| BNM+Gini | weighted (published: two-step) |" in text
    assert "| CSN+Gini | two-step (published: weighted) |" in text
    assert "| SPCE (published: SPCM) | two-step |" in text
    assert "- The published combination is wrong for BNM+Gini and CSN+Gini." in text
    rows = {row["method"]: row for row in csv.DictReader(io.StringIO(table))}
    assert len(rows) == 14
    assert rows["SPCE"]["published_name"] == "SPCM"
    assert {row["runs"] for row in rows.values()} == {"yes"}
    assert (rows["CV-ID3"]["basis"], rows["CSN+Gini"]["basis"]) == ("inferred", "exact")


def test_a_folder_that_cannot_be_written_names_the_fix(experiment, frame):
    experiment.results.write_text("a file where the folder should be")
    with pytest.raises(RetreeError, match="choose another folder with results=PATH"):
        rendered(experiment, experiment.items[0], frame)


def test_a_table_may_end_in_the_means(experiment, frame):
    means = toy_item("table2", means=True)
    paths = reports.write_item(context_of(experiment, toy_plan(means), frame))
    text = next(path for path in paths if path.suffix == ".md").read_text()
    # Base has .80, .70 and .54; of New+Base xor is missing: (.86 + .80) / 2.
    assert "| **mean** | — | 0.6800 | 0.8300 ‡ [" in text
    table = pd.read_csv(next(path for path in paths if path.suffix == ".csv"))
    mean = table[(table["dataset"] == "MEAN") & (table["method"] == "Base")]
    assert mean["reproduced"].item() == pytest.approx(0.68)
    assert "mean over 2 of 3 data sets" in text
