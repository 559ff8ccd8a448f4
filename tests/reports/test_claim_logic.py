"""Claims on tables with holes, held against a brute force over all ways to fill them."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_lab.reports.claims.claim_numbers import OPERATORS, averages, compare_groups, counted

NAN = math.nan
FILLINGS = (-math.inf, 0.0, 1.0, 2.0, math.inf)


def one_row(relation, every=False, factor=1.0, **values):
    """Compare the columns whose name starts with a with those that start with b."""
    of, than = ([name for name in values if name[0] == letter] for letter in "ab")
    table = pd.DataFrame([values], index=["set"])
    return compare_groups(table, of, than, relation, every=every, factor=factor).iloc[0]


def test_some_or_every_one_has_to_be_less_than_all():
    values = {"a1": 1.0, "a2": 3.0, "b1": 2.0, "b2": 4.0}
    some, every = one_row("<", **values), one_row("<", every=True, **values)
    assert (some["holds"], some["left_of"], some["right_of"]) == (True, "a1", "b1")
    assert (every["holds"], every["left"], every["right"]) == (False, 3.0, 2.0)


def test_greater_looks_at_the_other_ends():
    row = one_row(">", a1=1.0, a2=3.0, b1=2.0, b2=4.0)
    assert (row["holds"], row["left_of"], row["right_of"]) == (False, "a2", "b2")
    assert one_row(">", every=True, a1=5.0, a2=6.0, b=4.0)["left"] == 5.0


def test_a_tie_is_no_tie_by_the_last_bit():
    assert one_row("<=", a=0.1 + 0.2, b=0.3)["holds"] is True
    assert one_row("<", a=0.3, b=0.1 + 0.2)["holds"] is False


def test_the_right_hand_side_is_multiplied():
    assert one_row(">", factor=3.0, a=7.0, b=2.0)["holds"] is True
    assert one_row(">", factor=4.0, a=7.0, b=2.0)["holds"] is False


def test_a_number_may_stand_on_the_right():
    table = pd.DataFrame({"a": [3.0, 5.0, NAN]}, index=["x", "y", "z"])
    rows = compare_groups(table, ["a"], 4, "<")
    assert rows["holds"].tolist() == [True, False, None]
    assert rows["right"].tolist() == [4, 4, 4]


def test_what_is_known_may_do():
    assert one_row("<", a1=1.0, a2=NAN, b=2.0)["holds"] is True
    assert one_row("<", a=3.0, b1=2.0, b2=NAN)["holds"] is False
    assert one_row("<", a=1.0, b1=2.0, b2=NAN)["holds"] is None
    assert one_row("<", a=NAN, b=2.0)["holds"] is None


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, NAN]), min_size=4, max_size=4),
    st.sampled_from(sorted(OPERATORS)),
    st.booleans(),
)
def test_an_answer_stands_whatever_the_missing_numbers_are(numbers, relation, every):
    names = ["a1", "a2", "b1", "b2"]
    answer = one_row(relation, every, **dict(zip(names, numbers, strict=True)))["holds"]
    choices = [FILLINGS if math.isnan(value) else (value,) for value in numbers]
    found = set()
    for a1, a2, *than in itertools.product(*choices):
        each = [all(OPERATORS[relation](a, b) for b in than) for a in (a1, a2)]
        found.add(all(each) if every else any(each))
    assert found == ({True, False} if answer is None else {answer})


@given(st.lists(st.sampled_from([True, False, None]), max_size=5), st.data())
def test_a_count_is_certain_if_every_filling_says_the_same(answers, data):
    low = data.draw(st.none() | st.integers(0, 5))
    high = data.draw(st.none() | st.integers(low or 0, 5))
    choices = [(True, False) if answer is None else (answer,) for answer in answers]
    found = set()
    for filled in itertools.product(*choices):
        enough = low is None or sum(filled) >= low
        found.add(enough and (high is None or sum(filled) <= high))
    expected = found.pop() if len(found) == 1 else None
    assert counted(answers, low, high) is expected


def test_means_are_of_whole_columns_only():
    table = pd.DataFrame({"a": [1.0, 4.0], "b": [1.0, NAN]})
    assert averages(table)["a"].tolist() == [2.5]
    assert averages(table, geometric=True)["a"].tolist() == pytest.approx([2.0])
    assert averages(table)["b"].isna().all()
