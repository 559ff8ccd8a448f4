"""Published numbers outside the intervals of one run, and the page on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toy_paper import toy_experiment, toy_item, toy_paper

from retree_lab.reports.agreement.chance import (
    chance_distances,
    chance_document,
    chance_summary,
    chance_table,
    chance_tables,
    count_outside,
    find_coverage,
)
from retree_lab.reports.compare_items import run_fields, with_mean
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Document
from retree_lab.reports.markup import to_markdown
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.reports.verdicts import Rules, judge_numbers


def number(dataset, published, runs, metric="leaves", averaged=1, is_wrong=False):
    """A number as one run gives it, judged by several."""
    means, theirs = tuple(map(float, runs)), PublishedValue(published, np.nan, np.nan, is_wrong)
    run = Run(metric, means, (1.0,) * len(means), len(means) // averaged)
    fields = run_fields(run, means[0], 0.1)
    fields |= {"theirs": theirs, "n_folds": 5, "params": "{}", "item": "table2"}
    return judge(Comparison(dataset, "New+Base", metric, **fields))


def judge(one):
    return judge_numbers([one], Rules())[0]


@pytest.fixture(scope="module")
def compared():
    rng = np.random.default_rng(0)
    cells = [
        number(f"set{i}", value, 40 * np.exp(0.1 * rng.normal(size=20)))
        for i, value in enumerate([40.0, 41.0, 38.0, 90.0, np.nan])
    ]
    return cells


def test_a_number_is_the_mean_of_its_runs_and_keeps_the_verdict_by_folds():
    near = number("xor", 12.0, [10.0, 11.0, 12.0, 11.0])
    assert (near.reproduced, near.verdict) == (11.0, "agrees")
    assert near.judgement.by_tolerance == "differs"
    assert near.n_replicates == 4
    far = number("xor", 30.0, [10.0, 11.0, 12.0, 11.0])
    assert far.verdict == "differs"
    assert far.low < 10 < far.high < 30
    assert far.distance > 5


def test_known_misprints_and_unpublished_numbers_keep_their_verdicts():
    assert number("xor", 30.0, [1.0, 2.0, 3.0], is_wrong=True).verdict == "explained"
    assert number("xor", np.nan, [1.0, 2.0, 3.0]).verdict == "missing"


def test_repeats_of_one_protocol_are_one_replicate():
    one = number("xor", 11.5, [10.0, 11.0, 12.0, 11.0], averaged=4)
    assert (one.n_replicates, one.reproduced) == (1, 10.0)
    assert one.high - one.low < number("xor", 11.5, [10.0, 11.0, 12.0, 11.0]).high


def test_the_mean_over_data_sets_is_judged_by_what_each_may_do():
    cells = [number(f"set{i}", 11.0, [10.0, 11.0, 12.0]) for i in range(16)]
    mean = replace(cells[0], dataset="MEAN", reproduced=11.0, prediction=None)
    judged = judge(with_mean(replace(mean, theirs=PublishedValue(12.0, np.nan)), cells))
    assert judged.verdict == "differs"
    assert judged.runs == (10.0, 11.0, 12.0)
    assert judged.high - judged.low < cells[0].high - cells[0].low


def test_shares_distances_and_coverage(compared):
    cells = compared
    (total,) = count_outside(cells).to_dict("records")
    assert (total["count"], total["total"], total["before"]) == (1, 4, 1)
    (covered,) = find_coverage(cells).to_dict("records")
    assert covered["total"] == 100
    assert 88 <= covered["count"] <= 100
    # 1 is the end of the interval, two standard deviations away or a little more.
    assert np.std(chance_distances(cells)) == pytest.approx(0.5, abs=0.07)
    inside = np.abs(chance_distances(cells)) <= 1
    assert inside.sum() == covered["count"]
    table = chance_table(cells)
    assert table["dataset"][0] == "set3"
    assert len(table) == 4


def test_the_page_says_what_is_outside(compared, tmp_path):
    experiment = toy_experiment(tmp_path, toy_paper(tmp_path), toy_item("table2"))
    tables = chance_tables(experiment.paper, compared)
    page = to_markdown(chance_document(experiment.paper, compared, "A paper."))
    assert "**1 of 4 published numbers lie outside (25.0 %, " in page
    assert "where chance gives 5 %: 1 differ and 0 are at the edge" in page
    assert "Numbers that differ" in page
    assert "Numbers at the edge" not in page
    assert "| Table 2 | set3 | New+Base | leaves | 90.0 |" in page
    assert set(tables["chance.csv"]["verdict"]) == {"agrees", "differs"}
    assert tables["distances.csv"][["published", "runs"]].sum().tolist() == [4, 100]
    assert "each of our replicates was predicted from the others (for" in to_markdown(
        Document([], chance_summary(compared))
    )
    assert chance_tables(experiment.paper, []) == {}


def test_the_coverage_is_that_of_the_interval_used():
    runs = np.random.default_rng(1).normal(20, 1, size=8)
    single, mean = (number("a", 20.0, runs, averaged=n) for n in (1, 8))
    assert (single.run.averaged, mean.run.averaged) == (1, 8)
    assert chance_distances([mean]) != chance_distances([single])
    for cell, total in ((single, 8), (mean, 8)):
        assert find_coverage([cell])["total"].tolist() == [total]
    # An interval over data sets is not tested by folds.
    assert find_coverage([replace(single, over_sets=True)]).empty
