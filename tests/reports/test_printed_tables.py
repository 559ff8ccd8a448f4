"""`reports.site_pages`: a printed table: words, colours and counts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from test_verdicts import cell, together

from retree_lab.reports.agreement import count_headlines
from retree_lab.reports.comparison import Word, comparison_table
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.site_pages import (
    INSIDE,
    PUBLISHED,
    PrintedTable,
    printed_text,
)
from retree_lab.reports.verdicts import Rules, judge_numbers
from retree_lab.statistics import Digits


def table(numbers, nested=()):
    def by(cells):
        return {(c.dataset, c.method): c for c in cells}

    return PrintedTable(
        "table1", "error_pct", {PUBLISHED: by(numbers)} | ({INSIDE: by(nested)} if nested else {})
    )


def row(published, method="A", **more):
    return [cell(method, value, dataset=f"d{i}", **more) for i, value in enumerate(published)]


def levels(view):
    return list(view.levels.values())


def test_colours_follow_the_distance_on_one_scale_whatever_judges():
    published = [50.0, 50.5, 50.9, 51.5, 48.5, 53.0, 40.0]
    wanted = [0, 0, 1, 2, -2, 3, -3]
    # The interval is 48 to 52, and its digits half a tenth wider.
    (view,) = table(together(row(published))).views()
    assert levels(view) == wanted
    assert [*view.words.values()] == [Word.MATCH] * 5 + [Word.OFF] * 2
    plain = [replace(c, prediction=None, n_test=1000) for c in row(published)]
    (view,) = table(judge_numbers(plain, Rules(digits=Digits.ROUNDED))).views()
    assert levels(view) == wanted
    assert [*view.words.values()] == [Word.MATCH, *[Word.CLOSE] * 2, *[Word.OFF] * 4]


def test_every_count_is_that_of_the_headlines():
    numbers = together(row([50.0, 51.5, 53.0, 90.0], spread=1.0))
    nested = together(row([50.0, 51.5, 53.0, 90.0], spread=2.0))
    views = list(table(numbers, nested).views())
    assert [v.choice for v in views] == [PUBLISHED, INSIDE]
    for view, cells in zip(views, (numbers, nested), strict=True):
        (counts,) = count_headlines(comparison_table(cells), []).to_dict("records")
        assert [view.counts[word] for word in Word] == [counts[word] for word in Word]
    assert [v.counts[Word.MATCH] for v in views] == [2, 3]


def test_what_is_not_judged_has_no_colour():
    numbers = judge_numbers(row([50.0, 56.0], metric="leaves"), Rules(not_judged="lost"))
    found = PrintedTable("table1", "leaves", {PUBLISHED: {(c.dataset, "A"): c for c in numbers}})
    (view,) = found.views()
    assert view.counts == {Word.UNCHECKED: 2}
    assert levels(view) == [None, None]


@pytest.mark.parametrize(("std", "text"), [(math.nan, "0.710"), (0.02, "0.710±0.020")])
def test_a_number_is_shown_as_printed(std, text):
    c = replace(cell("A", 0.71, metric="accuracy"), theirs=PublishedValue(0.71, std, 0.001))
    assert printed_text(c) == text


@pytest.mark.parametrize(
    ("metric", "value", "unit", "text"),
    [("accuracy", 0.9916666667, 1e-17, "0.991667"), ("train_time_ratio", 1.5, 1.0, "1.50")],
)
def test_digits_that_no_paper_prints_are_not_shown(metric, value, unit, text):
    c = replace(cell("A", 0.5, metric=metric), theirs=PublishedValue(value, math.nan, unit))
    assert printed_text(c) == text
