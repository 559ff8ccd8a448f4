from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retree.errors import UnknownNameError
from retree_lab.statistics import Digits, Verdict, tolerance, verdict
from retree_lab.statistics.agreement import gap_to_digit


def test_the_tolerance_is_two_standard_errors_of_a_difference():
    assert tolerance("accuracy", 0.02, 5, 0.8) == pytest.approx(2 * math.sqrt(2 * 0.02**2 / 5))


@pytest.mark.parametrize(
    ("metric", "published", "floor"),
    [
        ("accuracy", 0.8, 0.005),
        ("depth", 12.0, 1.2),
        ("leaves", 150.0, 15.0),
        ("tree_size", 9.0, 0.9),
    ],
)
@pytest.mark.parametrize("std", [0.0, 1e-9, math.nan])
def test_the_tolerance_has_a_floor(metric, published, floor, std):
    assert tolerance(metric, std, 5, published) == pytest.approx(floor)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("metric", "published", "std", "inside", "outside"),
    [
        ("accuracy", 0.850, 0.0, 0.005, 0.0051),
        ("accuracy", 0.850, 0.02, 0.0252, 0.0254),
        ("leaves", 100.0, 1.0, 10.0, 10.1),
        ("leaves", 100.0, 20.0, 25.2, 25.4),
    ],
)
def test_both_sides_are_judged_alike(metric, published, std, inside, outside, sign):
    assert verdict(metric, published + sign * inside, std, 5, published) == Verdict.AGREES
    assert verdict(metric, published + sign * outside, std, 5, published) == Verdict.DIFFERS


@pytest.mark.parametrize("published", [0.5, 3.0])
def test_ratios_agree_within_a_factor_on_both_sides(published):
    for factor, expected in ((2.0, "agrees"), (2.01, "differs")):
        for ours in (factor * published, published / factor):
            assert verdict("train_time_ratio", ours, math.nan, 10, published) == expected


def test_counts_must_be_the_same():
    assert verdict("rows", 267.0, math.nan, 1, 267.0) == "agrees"
    assert verdict("rows", 267.0, math.nan, 1, 266.0) == "differs"


@pytest.mark.parametrize("explained", [False, True])
@pytest.mark.parametrize(("ours", "theirs"), [(math.nan, 0.8), (0.8, math.nan)])
def test_a_hole_on_either_side_is_missing(ours, theirs, explained):
    assert verdict("accuracy", ours, 0.01, 5, theirs, explained) == "missing"


@pytest.mark.parametrize("ours", [0.8, 0.1])
def test_a_print_known_to_be_wrong_is_explained(ours):
    assert verdict("accuracy", ours, 0.01, 5, 0.8, explained=True) == "explained"


def test_an_unknown_metric_is_refused():
    with pytest.raises(UnknownNameError, match="Unknown metric 'fscore'"):
        verdict("fscore", 0.8, 0.01, 5, 0.8)


def test_times_are_not_compared_with_those_of_another_machine():
    with pytest.raises(ValueError, match="ratios"):
        verdict("train_ms_10_trees", 8.0, 0.01, 5, 8.0)


@pytest.mark.parametrize(("metric", "scale"), [("accuracy_pct", 100), ("error_pct", 100)])
@pytest.mark.parametrize("std", [0.0, 0.02, math.nan])
def test_percent_and_shares_are_judged_alike(metric, scale, std):
    allowed = tolerance("accuracy", std, 5, 0.8)
    assert tolerance(metric, scale * std, 5, 80.0) == pytest.approx(scale * allowed)


@pytest.mark.parametrize(("std", "n_folds"), [(-0.1, 5), (0.1, 0)])
def test_an_impossible_spread_is_refused(std, n_folds):
    with pytest.raises(ValueError, match="at least 1 fold and std >= 0"):
        tolerance("accuracy", std, n_folds, 0.8)


GRID = st.integers(0, 1024).map(lambda i: i / 1024)


@given(metric=st.sampled_from(["accuracy", "depth"]), published=GRID, gap=GRID, std=GRID)
def test_the_sign_of_a_difference_does_not_matter(metric, published, gap, std):
    above = verdict(metric, published + gap, std, 5, published)
    assert above == verdict(metric, published - gap, std, 5, published)


@given(gap=GRID, std=GRID, more=GRID)
def test_a_greater_spread_never_turns_agreement_into_difference(gap, std, more):
    if verdict("accuracy", 0.5 + gap, std, 5, 0.5) == Verdict.AGREES:
        assert verdict("accuracy", 0.5 + gap, std + more, 5, 0.5) == Verdict.AGREES


@pytest.mark.parametrize(
    ("reproduced", "digits", "gap"),
    [
        (73.8349, "rounded", 0.0),
        (73.825, "rounded", 0.0),  # halfway: may be rounded up
        (73.8361, "rounded", 0.0011),
        (73.82, "rounded", 0.005),
        (73.8399, "cut", 0.0),
        (73.83, "cut", 0.0),
        (73.8299, "cut", 0.0001),
        (73.8451, "cut", 0.0051),
    ],
)
def test_the_gap_to_a_published_digit(reproduced, digits, gap):
    assert gap_to_digit(reproduced, 73.83, 0.01, Digits(digits)) == pytest.approx(gap, abs=1e-12)


def test_the_next_number_is_not_cut_to_this_one():
    assert gap_to_digit(73.84, 73.83, 0.01, Digits.CUT) > 0


@pytest.mark.parametrize("digits", Digits)
def test_a_small_p_value_is_judged_by_its_own_last_digit(digits):
    assert gap_to_digit(4.4871e-8, 4.487e-8, 1e-11, digits) == 0
    assert gap_to_digit(4.489e-8, 4.487e-8, 1e-11, digits) > 0
    assert gap_to_digit(1.59316e-9, 1.593e-9, 1e-12, digits) == 0
    assert gap_to_digit(1.5943e-9, 1.593e-9, 1e-12, digits) > 0


def test_the_last_bits_of_a_mean_are_no_difference():
    published = (0.1 + 0.2 + 0.3) / 3
    assert published != (0.3 + 0.2 + 0.1) / 3
    assert gap_to_digit((0.3 + 0.2 + 0.1) / 3, published, 1e-17, Digits.ROUNDED) == 0
    assert gap_to_digit(published + 1e-10, published, 1e-17, Digits.ROUNDED) > 0


@example(0.58, 2)
@given(st.floats(0, 1e4), st.integers(0, 4))
def test_what_is_printed_of_a_number_is_equal_to_it(value, decimals):
    unit = 10.0**-decimals
    assert gap_to_digit(value, round(value, decimals), unit, Digits.ROUNDED) == 0
    text = f"{Decimal(repr(value)):.20f}"
    cut = float(text[: len(text) - 20 + decimals])
    assert gap_to_digit(value, cut, unit, Digits.CUT) == 0
