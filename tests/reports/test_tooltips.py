"""The tooltip of a number: what is not beside it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.item_page import facts
from retree_lab.reports.published import NOTHING, PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.statistics import paired_t_test
from retree_lab.statistics.intervals import predict

PLAIN = Comparison("iris", "New", "accuracy", 0.8, 0.02, NOTHING, 5, "{}")
COMPARED = replace(PLAIN, theirs=PublishedValue(0.75, math.nan), judgement=Judgement("differs"))


def note(*arguments):
    return " · ".join(facts(*arguments))


def test_spread_and_difference():
    assert note(PLAIN) == "s = 0.0200 over 5 folds"
    assert note(COMPARED) == f"differs · {note(PLAIN)} · difference +0.0500, allowed 0.0253"
    assert note(replace(PLAIN, reproduced_std=math.nan)) == ""


def test_runs_and_their_interval():
    prediction = predict([0.79, 0.8, 0.81], averaged=1)
    several = replace(
        COMPARED, prediction=prediction, run=Run("accuracy", (0.79, 0.8, 0.81), (0.02,) * 3, 3)
    )
    low, high = several.low, several.high
    runs = "differs · s = 0.0200 over 5 folds, mean of 3 replicates"
    assert (
        note(several) == f"{runs} · difference +0.0500, one replicate gives {low:.4f} to {high:.4f}"
    )


def test_a_test_is_named_with_its_baseline():
    test = paired_t_test([0.8, 0.9, 0.8], [0.5, 0.5, 0.6])
    tested = replace(PLAIN, baseline="Old", test=test)
    assert note(tested).endswith(f" · against Old: +0.3000, t-test p = {test.p_value:.2g}")
    assert "against" not in note(replace(tested, baseline="New"))
    assert (tested.mark, replace(tested, test=None).mark) == ("▲", "")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ('{"k": 2, "m": 3}', "k = 2; m = 3"),
        ('[{"k": 2}, {"k": 5}, {"k": 2}]', "k = 2, 5"),
    ],
)
def test_chosen_parameters_come_last(params, words):
    assert note(replace(PLAIN, params=params), "", "a misprint").endswith(
        f"5 folds · a misprint · {words}"
    )
