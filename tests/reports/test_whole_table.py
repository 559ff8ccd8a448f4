"""A number is judged once: what a part of a table says of it is what the whole table says."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retree_lab.experiments.definition.config import load_experiment
from retree_lab.reports.comparison import Comparison, comparison_table
from retree_lab.reports.files import csv_text, write
from retree_lab.reports.published import Published
from retree_lab.reports.runs import Run
from retree_lab.reports.verdicts import judge_numbers, judged_as_whole, rules_of
from retree_lab.statistics.intervals import Prediction
from retree_lab.study.composing import compose

METRIC = "accuracy"


def restricted(item, datasets, methods):
    kept = tuple(m for m in item.methods if m.key in methods)
    return replace(item, datasets=tuple(datasets), methods=kept)


def numbers(whole, spread, seed):
    """Numbers of a whole table beside the published ones, as far away as chance and more."""
    item, published, draws = whole.items[0], Published(whole.paper), np.random.default_rng(seed)
    for dataset in map(item.label, item.datasets):
        for method in item.methods:
            theirs = published.find(item.name, dataset, method.name, METRIC)
            center = theirs.value + spread * draws.standard_normal() * draws.choice([1, 1, 4])
            one = Comparison(dataset, method.name, METRIC, center, 1.0, theirs, 10, "{}")
            run = Run(METRIC, (center,) * 20, (1.0,) * 20, 20)
            yield replace(one, prediction=Prediction(center, 0.02, 0.0, 19.0), run=run)


def part_of(judged, item):
    names = {m.name for m in item.methods}, set(map(item.label, item.datasets))
    return [c for c in judged if c.method in names[0] and c.dataset in names[1]]


def verdicts(judged):
    return {(c.dataset, c.method): str(c.verdict) for c in judged}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    found = load_experiment(compose(["item=table2"]))
    return replace(found, results=results, committed=results)


@settings(deadline=None)
@given(st.sampled_from([0.01, 0.02, 0.05]), st.integers(0, 999), st.data())
def test_a_part_of_a_table_has_its_verdicts_or_says_that_they_are_open(whole, spread, seed, data):
    item = whole.items[0]
    keys = [m.key for m in item.methods if m.missing is None]
    datasets = data.draw(st.lists(st.sampled_from(item.datasets), min_size=1, unique=True))
    methods = data.draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))
    part = restricted(item, datasets, methods)
    rules = rules_of(item, whole.paper)
    plain = list(numbers(whole, spread, seed))
    judged = judge_numbers(plain, rules)
    alone = judge_numbers(part_of(plain, part), rules)
    wanted = verdicts(part_of(judged, part))

    csv = whole.results / whole.paper.name / "table2.csv"
    csv.unlink(missing_ok=True)
    unknown = verdicts(judged_as_whole(alone, whole, part))
    assert all(found in (wanted[place], "missing") for place, found in unknown.items())
    write(csv, csv_text(comparison_table(judged)))
    assert verdicts(judged_as_whole(alone, whole, part)) == wanted


def test_what_is_open_names_the_way_to_know(whole):
    part = restricted(whole.items[0], ["sonar"], ["gini"])
    [number] = part_of(numbers(whole, 0.0, 0), part)
    near = number.published + 0.06
    number = replace(number, reproduced=near, prediction=Prediction(near, 0.02, 0.0, 19.0))
    (whole.results / whole.paper.name / "table2.csv").unlink(missing_ok=True)
    [judged] = judged_as_whole(judge_numbers([number], rules_of(part, whole.paper)), whole, part)
    assert "render item=table2" in judged.reason
    assert math.isnan(judged.difference)


def test_of_another_number_the_rendered_table_says_nothing(whole):
    part = restricted(whole.items[0], ["sonar"], ["gini"])
    judged = judge_numbers(numbers(whole, 0.05, 3), rules_of(whole.items[0], whole.paper))
    write(whole.results / whole.paper.name / "table2.csv", csv_text(comparison_table(judged)))
    [number] = part_of(judged, part)
    moved = replace(number, reproduced=number.reproduced + 1e-4)
    [found] = judged_as_whole([moved], whole, part)
    assert found.verdict in ("missing", "agrees", "weak")


def test_a_whole_item_is_judged_by_itself(whole, monkeypatch):
    monkeypatch.setattr("retree_lab.reports.verdicts._rendered", lambda *_: pytest.fail("was read"))
    judged = judge_numbers(numbers(whole, 0.05, 1), rules_of(whole.items[0], whole.paper))
    assert judged_as_whole(judged, whole, whole.items[0]) == judged
