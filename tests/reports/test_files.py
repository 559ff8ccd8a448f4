"""Names and contents of the files that reports write."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_lab import paths
from retree_lab.experiments.definition.paper_config import TAKEN
from retree_lab.reports.files import csv_text
from retree_lab.study.available import available
from retree_lab.yaml_files import read_mapping

# No file that is read as UTF-8 has surrogates (category Cs).
LETTERS = st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])


@given(st.lists(st.text(LETTERS, min_size=1), min_size=1))
def test_no_text_of_a_csv_begins_like_a_formula(texts):
    rows = list(csv.reader(io.StringIO(csv_text(pd.DataFrame({"name": texts})))))[1:]
    for (shown,), text in zip(rows, texts, strict=True):
        assert shown in (text, f"'{text}")
        if shown[0] in "=+-@\t":
            float(shown)


def test_formulas_are_quoted_and_numbers_are_not():
    table = pd.DataFrame({"=a": ["=1+1", "-2", "+3e5", "-", "@x", "x=1"], "b": -np.arange(6.0)})
    found = [line.split(",") for line in csv_text(table).split()]
    assert [row[0] for row in found] == ["'=a", "'=1+1", "-2", "+3e5", "'-", "'@x", "x=1"]
    assert [row[1] for row in found] == ["b", "-0", "-1", "-2", "-3", "-4", "-5"]
    assert csv_text(table, quoted=False).startswith("=a,b\n=1+1,")


@pytest.mark.parametrize("paper", available("paper"))
def test_no_item_can_be_called_as_a_file_that_is_written_beside_items(paper):
    folder = paths.project_dir() / "results" / paper
    items = read_mapping(paths.conf_dir() / "paper" / paper / "paper.yaml")["items"]
    names = {path.name.partition(".")[0] for path in folder.iterdir() if path.is_file()}
    others = {name for name in names if not name.startswith(tuple(items))}
    assert {name.casefold() for name in others} <= set(TAKEN)
