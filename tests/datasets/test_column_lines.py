"""What `retree check` says of the columns of a data set."""

import pytest

from retree_lab.datasets.column_lines import column_lines
from retree_lab.datasets.own import load_own


@pytest.fixture
def lines(tmp_path):
    """Return what is said of a csv as the data set of a study."""
    (tmp_path / "datasets").mkdir()

    def said(content, keys=""):
        (tmp_path / "mine.csv").write_text(content)
        file = tmp_path / "datasets" / "mine.yaml"
        file.write_text(f"file: mine.csv\ntarget: y\n{keys}")
        (tmp_path / "data.lock").unlink(missing_ok=True)
        return list(column_lines(*load_own(file)))

    return said


def test_target_types_levels_and_missing_values(lines):
    content = "a,b,c,y\n1,red,07,x\n?, blue,08,y\nNA,,09,x\n4,red,?,y\n"
    assert lines(content, "classes: [y, x, z]\n") == [
        "y: 3 classes (y 2, x 2, z 0)",
        "a: numeric, 2 missing",
        "b: categorical, 2 levels (blue, red), 1 missing",
        "c: numeric, 1 missing",
    ]
    content = "a,y\n1,2\n2,3.5\n"
    assert lines(content, "task: regression\n")[0] == "y: numeric, from 2 to 3.5"


def test_only_so_many_columns_and_classes_are_described(lines):
    head = ",".join(f"a{i}" for i in range(50))
    said = lines(f"{head},y\n" + "".join("0," * 50 + f"k{i:02}\n" for i in range(12)))
    assert said[0].endswith("k09 1, …)")
    assert said[-1] == "and 20 more columns"
    assert len(said) == 32


def test_levels_that_differ_by_blanks_or_case_only_are_named(lines):
    said = lines('a,y\nno,Yes\n"no ",yes\nx,yes\n')
    assert "y: 'Yes' and 'yes' differ only in spaces or case: one level?" in said
    assert "a: 'no' and 'no ' differ only in spaces or case: one level?" in said


@pytest.mark.parametrize(
    "cells",
    [
        ['"1,5"', '"2,5"', "3"],
        ['"1,234"', '"5,678"'],
        ["$5", "$7"],
        ["5%", "7.5 %"],
        ["2020-01-01", "2020-01-02"],
        ["1/2/2020", "13/2/2020"],
        ["1", "2", "low"],
        ["0x1F", "0x20"],
        ["1 000", "2 000"],
    ],
)
def test_numbers_in_disguise_are_named(lines, cells):
    content = "a,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    ending = "categorical: [a] keeps them as levels"
    assert lines(content)[-1].endswith(
        f"reads them so, or names the first that is neither; {ending}"
    )
    assert len(lines(content, "categorical: [a]\n")) == 2


def test_words_and_ranges_are_no_numbers(lines):
    assert len(lines("a,b,y\n10-19,x1,p\n20-29,x2,q\n")) == 3
