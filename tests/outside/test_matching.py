"""Columns are traced back to what made them, and others to nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.outside.index import Index
from retree_lab.outside.likelihood import Spread
from retree_lab.outside.matching import identify
from retree_lab.outside.reading import number_of
from retree_lab.statistics.agreement import Digits, gap_to_digit

LEARNERS, PROTOCOLS = tuple("ABCDEFGH"), tuple("pqrst")


@pytest.fixture(scope="module")
def index():
    rng = np.random.default_rng(0)
    rows = rng.integers(150, 1000, 12)
    centre = rng.uniform(0.6, 0.95, (12, 1, 1))
    right = rng.binomial(rows[:, None, None], np.clip(centre, 0, 1), (12, 8, 5))
    names = tuple(f"set {i}" for i in range(12))
    std = rng.uniform(0.01, 0.09, right.shape)
    keys, folds = ("",) * 12, np.full(5, 10)
    return Index(names, LEARNERS, PROTOCOLS, keys, folds, rows, right / rows[:, None, None], std)


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
    (first,) = found.named.entries
    assert (first.learner, first.protocol) == ("C", "r")
    assert (first.writing.error, first.writing.digits == Digits.CUT) == (error, cut)
    assert len(first.equal) == first.compared == 12
    assert first.by_chance < 3


def test_four_data_sets_suffice_and_one_does_not(index):
    assert identify(index, "x", column(index, "B", "s", n=4)).named
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
    twins = replace(index, accuracy=accuracy)
    named = identify(twins, "x", column(twins, "A", "p")).named
    assert set(named.learners) == {"A", "B"}


def with_spread(index, learner, protocol, factor):
    """The numbers of an entry with deviations behind them."""
    at = LEARNERS.index(learner), PROTOCOLS.index(protocol)
    spread = 100 * factor * index.std[:, at[0], at[1]]
    numbers = column(index, learner, protocol).items()
    return {
        name: replace(number, std=round(std, 2), std_unit=0.01)
        for (name, number), std in zip(numbers, spread, strict=True)
    }


@pytest.mark.parametrize(("factor", "divisor"), [(1, "n − 1"), (0.9**0.5, "n")])
def test_equal_deviations_are_counted(index, factor, divisor):
    (first,) = identify(index, "x", with_spread(index, "C", "r", factor)).named.entries
    assert first.spread == Spread(12, 12, 10, divisor)


def test_deviations_are_evidence(index):
    """Two data sets do not tell; with equal deviations they do, and with others still less."""
    wanted = {"set 0", "set 1"}
    columns = [column(index, "C", "r"), *(with_spread(index, "C", "r", f) for f in (1, 0.5))]
    found = [
        identify(index, "x", {k: v for k, v in numbers.items() if k in wanted}).explanations[0]
        for numbers in columns
    ]
    without, equal, unequal = (each.probability for each in found)
    assert unequal < without < equal
    assert (found[2].learner, found[2].spread.equal) == ("C", 0)


def of_options(index):
    """The index with A to D as options of one learner, which on half of the sets change nothing."""
    names = ("A", *(f"A -{letter}" for letter in "BCD"), *LEARNERS[4:])
    alike = index.accuracy.copy()
    alike[:6, 1:4] = alike[:6, :1]
    return replace(index, learners=names, accuracy=alike)


def test_options_that_do_not_show_are_open(index):
    """The learner and the folds are named; that with options may have made the numbers."""
    family = of_options(index)
    numbers = list(column(family, "A", "q").items())
    named = identify(family, "x", dict(numbers[:4])).named
    assert (named.any_options, named.any_folds) == (True, False)
    assert (named.learners, named.protocols) == (("A",), ("q",))
    exact = identify(family, "x", dict(numbers[6:])).named
    assert (exact.any_options, exact.any_folds, exact.learners) == (False, False, ("A",))


def test_an_option_that_the_index_lacks_is_not_excluded(index):
    """Its numbers on sets where options do not show are those of its relatives."""
    family = of_options(index)
    lacking = replace(
        family,
        learners=family.learners[:3] + family.learners[4:],
        accuracy=np.delete(family.accuracy, 3, axis=1),
        std=np.delete(family.std, 3, axis=1),
    )
    named = identify(lacking, "x", column(family, "D", "q", n=5)).named
    assert (named.learners, named.any_options) == (("A",), True)


def test_folds_that_do_not_show_are_open(index):
    """A learner that gives the same by all protocols is named without one."""
    accuracy = index.accuracy.copy()
    accuracy[:, 2] = accuracy[:, 2, :1]
    stable = replace(index, accuracy=accuracy)
    named = identify(stable, "x", column(stable, "C", "q", n=5)).named
    assert named.learners == ("C",)
    assert set(named.protocols) in (set(PROTOCOLS), set())


def test_all_rows_right_are_no_evidence(index):
    """Whatever memorizes gets all training rows right."""
    accuracy = index.accuracy.copy()
    accuracy[:, 3, 1] = 1.0
    perfect = replace(index, accuracy=accuracy)
    found = identify(perfect, "x", column(perfect, "D", "q", n=5))
    assert (found.explanations[0].learner, found.named) == ("D", None)


def test_one_value_of_a_number_is_not_named(index):
    renamed = replace(index, learners=("A -M 1", *LEARNERS[1:]))
    named = identify(renamed, "x", column(renamed, "A", "q")).named
    assert (named.learners, named.any_options) == (("A",), True)


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
