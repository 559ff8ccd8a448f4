"""Tables in the three forms in which people have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.errors import RetreeError
from retree_lab.outside.reading import number_of, read_tables

CSV = """dataset,J48,Bagging,source,rows
iris,94.67 ± 1.20,95.33*,UCI,150
sonar,71.2,,UCI,208
Average,82.9,85.2,,
Avg. rank,1.5,1.5,,
"""
SEMICOLONS = "data;A\niris;94,67\nzoo;92,1\n"
MARKDOWN = """Some words.

| data | A | **B** |
|:--|--:|--:|
| iris | **0.95** | 0.94 |
| x | .91 (.02) | 0.93 |
"""
LATEX = r"""\begin{table}\begin{tabular}{lcc}\hline Data & C4.5 & $\mathrm{OC1}$ \\ \hline
iris & $\mathbf{94.7}\pm 3.1$ & 95.3$\bullet$ \\ % a comment
breast\_w & \textbf{95.0} & -- \\ \hline
\end{tabular}\end{table}"""


def test_csv():
    table = read_tables(CSV)[0]
    assert table.datasets == ("iris", "sonar")
    assert table.methods == ("J48", "Bagging")
    assert table.sizes == {"iris": 150, "sonar": 208}
    first = table.column("J48")["iris"]
    assert (first.value, first.unit, first.std, first.std_unit) == (94.67, 0.01, 1.2, 0.01)
    # NaN is not NaN, so that records with one are compared by what they show.
    assert repr(table.column("Bagging")) == repr({"iris": number_of("95.33*")})
    assert table.column("Bagging")["iris"].mark == "*"
    assert table.means["Bagging"].value == 85.2
    assert table.ranks["J48"].value == 1.5


def test_a_comma_may_be_the_point():
    assert read_tables(SEMICOLONS)[0].column("A")["iris"].value == 94.67


def test_markdown():
    table = read_tables(MARKDOWN)[0]
    assert table.methods == ("A", "B")
    assert table.column("A")["iris"].bold
    assert not table.column("B")["iris"].bold
    assert table.column("A")["x"].std == 0.02


def test_latex():
    table = read_tables(LATEX)[0]
    assert table.datasets == ("iris", "breast_w")
    cell = table.column("C4.5")["iris"]
    assert (cell.value, cell.std, cell.bold) == (94.7, 3.1, True)
    assert table.column("OC1")["iris"].mark == "•"
    assert "breast_w" not in table.column("OC1")


def test_one_value_in_each_line():
    table = read_tables("dataset,method,value,std\niris,A,94.1,1.5\nzoo,A,90.2,\niris,B,93.0,2\n")[
        0
    ]
    assert table.methods == ("A", "B")
    assert table.column("A")["iris"].std == 1.5
    assert list(table.column("B")) == ["iris"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a table"),
        ("a,b", "not a table"),
        ("a,b\nx,y\n", "no number"),
        ("a,b\nx,1\nx,2\n", "'x' appears twice"),
        ("a,b,b\nx,1,2\n", "'b' appears twice"),
        ("a,b\nx,1,2\n", "Line 2 of the table has 3 cells"),
        ("dataset,method,value\nx,A,1\nx,A,2\n", "A has two values on x"),
    ],
)
def test_what_is_no_table_is_said(text, words):
    with pytest.raises(RetreeError, match=words):
        read_tables(text)[0]


@pytest.mark.parametrize("text", ["", "-", "n/a", "3 of 5", "1.2.3", "12-13", "J48"])
def test_no_number(text):
    assert number_of(text) is None


@given(st.decimals(0, 100, places=2), st.decimals(0, 9, places=1))
def test_a_written_number_is_read(value, std):
    cell = number_of(f"{value} ± {std}")
    assert (cell.value, cell.std) == (float(value), float(std))
    assert (cell.unit, cell.std_unit) == (0.01, 0.1)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        table = read_tables(text)[0]
    except RetreeError:
        return
    assert table.datasets
    assert len(table.cells) == len(table.datasets)
