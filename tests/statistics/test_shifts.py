"""Whole columns (`retree_lab.statistics.effects`): what chance leaves of a mean gap."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp

from retree_lab.statistics.agreement import Margins
from retree_lab.statistics.effects import Published, Shift
from retree_lab.statistics.intervals import predict

N_COLUMNS = 1500


def column(rng, n_sets=12, n_runs=20, shift=0.0, spread=1.0, apart=0.0, log=False, unit=0.01):
    """A column whose published numbers are one more run each, moved by `shift` and by chance."""
    numbers = []
    for level in rng.uniform(20, 40, n_sets):
        sd = spread * rng.uniform(0.5, 2)
        runs = rng.normal(0, sd, n_runs + 1)
        moved = shift + apart * rng.normal()
        if log:
            runs, moved = np.exp(0.05 * runs) * level, math.exp(0.05 * moved)
            value = runs[0] * moved
        else:
            runs = runs + level
            value = runs[0] + moved
        value = round(value / unit) * unit
        margin = Margins().of("leaves" if log else "error_pct", value)
        numbers.append(
            Published(value, unit, predict(runs[1:], log_plus=0.0 if log else None), margin)
        )
    return Shift(numbers, log)


@pytest.fixture(scope="module")
def same():
    """Columns of one program, with differences or ratios."""
    rng = np.random.default_rng(0)
    return [column(rng, log=bool(i % 2)) for i in range(N_COLUMNS)]


@pytest.mark.slow
def test_the_interval_of_the_gap_holds_no_shift_in_95_percent(same):
    held = [shift.interval[0] <= float(shift.log) <= shift.interval[1] for shift in same]
    assert 0.935 < np.mean(held) < 0.965


@pytest.mark.slow
def test_p_values_are_below_5_percent_in_5_percent(same):
    assert 0.035 < np.mean([shift.p_value < 0.05 for shift in same]) < 0.065
    # Counts are discrete, so the sign test is below its level.
    assert 0.01 < np.mean([shift.sign_p < 0.05 for shift in same]) < 0.06


def test_gaps_of_one_program_do_not_differ_among_data_sets(same):
    assert 0.03 < np.mean([shift.heterogeneity[1] < 0.05 for shift in same]) < 0.09


def test_a_shift_of_all_data_sets_is_found_and_its_size_told():
    rng = np.random.default_rng(1)
    found = [column(rng, shift=1.5) for _ in range(300)]
    assert np.mean([shift.p_value < 0.05 for shift in found]) > 0.9
    assert np.mean([shift.gap for shift in found]) == pytest.approx(1.5, abs=0.1)


def test_data_sets_that_differ_are_told_by_q_and_tau():
    rng = np.random.default_rng(2)
    found = [column(rng, apart=3.0).heterogeneity for _ in range(200)]
    assert np.mean([p < 0.05 for _, p, _ in found]) > 0.95
    assert np.mean([tau for *_, tau in found]) == pytest.approx(3.0, rel=0.1)


@pytest.mark.slow
def test_at_the_margin_equivalence_is_claimed_in_5_percent():
    rng = np.random.default_rng(3)
    claimed = [column(rng, shift=1.0, spread=0.3).equivalence_p < 0.05 for _ in range(600)]
    assert 0.025 < np.mean(claimed) < 0.08


def test_a_worked_column():
    """Six sets of three runs 1, 2, 3; five published above, one equal to ours."""
    prediction = predict([1.0, 2.0, 3.0])
    numbers = [Published(value, 1.0, prediction, 1.0) for value in (4, 4, 4, 4, 4, 2)]
    shift = Shift(numbers)
    assert shift.gap == pytest.approx(10 / 6)
    assert (shift.n_above, shift.n_below) == (5, 0)
    # The tie is left out, since its number is odd.
    assert shift.sign_p == pytest.approx(binomtest(5, 5).pvalue)
    deviation = math.sqrt((1 + 1 / 12 + 1 / 3) / 6)
    low, high = shift.interval
    assert (low + high) / 2 == pytest.approx(shift.gap)
    # Six variances of two degrees of freedom each have twelve.
    assert (high - low) / 2 == pytest.approx(2.178813 * deviation, rel=1e-5)
    # Two degrees of freedom say too little about a variance.
    assert all(map(math.isnan, shift.heterogeneity))


def test_sizes_are_factors():
    rng = np.random.default_rng(4)
    shift = column(rng, log=True, shift=4.0, unit=0.1)
    assert shift.log
    assert shift.gap == pytest.approx(math.exp(0.2), rel=0.1)
    assert shift.interval[0] < shift.gap < shift.interval[1]


def test_data_sets_as_a_sample_are_tested_by_students_t():
    rng = np.random.default_rng(8)
    gaps = rng.normal(0.3, 1.0, 12)
    numbers = [
        Published(10 + gap, 0.01, predict([9.9, 10.0, 10.1]), 1.0, file)
        for gap, file in zip(gaps, ["a", "a", "a", *[""] * 7, "b", "b"], strict=True)
    ]
    alone = Shift([replace(n, file="") for n in numbers])
    assert alone.n_files == 12
    assert alone.sample_p == pytest.approx(ttest_1samp(gaps, 0).pvalue)
    below, above = (
        ttest_1samp(gaps, end, alternative=side).pvalue
        for end, side in ((-1, "greater"), (1, "less"))
    )
    assert alone.sample_equivalence_p == pytest.approx(max(below, above))
    files = [gaps[:3].mean(), *gaps[3:10], gaps[10:].mean()]
    clustered = Shift(numbers)
    assert clustered.n_files == 9
    assert clustered.sample_p == pytest.approx(ttest_1samp(files, 0).pvalue)
