"""What cannot be judged is judged nowhere: not by number, by claim, in totals or on a page."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from paper_code import PAPERS

from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import headline_words
from retree_lab.reports.claims.judging import Here
from retree_lab.statistics import JUDGED
from retree_lab.study.available import available

RESULTS = PAPERS.parents[1] / "results"
WITHHELD = [
    (name, item)
    for name in sorted(available("paper"))
    for item in load_paper(name).items
    if load_paper(name).why_not_judged(item)
]


def test_some_items_of_a_paper_are_withheld_and_others_are_not():
    paper = load_paper("cmdt")
    assert ("cmdt", "table6") in WITHHELD
    assert not {("cmdt", "table1"), ("cmdt", "table2"), ("cmdt", "table3")} & {*WITHHELD}
    assert load_paper("structure_purity").why_not_judged("table2") == ""
    assert replace(paper, not_judged="").why_not_judged("table6") == ""


@pytest.mark.parametrize(("name", "item"), WITHHELD)
def test_what_is_withheld_has_no_verdict(name, item):
    file = RESULTS / name / f"{item}.csv"
    table = pd.read_csv(file) if file.is_file() else pd.DataFrame()
    assert not set(table.get("verdict", pd.Series(dtype=str)).dropna()) & set(JUDGED)
    claims = pd.read_csv(RESULTS / name / "claims.csv").set_index("claim")
    about = [c.name for c in load_paper(name).claims if c.check and c.check.item == item]
    own = claims.loc[about]
    assert set(own.loc[own["ours"] != "yes", "here"].dropna()) <= {str(Here.OPEN)}


def test_the_title_of_a_picture_counts_no_published_number_that_is_withheld():
    assert "above the interval" not in (RESULTS / "cmdt" / "effects.svg").read_text()


def test_the_words_say_what_is_judged_and_why_the_rest_is_not():
    counts = {"published": 15, "judged": 7, "agree": 4}
    assert headline_words(counts) == "4 of 7 match"
    said = "4 of 7 match; 8 more are not checkable: our copy lacks them"
    assert headline_words(counts, "our copy lacks them") == said
    said = "4 of 14 match; 1 more is not checkable: lost"
    assert headline_words({**counts, "judged": 14}, "lost") == said
    assert headline_words({**counts, "judged": 0}, "lost") == "not checkable: lost"
