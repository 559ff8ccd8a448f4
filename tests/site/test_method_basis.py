"""The page of a method says whether its formula is the source's or inferred."""

import pandas as pd
import pytest

from retree_lab.experiments.definition.method import load_method
from retree_lab.site.method_pages import method_page, read_equations
from retree_lab.study.available import method_home

COLUMNS = ["paper", "method", "item", "metric"]


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("scaff", "- Exact: the source gives the formula."),
        ("adadt", "- Inferred: the source describes the formula only in words; see the choices"),
        ("gini", ""),
    ],
)
def test_basis(key, sentence):
    method = load_method(key, method_home(key))
    page = method_page(method, {key: method}, [], pd.DataFrame(columns=COLUMNS), read_equations())
    assert sentence in page
    assert ("Exact:" in page or "Inferred:" in page) == bool(sentence)
