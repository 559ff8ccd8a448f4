"""The one builder of sections: frames by texts, objects by attributes, rows as they are."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from retree.errors import RetreeError
from retree_lab.reports.document import Bullets, TableCell
from retree_lab.reports.formatting import number
from retree_lab.reports.sections import filled, grid_table, grouped, section

FRAME = pd.DataFrame(
    {
        "item": ["table2", "figure3"],
        "metric": ["accuracy", "nodes"],
        "gap": [-0.0125, 3.0],
        "share": [0.5, math.nan],
        "p": [0.00001, 0.25],
    }
)
COLUMNS = {
    **{"item": "{item:title}", "metric": "{metric:label}", "gap": "{gap:+{metric}}"},
    **{"share": "{share:.0%}", "p": "{p:p}", "twice": lambda row: str(2 * row["gap"])},
}


def test_columns_of_a_frame_are_texts_with_formats_and_metrics():
    heading, table, notes = section("Gaps", FRAME, COLUMNS, ["A note."], text="Said.", left=2)
    assert (heading.title, heading.text, table.left) == ("Gaps", "Said.", 2)
    assert list(table.header) == list(COLUMNS)
    assert table.rows == [
        [
            "Table 2",
            "Accuracy",
            number("accuracy", -0.0125, sign=True),
            "50%",
            "< 0.0001",
            "-0.025",
        ],
        ["Figure 3", "Nodes", number("nodes", 3.0, sign=True), "—", "0.2500", "6.0"],
    ]
    assert notes == Bullets(["A note."])


def test_without_rows_there_is_no_section():
    assert section("Gaps", FRAME.iloc[:0], COLUMNS, ["A note."]) == []
    assert section("Gaps", [], {"name": "name"}, last=[["all"]]) == []


def test_rows_that_are_no_frame_have_attributes_or_their_own_headings():
    one = SimpleNamespace(name="tree", size=SimpleNamespace(nodes=3))
    _, table = section("", [one], {"name": "name", "nodes": "size.nodes"}, last=[["all", "3"]])
    assert table.rows == [["tree", "3"], ["all", "3"]]
    # A head that stands twice is a cell the second time.
    twice = TableCell("equal")
    _, table = section("", [{"equal": 1, twice: TableCell("2", strong=True)}])
    assert table.header == ["equal", twice]
    assert table.rows == [["1", TableCell("2", strong=True)]]


def test_a_name_that_no_column_has_is_refused():
    with pytest.raises(RetreeError, match="Unknown column of the rows: 'gaps'"):
        filled("{gaps}", {"gap": 1})


def test_groups_keep_the_order_of_keys_and_rows():
    assert grouped("banana", lambda letter: letter in "an") == {False: ["b"], True: [*"anana"]}
    assert list(grouped([3, 1, 2], lambda n: n % 2)) == [1, 0]


def test_a_grid_has_its_cells_by_row_and_column_whichever_way_it_is_turned():
    cells = {("iris", "a"): "1", ("iris", "b"): "2", ("zoo", "a"): "3"}
    table = grid_table({"iris": "Iris", "zoo": "Zoo"}, ["a", "b"], cells)
    assert table.header == ["data set", "a", "b"]
    assert table.rows == [["Iris", "1", "2"], ["Zoo", "3", ""]]
    turned = grid_table({"iris": "Iris", "zoo": "Zoo"}, ["a", "b"], cells, turned="method")
    assert turned.header == ["method", "Iris", "Zoo"]
    assert turned.rows == [["a", "1", "3"], ["b", "2", ""]]
