"""`reports.comparison`: the four words of a verdict, explained in one place."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_lab import paths
from retree_lab.reports.claims.judging import Here, Honest, InPaper
from retree_lab.reports.comparison import (
    CLAIM_WORDS,
    MARKS,
    Word,
    claim_word,
    distance,
    word_of,
    words_of,
)
from retree_lab.reports.formatting import verdict_legend
from retree_lab.statistics import AGREEING, JUDGED, OUTSIDE, Verdict

percent = st.floats(0, 100)


@given(st.sampled_from([str(v) for v in Verdict]), percent, percent)
def test_every_verdict_comes_to_one_word(verdict, ours, theirs):
    word = word_of(verdict, "error_pct", ours, theirs)
    assert (word == Word.UNCHECKED) == (verdict not in JUDGED)
    assert (word == Word.MATCH) == (verdict in AGREEING)
    if verdict in OUTSIDE:
        assert (word == Word.CLOSE) == (abs(ours - theirs) <= 1 + 1e-9)


@given(percent, percent)
def test_distance_is_the_same_in_points_for_every_share(ours, theirs):
    points = distance("error_pct", ours, theirs)
    assert points == pytest.approx(theirs - ours)
    assert distance("accuracy", ours / 100, theirs / 100) == pytest.approx(points, abs=1e-9)


def test_a_size_is_close_within_a_tenth():
    words = [word_of("differs", "leaves", ours, 100.0) for ours in (90.0, 89.0, 110.0, 111.0)]
    assert words == [Word.CLOSE, Word.OFF, Word.CLOSE, Word.OFF]
    assert distance("leaves", 3.0, 0.0) == -math.inf


def test_what_is_not_published_or_not_judged_has_no_word():
    assert word_of("missing", "accuracy", 0.5, math.nan) is None
    assert word_of("", "accuracy", 0.5, 0.5) is None
    columns = ["verdict", "metric", "reproduced", "published"]
    rows = [["", "accuracy", 0.5, 0.5], ["edge", "accuracy", 0.5, 0.51]]
    assert words_of(pd.DataFrame(rows, columns=columns)).tolist() == ["", "close"]


def test_every_word_has_a_mark_of_its_own_and_a_meaning():
    assert set(MARKS) == set(Word)
    assert len({word.sign for word in Word}) == len(Word) == 4
    assert all(word.meaning for word in Word)
    assert verdict_legend([]) == ["— no number."]


def test_every_answer_on_a_claim_comes_to_four_words():
    answers = {str(answer) for kind in (InPaper, Here, Honest) for answer in kind if answer}
    assert {claim_word(answer) for answer in answers} == set(CLAIM_WORDS)
    assert claim_word("possible") == claim_word("not shown") == "not checkable"
    assert claim_word("") == ""


def test_the_guide_has_the_table_of_marks():
    guide = (paths.project_dir() / "docs" / "guide" / "judging.md").read_text()
    for word in Word:
        assert f"| {word} | {word.sign} | {word.meaning} |\n" in guide
