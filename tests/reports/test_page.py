from __future__ import annotations

import gzip
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from toy_paper import (
    ITEMS,
    cells,
    context_of,
    frame_of,
    results,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree_lab import reports
from retree_lab.experiments.planning.keys import Cell, Parts
from retree_lab.experiments.storing.outcomes import Outcome, pack_predictions
from retree_lab.experiments.storing.store import Store
from retree_lab.reports.item_page import citation

FACTS = {"commit": "0123456789abcdef", "python": "3.11", "numpy": "2.4", "cpu": "Z80"}


def record_runs(store, frame):
    """Record three runs: two made the frame's first two cells, and the third another."""
    keys = [*frame["key"].iloc[:2], "elsewhere"]
    for i, key in enumerate(keys):
        run = store.begin_run(f"2024-01-0{i + 1}T00:00:00+00:00", {**FACTS, "dirty": i == 2})
        cell = Cell("d", "m", {}, 0, 0, i, -1, Parts("a", "b", "c", "d", None), key)
        codes = pack_predictions(np.zeros(2, dtype=np.intp))
        store.record(run, [(cell, Outcome(key, accuracy=0.5, n_test=2, predictions=codes))])


def contexts_of(experiment, frame, store):
    plans = (toy_plan(toy_item(name)) for name in ("table2", "table4"))
    return [context_of(experiment, plan, frame, store) for plan in plans]


@pytest.fixture
def store(experiment, frame):
    with Store(experiment.store) as store:
        record_runs(store, frame)
        yield store


@pytest.fixture
def entries(experiment, frame, store):
    return contexts_of(experiment, frame, store)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The text of the page."""
    folder, frame = tmp_path_factory.mktemp("page"), results()
    experiment = toy_experiment(folder, toy_paper(folder), toy_item("table2"))
    with Store(experiment.store) as store:
        record_runs(store, frame)
        entries = contexts_of(experiment, frame, store)
        reports.write_item(entries[0])
        readme, *_ = reports.write_page(experiment, entries)
    assert readme == experiment.results / "toy" / "README.md"
    return readme.read_text()


def section(page, title):
    return page.partition(f"## {title}\n")[2].partition("\n## ")[0].splitlines()


def test_the_page_links_to_the_files_that_are_there(page):
    lines = section(page, "Tables and figures")
    links = "[csv](table2.csv) [md](table2.md)"
    assert f"| Table 2 | Accuracy & more | 3 | 72 of 75 | {links} |" in lines
    assert "| Table 4 | Means | 2 | 72 of 75 |  |" in lines


def test_the_page_says_what_was_run(page):
    lines = section(page, "What was run")
    words = "5-fold cross-validation, stratified, shuffled, seed 0"
    assert f"- Table 2: {words}; nested selection on 3 inner folds." in lines
    assert f"- Table 4: {words}." in lines
    assert "- Grid: k in {2, 3}." in lines
    assert "- Left out: Other is not implemented yet" in lines


def test_the_page_counts_agreement_by_method(page):
    lines = section(page, "Agreement with the paper")
    for counts in (
        "Table 2 | accuracy | Base | 2 | 0 | 0 | 0 | 100% | 0.0000 | —",
        "Table 2 | accuracy | New+Base | 1 | 0 | 1 | 1 | 50% | 0.0500 | —",
        "Table 4 | accuracy | New+Base | 0 | 0 | 1 | 0 | 0% | 0.1600 | —",
    ):
        assert f"| {counts} |" in lines


def test_sizes_have_a_geometric_mean_of_ratios(experiment, store):
    options = {**ITEMS["table2"], "metrics": ["depth"]}
    paper = replace(experiment.paper, items={"table3": options})
    item = replace(toy_item("table2", ["waveform1_R"], metrics=["depth"]), name="table3")
    # Depths 4 and 2 are printed.
    frame = frame_of(
        cells("waveform1_R", "base", [0.5] * 5, depth=6.0),
        cells("waveform1_R", "new", [0.5] * 5, 0, {"k": 2}, depth=1.0),
    )
    experiment = replace(experiment, paper=paper)
    context = context_of(experiment, toy_plan(item), frame, store)
    page = reports.write_page(experiment, [context])[0].read_text()
    lines = section(page, "Agreement with the paper")
    assert "| Table 3 | depth | Base | 0 | 0 | 1 | 0 | 0% | 2.0 | 1.50 |" in lines
    assert "| Table 3 | depth | New+Base | 0 | 0 | 1 | 0 | 0% | 1.0 | 0.50 |" in lines


def test_the_page_lists_the_cells_that_differ_and_what_is_known(page):
    lines = section(page, "Numbers that differ")
    row = "| Table 2 | waveform0_R | New+Base | accuracy | 0.8000 | 0.9000 | −0.1000 | 0.0089 |"
    assert f"{row} Drawn by hand. |" in lines
    assert len(lines) == 5
    known = section(page, "What is known")
    assert "- Known misprint: table2, xor: A slip of the pen." in known
    assert "- waveform0_R: Drawn by hand." in known


def test_what_is_farthest_outside_of_the_tolerance_comes_first(experiment, store):
    item = toy_item("table2", ["waveform1_R", "waveform0_R"])
    frame = frame_of(
        cells("waveform1_R", "base", [0.81] * 5),
        cells("waveform1_R", "new", [0.80] * 5, 0, {"k": 2}),
        cells("waveform0_R", "base", [0.72] * 5),
    )
    context = context_of(experiment, toy_plan(item), frame, store)
    page = reports.write_page(experiment, [context])[0].read_text()
    rows = [line for line in section(page, "Numbers that differ") if "accuracy" in line]
    assert [row.split(" | ")[6] for row in rows] == ["−0.0600", "+0.0200", "+0.0100"]


def test_the_page_shows_the_optimism(page):
    lines = section(page, "Optimism of the selection")
    assert "| Table 2 | New+Base | 1 | 0.8500 | +0.0100 | +0.0100 | 1 | — |" in lines


def test_the_page_names_source_and_hash_of_the_data(page):
    rows = [line for line in section(page, "Data") if line.startswith("| waveform1_R")]
    assert "| generator, instead of the published sample | 5000 | 21 | `" in rows[0]


def test_the_page_names_the_runs_that_made_its_cells(page):
    (line,) = [line for line in section(page, "Runs") if line]
    assert line == (
        "- 2 runs from 2024-01-01T00:00:00+00:00 to 2024-01-02T00:00:00+00:00: "
        "commit `0123456789ab`; numpy 2.4, python 3.11; Z80."
    )


def test_cells_are_exported_once_with_the_items_that_use_them(experiment, entries, store):
    path = reports.write_page(experiment, entries)[1]
    table = pd.read_csv(io.BytesIO(gzip.decompress(path.read_bytes())))
    assert len(table) == len(results())
    assert set(table["items"]) == {"table2 table4"}
    assert set(table["method"]) == {"Base", "New+Base"}
    assert (table["status"] == "done").sum() == 72
    assert table.loc[table["status"] == "done", "accuracy"].notna().all()
    assert table["key"].is_unique


def test_page_and_cells_are_the_same_every_time(experiment, entries, store):
    def contents(some):
        return [path.read_bytes() for path in reports.write_page(experiment, some)]

    def shuffled(context):
        return replace(context, frame=context.frame.sample(frac=1, random_state=3))

    first = contents(entries)
    assert contents([shuffled(context) for context in entries]) == first
    assert first[1][4:8] == b"\0\0\0\0"


def test_a_page_without_any_result_is_written(experiment):
    item = toy_item("table2")
    plan = toy_plan(item, **dict.fromkeys(item.datasets, "no network"))
    empty = results().iloc[:0]
    with Store(experiment.store.with_name("none.sqlite"), readonly=True) as store:
        context = context_of(experiment, plan, empty, store)
        text = reports.write_page(experiment, [context])[0].read_text()
    assert "- Left out: waveform1_R: no network" in text
    assert "## Runs" not in text


def test_the_console_shows_each_cell_and_the_files(experiment, frame, store, tmp_path):
    item = experiment.items[0]
    output = io.StringIO()
    console = Console(file=output, width=120, color_system=None)
    long = tmp_path / ("a_long_name_" * 12) / "table2.csv"
    context = context_of(experiment, toy_plan(item), frame, store)
    reports.show_table(context, [long], console)
    lines = [" ".join(line.split()) for line in output.getvalue().splitlines()]
    assert "waveform1_R New+Base accuracy 0.8600 0.8600 +0.0000 match" in lines
    assert "waveform0_R New+Base accuracy 0.8000 0.9000 −0.1000 off" in lines
    assert "Left out: Other is not implemented yet" in lines
    assert str(long) in lines
    assert not any("optimism" in line for line in lines)


def test_the_page_says_what_was_tried(experiment, entries, store):
    paper = replace(experiment.paper, tried={"New+Base": "Another seed changes nothing."})
    readme, *_ = reports.write_page(replace(experiment, paper=paper), entries)
    assert section(readme.read_text(), "What we tried")[1:] == [
        "- New+Base: Another seed changes nothing."
    ]


def test_no_full_stop_follows_a_question_mark_in_a_citation(tmp_path):
    paper = toy_paper(tmp_path)
    assert citation(paper) == "A. Author: Toys. Journal 1, 2000."
    assert citation(replace(paper, title="Toys?")) == "A. Author: Toys? Journal 1, 2000."
