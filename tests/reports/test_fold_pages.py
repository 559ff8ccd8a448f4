"""`reports.site_pages`: every number of a page leads to the folds of its mean."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from linked_pages import check_links, linked_numbers, sections
from toy_paper import toy_item

from retree_lab.cli import main
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Bullets, Listing, Table, ToFolds, text_of
from retree_lab.reports.fold_groups import FoldGroup, FoldNumber, FoldSection
from retree_lab.reports.published import NOTHING
from retree_lab.site.rendered_papers import render


def test_numbers_of_a_paper_lead_to_their_folds(tiny_clone):
    rendered = render("tiny", tiny_clone / "results", tiny_clone / "cells.sqlite")
    # Two data sets by two methods by two metrics.
    assert check_links(rendered) == {"folds": 8}
    places = {number.to for number in linked_numbers(rendered.pages["table1"])}
    assert ToFolds("table1", "iris", "Gini", "{}") in places
    blocks = sections(rendered.folds["iris"])["table1-bnm-plus-csn-plus-gini"]
    (command,) = (block for block in blocks if isinstance(block, Listing))
    assert command.lines == "retree show tiny table1 iris bnm_csn_gini"
    (facts,) = (block for block in blocks if isinstance(block, Bullets))
    assert text_of(facts.sentences[1]).startswith("Parameters: criterion='bnm+csn', ")
    *_, folds = (block for block in blocks if isinstance(block, Table))
    assert [row[0] for row in folds.rows] == [f"0, {i}" for i in range(5)]
    assert all(len(row[-1]) == 12 for row in folds.rows)


def test_pages_of_folds_are_on_the_site_only(tiny_clone):
    text = (tiny_clone / "results" / "tiny" / "table1.md").read_text()
    assert "`retree show tiny table1 iris gini` shows the folds behind Gini on iris." in text
    assert "](" not in text
    assert not list((tiny_clone / "results" / "tiny").glob("folds*"))


def test_long_protocols_have_a_line_per_repeat(tiny_clone):
    arguments = ["-j", "1", "paper=tiny", "item=table1", "protocol=cv10x10", "datasets=[iris]"]
    assert main(["run", "--report", *arguments, "results=long"]) == 0
    # How it was rendered is found beside it.
    rendered = render("tiny", tiny_clone / "long", tiny_clone / "cells.sqlite")
    assert check_links(rendered) == {"folds": 4}
    blocks = sections(rendered.folds["iris"])["table1-gini"]
    (lines,) = (b.lines for b in blocks if isinstance(b, Listing) and b.language == "text")
    assert Counter(len(line.split()) for line in lines.splitlines())[11] == 3 * 10


@pytest.mark.parametrize("chosen", [(2, 3), (2, 2)])
def test_parameters_chosen_in_each_fold_stand_beside_it_if_they_differ(chosen):
    points = [{"k": k} for k in chosen]
    known = {"repeat": 0, "replicate": False, "accuracy": 0.5, "n_test": 30, "key": "", "run": 0}
    folds = [{**known, "fold": i, "params": json.dumps(p)} for i, p in enumerate(points)]
    number = Comparison("xor", "New+Base", "accuracy_nested", 0.5, 0.1, NOTHING)
    numbers = [FoldNumber("table2", number, False)]
    group = FoldGroup("xor", "New+Base", "xor", "new", json.dumps(points), numbers, folds)
    section = FoldSection("toy", toy_item("table2"), group, {}, {}, [])
    columns = dict(section.columns)
    if len(set(chosen)) == 1:
        assert section.parameters["k"] == "2"
        assert "parameters" not in columns
    else:
        assert "k" not in section.parameters
        assert columns["parameters"] == ["k=2", "k=3"]
