"""Columns are traced back to what made them, and others to nothing."""

from __future__ import annotations

import numpy as np
import pytest

from retree.errors import RetreeError, UnknownNameError
from retree.outside.index import Index
from retree.outside.matching import identify
from retree.outside.reading import number_of
from retree.statistics.agreement import Digits, gap_to_digit

LEARNERS, PROTOCOLS = tuple("ABCDEFGH"), tuple("pqrst")


@pytest.fixture(scope="module")
def index():
    rng = np.random.default_rng(0)
    rows = rng.integers(150, 1000, 12)
    centre = rng.uniform(0.6, 0.95, (12, 1, 1))
    right = rng.binomial(rows[:, None, None], np.clip(centre, 0, 1), (12, 8, 5))
    names = tuple(f"set {i}" for i in range(12))
    std = np.full(right.shape, np.nan)
    return Index(names, LEARNERS, PROTOCOLS, rows, right / rows[:, None, None], std)


def column(index, learner, protocol, digits=2, n=12, error=False, cut=False):
    values = index.accuracy[:n, LEARNERS.index(learner), PROTOCOLS.index(protocol)]
    shown = 100 * (1 - values if error else values)
    shown = np.floor(shown * 10**digits) / 10**digits if cut else shown
    return {
        name: number_of(f"{value:.{digits}f}")
        for name, value in zip(index.datasets, shown, strict=False)
    }


@pytest.mark.parametrize("error", [False, True])
@pytest.mark.parametrize("cut", [False, True])
def test_a_column_of_the_index_is_found(index, error, cut):
    found = identify(index, "x", column(index, "C", "r", error=error, cut=cut))
    (first,) = found.named
    assert (first.learner, first.protocol) == ("C", "r")
    assert (first.writing.error, first.writing.digits == Digits.CUT) == (error, cut)
    assert len(first.equal) == first.compared == 12
    assert first.by_chance < 3


def test_three_data_sets_suffice_and_one_does_not(index):
    assert identify(index, "x", column(index, "B", "s", n=3)).named
    assert not identify(index, "x", column(index, "B", "s", n=1)).named


def test_a_misprint_does_not_hide_the_rest_but_nothing_is_named(index):
    numbers = column(index, "D", "q") | {"set 3": number_of("12.34")}
    found = identify(index, "x", numbers)
    first = found.explanations[0]
    assert (first.learner, len(first.equal), first.compared) == ("D", 11, 12)
    assert not found.named


def test_random_numbers_are_nobodys(index):
    rng = np.random.default_rng(1)
    for _ in range(100):
        rows = zip(index.datasets, index.rows, strict=True)
        numbers = {name: number_of(f"{100 * rng.binomial(n, 0.8) / n:.2f}") for name, n in rows}
        assert not identify(index, "x", numbers).named


def test_equal_entries_are_named_together(index):
    accuracy = index.accuracy.copy()
    accuracy[:, 1] = accuracy[:, 0]
    twins = Index(index.datasets, LEARNERS, PROTOCOLS, index.rows, accuracy, index.std)
    named = identify(twins, "x", column(twins, "A", "p")).named
    assert {e.learner for e in named} == {"A", "B"}


def test_an_entry_is_no_evidence_against_itself(index):
    """Whether numbers are equal is what `gap_to_digit` says of each."""
    numbers = column(index, "E", "t", digits=1)
    first = identify(index, "x", numbers).explanations[0]
    at = LEARNERS.index(first.learner), PROTOCOLS.index(first.protocol)
    for i, (name, number) in enumerate(numbers.items()):
        accuracy = index.accuracy[i][at]
        shown = 100 * (1 - accuracy if first.writing.error else accuracy)
        gap = gap_to_digit(shown, number.value, number.unit, first.writing.digits)
        assert (gap == 0) == (name in first.equal)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"set 0": "120.5"}, "above 100 %"),
        ({"set 0": "-3"}, "below 0"),
        ({"set 0": "0.95", "set 1": "94.1"}, "mixes units"),
    ],
)
def test_what_is_no_share_is_said(index, cells, words):
    with pytest.raises(RetreeError, match=words):
        identify(index, "x", {name: number_of(text) for name, text in cells.items()})


def test_an_unknown_data_set_is_said_with_its_neighbours(index):
    with pytest.raises(UnknownNameError, match="set 1"):
        identify(index, "x", {"sett 1": number_of("90")})
