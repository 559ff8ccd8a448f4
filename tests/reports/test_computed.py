"""Items whose rows a function of the study computes."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from toy_paper import cells, context_of, frame_of, make_item, toy_experiment, toy_paper, toy_plan

from retree.errors import RetreeError
from retree_lab import reports

SOURCE = """
from __future__ import annotations
import pandas as pd

def sizes(context, *, least: int, names: tuple[str, ...] = ("a", "b")) -> Frame:
    rows = pd.DataFrame({"name": list(names), "size": [least, 2.5], "lost": [float("nan")] * 2})
    rows.attrs["notes"] = ["Largest: 2.5."]
    return rows
"""
OPTIONS = {
    "rows": "own.py:sizes",
    "options": {"least": -3},
    "columns": {"name": "<{name}>", "size": "{size:+nodes}", "both": "{size:.2f}, {lost:.2f}"},
    "notes": ["That is all."],
}
EMPTY = frame_of(cells("xor", "base", [0.5])).iloc[:0]


@pytest.fixture
def make(tmp_path):
    (tmp_path / "own.py").write_text(SOURCE)

    def make(**options):
        return make_item("own", "computed", (), (), OPTIONS | options, home=tmp_path)

    return make


def test_rows_are_the_file_and_columns_are_declared(make, tmp_path):
    item = make()
    paper = replace(toy_paper(tmp_path), items={"own": {}})
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, toy_plan(item), EMPTY))
    texts = {path.suffix: path.read_text() for path in paths}
    assert texts[".csv"] == "name,size,lost\na,-3,\nb,2.5,\n"
    page = texts[".md"]
    # No row has both, so that there is no such column.
    assert "| name | size |" in page
    assert "−3.0" in page
    assert page.index("Largest: 2.5.") < page.index("That is all.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": {"leest": 1}}, "option of own: 'leest'. Did you mean 'least'"),
        ({"options": {"least": "1"}}, "least of own must be an integer"),
        ({"options": {}}, "own lacks least"),
        ({"rows": "own.py:sises"}, "'sises'. Did you mean 'sizes'"),
        ({"rows": ""}, "own needs rows or figure"),
    ],
)
def test_options_are_those_of_the_function(make, options, message):
    with pytest.raises(RetreeError, match=message):
        make(**options)


def test_columns_are_those_of_the_rows(make):
    item = make(columns={"size": "{sise}"})
    context = context_of(None, toy_plan(item), EMPTY)
    rows = item.kind.compare(context)
    with pytest.raises(RetreeError, match=r"column of the rows: 'sise'\. Did you mean 'size'"):
        list(item.kind._tables(rows))


def test_a_function_that_fails_is_one_sentence(make):
    item = make(options={"least": 1, "names": ["a", "b", "c"]})
    with pytest.raises(RetreeError, match=r"own\.py, line 6: ValueError: .*; correct it\.$"):
        item.kind.compare(context_of(None, toy_plan(item), EMPTY))


def test_nothing_is_drawn_without_rows(make):
    figure = make(figure="own.py:sizes", options={"least": 1})
    context = context_of(None, toy_plan(figure), EMPTY)
    assert list(figure.kind.draw(context, pd.DataFrame())) == []


def test_columns_that_are_left_out_are_not_counted_among_those_aligned_left(make):
    context = context_of(None, toy_plan(make(left=3)), EMPTY)
    (table,) = context.kind._tables(context.rows)
    assert (table.left, len(table.header)) == (2, 2)
