from __future__ import annotations

import pytest

from retree.cli import main
from retree.errors import RetreeError
from retree.reports.comparison import CSV_COLUMNS
from retree.reports.figures import PNG_DPI
from retree.reports.overview import agreement, judged, read_comparisons, write_overview

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
    (folder / "readings.csv").write_text("method,reading\nC4.5,default\n")
    stranger = tmp_path / "quickstart"
    stranger.mkdir()
    (stranger / "table2.csv").write_text(",".join(CSV_COLUMNS) + "\n" + ROWS)
    return tmp_path


def test_numeric_tables_of_papers_are_read(results):
    cells = read_comparisons(results)
    assert set(cells["paper"]) == {"latent_space"}
    assert set(cells["item"]) == {"table2"}
    assert list(cells["method"].unique()) == ["C4.5", "None", ""]
    assert len(judged(cells)) == 6  # neither the time nor what is not printed


def test_cells_are_counted_by_verdict(results):
    counts = agreement(read_comparisons(results)).to_dict("records")
    assert counts == [
        {
            "paper": "latent_space",
            "item": "table2",
            "agrees": 3,
            "weak": 0,
            "differs": 2,
            "explained": 1,
            "missing": 0,
            "printed": 6,
            "share": pytest.approx(3 / 5),
        }
    ]
    by_method = agreement(read_comparisons(results), ["method"]).set_index("method")
    assert by_method["share"].to_dict() == {"C4.5": 1.0, "None": 0.0, "": 1.0}


def test_no_share_of_no_cell(results):
    cells = read_comparisons(results)
    explained = cells[cells["verdict"] == "explained"]
    assert agreement(explained)["share"].isna().all()


def test_the_picture_is_the_same_every_time_and_legible(results, tmp_path):
    first = [path.read_bytes() for path in write_overview(results, tmp_path / "one")]
    again = [path.read_bytes() for path in write_overview(results, tmp_path / "two")]
    assert first == again
    width = int.from_bytes(first[0][16:20], "big")
    assert width == 9 * PNG_DPI
    assert b"<svg" in first[1][:600]


def test_the_command_draws_into_the_results(results, capsys):
    assert main(["overview", "--results", str(results)]) == 0
    assert (results / "overview.png").exists()
    assert str(results / "overview.svg") in capsys.readouterr().out


def test_nothing_to_draw(tmp_path, results, capsys):
    with pytest.raises(RetreeError, match="There are no tables in"):
        write_overview(tmp_path / "nowhere")
    table = results / "latent_space" / "table2.csv"
    rows = [row for row in ROWS.splitlines() if "missing" in row]
    table.write_text("\n".join([",".join(CSV_COLUMNS), *rows]) + "\n")
    assert main(["overview", "--results", str(results)]) == 1
    assert "is printed; render an item with printed numbers." in capsys.readouterr().err


def test_a_broken_table_is_named(results):
    (results / "latent_space" / "table2.csv").write_bytes(b'a,"b\n')
    with pytest.raises(RetreeError, match=r"table2\.csv cannot be read .*; render it anew\."):
        read_comparisons(results)
