from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.errors import RetreeError
from retree_lab.cli import main
from retree_lab.reports.agreement import (
    count_headlines,
    point_gaps,
    published_numbers,
    read_comparisons,
)
from retree_lab.reports.agreement.pictures import count_distances, panel
from retree_lab.reports.comparison import CSV_COLUMNS
from retree_lab.reports.overview import write_overview, write_overview_page

ROWS = """\
a,C4.5,accuracy,0.81,0.01,0.8,,0.01,agrees,5,{}
a,None,accuracy,0.7,0.01,0.9,,-0.2,differs,5,{}
b,C4.5,error_pct,20,1,19,2,1,agrees,10,{}
b,None,error_pct,20,1,,,,missing,10,{}
b,C4.5,tree_size,0,0,12,,-12,explained,10,{}
b,None,tree_size,9,0,8,,1,differs,10,{}
b,None,train_ms_10_trees,9,0,8,,,,10,{}
b,,rows,150,,150,,0,agrees,1,
"""


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "latent_space"
    folder.mkdir()
    (folder / "table2.csv").write_text(",".join(CSV_COLUMNS) + "\n" + ROWS)
    (folder / "interpretations.csv").write_text("method,interpretation\nC4.5,default\n")
    stranger = tmp_path / "quickstart"
    stranger.mkdir()
    (stranger / "table2.csv").write_text(",".join(CSV_COLUMNS) + "\n" + ROWS)
    return tmp_path


def test_numeric_tables_of_papers_are_read(results):
    cells = read_comparisons(results)
    assert set(cells["paper"]) == {"latent_space"}
    assert set(cells["item"]) == {"table2"}
    assert list(cells["method"].unique()) == ["C4.5", "None", ""]
    assert len(published_numbers(cells)) == 6  # neither the time nor what is not printed


def test_cells_are_counted_by_verdict(results):
    cells = read_comparisons(results)
    counts = count_headlines(cells, ["paper", "item"]).to_dict("records")
    assert counts == [
        {
            "paper": "latent_space",
            "item": "table2",
            "equal": 0,
            "agrees": 3,
            "weak": 0,
            "edge": 0,
            "differs": 2,
            "explained": 1,
            "missing": 0,
            "match": 3,
            "close": 0,
            "off": 2,
            "not checkable": 1,
            "published": 6,
            "judged": 5,
            "agree": 3,
            "share": pytest.approx(3 / 5),
            "accuracies": 3,
            "near": 2,
            "strict": 2,
        }
    ]
    by_method = count_headlines(cells, ["method"]).set_index("method")
    assert by_method["share"].to_dict() == {"C4.5": 1.0, "None": 0.0, "": 1.0}


def test_no_share_of_no_cell(results):
    cells = read_comparisons(results)
    explained = cells[cells["verdict"] == "explained"]
    assert count_headlines(explained)["share"].isna().all()


def test_the_picture_is_the_same_every_time_and_legible(results, tmp_path):
    first = [path.read_bytes() for path in write_overview(results, tmp_path / "one")]
    again = [path.read_bytes() for path in write_overview(results, tmp_path / "two")]
    assert first == again
    assert b"<svg" in first[0][:600]


def test_the_command_draws_into_the_results(results, capsys):
    assert main(["overview", "--results", str(results)]) == 0
    assert (results / "overview.svg").exists()
    assert str(results / "overview.svg") in capsys.readouterr().out
    page = (results / "README.md").read_text()
    said = "3 of 3 | 2 (67 %) | — | 0 % | 2 of 3 ±"
    assert f"| [He et al. 2009](latent_space/README.md) | {said} |" in page
    said = "3 of 5 match | 6 | 3 | 0 | 2 | 1"
    assert f"| [He et al. 2009](latent_space/README.md) | {said} |" in page
    # Kinds of numbers apart: two accuracies and an error, two sizes, a count of rows.
    for kind, counts in (
        ("accuracies and errors", "3 | 2 | 0 | 1 | 0"),
        ("sizes of trees", "2 | 0 | 0 | 1 | 1"),
        ("counts of rows", "1 | 1 | 0 | 0 | 0"),
    ):
        assert (
            f"| {kind} | [He et al. 2009](latent_space/README.md) | {counts} | — | — | — |" in page
        )
    assert "![Published accuracies against ours" in page


def test_skill_is_pooled_over_the_tables_of_a_kind(results):
    rows = "item,metric,n_numbers,right,n_wrong,wrong,skill,found,weak,near,equivalent\n"
    rows += "table2,accuracy,30,0.8,100,0.5,0.6,0.1,1,1,1\n"
    rows += "table3,error_pct,10,0.4,300,0.1,0.3,0.1,1,1,1\n"
    rows += "table4,accuracy,50,1.0,0,,,0.1,1,1,1\n"
    (results / "latent_space" / "power.csv").write_text(rows)
    page = write_overview_page(results).read_text()
    # Right: (30 · 0.8 + 10 · 0.4) / 40; wrong: (100 · 0.5 + 300 · 0.1) / 400.
    assert "| 70% | 20% | 0.62 |" in page


def test_every_accuracy_is_a_dot_in_the_panel_of_its_paper(results):
    picture = next(p for p in write_overview(results) if p.name == "published.svg").read_text()
    assert "He et al. 2009" in picture
    assert "2 match, 1 off" in picture
    dots = re.findall(r'<path class="rt-(\w+)" d="((?:M[\d.]+ [\d.]+h0)+)"/>', picture)
    assert {word: path.count("M") for word, path in dots} == {"match": 2, "off": 1}


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_dot_is_on_the_line_if_and_only_if_it_is_equal(ours, theirs):
    row = {"metric": "accuracy", "verdict": "agrees", "reproduced": ours, "published": theirs}
    shown = panel(pd.DataFrame([row]))
    ((x, y),) = re.findall(r'rt-match" d="M([\d.]+) ([\d.]+)h0"', shown)
    (axis,) = re.findall(r'rt-axis" d="[^"]*M(\d+) (\d+)L(\d+) (\d+)"', shown)
    left, bottom, _, _ = map(int, axis)
    away = (float(x) - left) - (bottom - float(y))
    assert (away > 0) == (theirs > ours) or abs(away) <= 1


def test_distances_beyond_reach_are_in_the_outermost_bins():
    counts = count_distances([-20.0, 0.0, 30.0, 8.0], [])
    assert counts["published"].tolist()[0] == 1
    assert counts["published"].tolist()[-1] == 2
    assert counts.loc[(counts["low"] <= 0) & (counts["high"] > 0), "published"].sum() == 1
    assert counts["runs"].sum() == 0


def test_nothing_to_draw(tmp_path, results, capsys):
    with pytest.raises(RetreeError, match="There are no tables in"):
        write_overview(tmp_path / "nowhere")
    table = results / "latent_space" / "table2.csv"
    rows = [row for row in ROWS.splitlines() if "missing" in row]
    table.write_text("\n".join([",".join(CSV_COLUMNS), *rows]) + "\n")
    assert main(["overview", "--results", str(results)]) == 1
    assert "has a published number; render an item that has some." in capsys.readouterr().err


def test_a_broken_table_is_named(results):
    (results / "latent_space" / "table2.csv").write_bytes(b'a,"b\n')
    with pytest.raises(RetreeError, match=r"table2\.csv cannot be read .*; render it again\."):
        read_comparisons(results)


def test_differences_of_shares_are_in_points():
    rows = [("accuracy", 0.5, 0.52), ("error_pct", 10.0, 9.0), ("leaves", 8.0, 10.0)]
    cells = pd.DataFrame(rows, columns=["metric", "published", "reproduced"])
    assert point_gaps(cells).tolist() == pytest.approx([2.0, -1.0, np.nan], nan_ok=True)
