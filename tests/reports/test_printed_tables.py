"""A printed table under each rule: states, colours and counts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from test_verdicts import cell, together

from retree.reports.comparison import comparison_table
from retree.reports.headlines import count_headlines
from retree.reports.printed_tables import (
    INSIDE,
    NEAR,
    OWN,
    PUBLISHED,
    PrintedTable,
    printed_text,
)
from retree.reports.published import PublishedValue
from retree.reports.verdicts import Rules, judge_numbers
from retree.statistics import Digits


def table(numbers, nested=()):
    def by(cells):
        return {(c.dataset, c.method): c for c in cells}

    return PrintedTable(
        "table1", "error_pct", {PUBLISHED: by(numbers)} | ({INSIDE: by(nested)} if nested else {})
    )


def row(published, method="A", **more):
    return [cell(method, value, dataset=f"d{i}", **more) for i, value in enumerate(published)]


def levels(view):
    return [state.level for state in view.states.values()]


def test_colours_follow_the_interval_and_the_side():
    # The interval is 48 to 52, and its digits half a tenth wider.
    numbers = together(row([50.0, 50.9, 51.5, 48.5, 53.0, 56.0, 40.0]))
    own, near = table(numbers).views()
    assert levels(own) == [0, 0, 1, -1, 2, 3, -3]
    assert levels(near) == [0, 1, 2, -2, 3, 3, -3]
    assert [state.verdict for state in near.states.values()] == ["near"] * 2 + ["far"] * 5


def test_every_count_is_that_of_the_headlines():
    numbers = together(row([50.0, 51.5, 53.0, 90.0], spread=1.0))
    nested = together(row([50.0, 51.5, 53.0, 90.0], spread=2.0))
    views = list(table(numbers, nested).views())
    assert [(v.rule, v.choice) for v in views] == [
        *((OWN, PUBLISHED), (NEAR, PUBLISHED), (OWN, INSIDE), (NEAR, INSIDE)),
    ]
    for view, cells in zip(views, (numbers, numbers, nested, nested), strict=True):
        (counts,) = count_headlines(comparison_table(cells), []).to_dict("records")
        names = ("agree", "judged") if view.rule == OWN else ("near", "accuracies")
        assert view.counts == tuple(counts[name] for name in names)
    assert [v.counts for v in views] == [(2, 4), (1, 4), (3, 4), (1, 4)]


def test_equal_digits_have_no_colour_and_others_that_of_points():
    plain = [replace(c, prediction=None, n_test=1000) for c in row([50.0, 50.4, 48.0])]
    numbers = judge_numbers(plain, Rules(digits=Digits.ROUNDED))
    found = table(numbers)
    assert found.rules[OWN] == "equal to the printed digit"
    assert levels(next(found.views())) == [0, 2, -2]


def test_sizes_have_no_points_and_what_is_not_judged_no_colour():
    numbers = judge_numbers(row([50.0, 56.0], metric="leaves"), Rules(not_judged="lost"))
    found = PrintedTable("table1", "leaves", {PUBLISHED: {(c.dataset, "A"): c for c in numbers}})
    (view,) = found.views()
    assert view.counts == (0, 0)
    assert levels(view) == [None, None]


@pytest.mark.parametrize(("std", "text"), [(math.nan, "0.710"), (0.02, "0.710±0.020")])
def test_a_number_is_shown_as_printed(std, text):
    c = replace(cell("A", 0.71, metric="accuracy"), theirs=PublishedValue(0.71, std, 0.001))
    assert printed_text(c) == text
