"""`reports.multiverse`: how many interpretations were tried, against a count by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from paper_code import PAPERS
from toy_paper import context_of, make_item, results, toy_experiment, toy_paper, toy_plan

from retree.errors import RetreeError
from retree_lab.experiments.definition.method import load_method

ITEMS = {
    "table1": {"methods": ["gini", "gini_joined"]},  # nothing is computed
    "table2": {"methods": ["gini", "gini_joined"], "datasets": ["xor"]},
    "growing": {"methods": ["gini", "gini_kept_joined", "bnm_gini_joined"], "datasets": ["xor"]},
    "own": {"methods": ["gini_one_joined"], "datasets": ["xor"], "own_names": True},
}


@pytest.fixture
def context(tmp_path):
    paper = replace(toy_paper(tmp_path), items=ITEMS)
    content = {
        "rows": "retree_lab.reports.multiverse:tried_by_column",
        "options": {"from_text": {"Gini": "Algorithm 1"}, "by_fit": {}},
    }
    item = make_item("tried", "computed", [], [load_method("gini", PAPERS)], content)
    return context_of(toy_experiment(tmp_path, paper, item), toy_plan(item), results())


def test_methods_are_counted_once_by_what_they_stand_for(context):
    (row,) = context.item.kind.compare(context).to_dict("records")
    assert row == {
        "method": "Gini",
        "tried": 3,
        "where": "Table 2, Growing",
        "from_text": "Algorithm 1",
        "by_fit": "—",
    }


def test_the_page_says_how_many_in_all(context):
    notes = context.item.kind.compare(context).attrs["notes"]
    assert notes[0] == "3 interpretations of 1 columns. Chosen by fit, in part: none."


def test_a_column_that_is_not_there_is_named(context):
    kind = replace(context.item.kind, options={"from_text": {}, "by_fit": {"CSN": "ties"}})
    with pytest.raises(RetreeError, match="Unknown method 'CSN'"):
        kind.compare(context)
