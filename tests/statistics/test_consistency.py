"""What printed means and deviations can be, against brute force and against tests of scipy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from retree_lab.statistics.consistency import (
    caught,
    deviations,
    fold_means,
    lattice,
    needed_correlation,
    outlying_cells,
    outlying_rows,
    reachable,
)


@given(rows=st.integers(5, 60), data=st.data())
def test_means_of_folds_can_be_reached(rows, data):
    small, n_large = divmod(rows, 5)
    sizes = [small + (fold < n_large) for fold in range(5)]
    right = [data.draw(st.integers(0, size)) for size in sizes]
    mean = float(np.mean([r / s for r, s in zip(right, sizes, strict=True)]))
    printed = round(mean, 4)
    assert reachable(printed, 1e-4, fold_means(rows, 5))


def test_fold_means_are_all_there_are():
    sizes = (3, 2, 2)
    counts = itertools.product(*(range(size + 1) for size in sizes))
    means = {round(sum(c / s for c, s in zip(cs, sizes, strict=True)) / 3, 9) for cs in counts}
    assert {round(float(m), 9) for m in fold_means(7, 3)} == means


def test_a_mean_between_two_fractions_is_not_reachable():
    # Of 100 rows in five folds the mean is a whole number of per cent.
    assert not reachable(0.8405, 1e-4, fold_means(100, 5))
    assert caught(0.845, 1e-4, fold_means(100, 5)) == pytest.approx(1 - 4 / 401)


def test_a_number_on_the_edge_may_have_been_rounded_either_way():
    numbers = lattice(0.125, 0.0, 78.625, 0.01)
    assert reachable(78.62, 0.01, numbers)
    assert reachable(78.63, 0.01, numbers)
    assert not reachable(78.64, 0.01, numbers)


@given(st.lists(st.integers(0, 20), min_size=3, max_size=8), st.booleans(), st.booleans())
def test_deviations_of_whole_numbers_can_be_reached(sizes, odd, sample):
    sizes = [2 * size + 1 for size in sizes] if odd else sizes
    std = float(np.std(sizes, ddof=int(sample)))
    found = deviations(sum(sizes), len(sizes), odd, round(std, 1), 0.1)
    assert np.isclose(found, std).any()


def test_deviations_that_no_odd_numbers_have_are_left_out():
    triples = [t for t in itertools.product(range(1, 60, 2), repeat=3) if sum(t) == 63]
    real = {round(float(np.std(t, ddof=d)), 9) for t in triples for d in (0, 1)}
    found = {round(float(d), 9) for d in deviations(63, 3, True, 4.0, 0.01)}
    wanted = {d for d in real if 2.0 < d < 6.0}
    assert wanted <= found
    # The condition on squares is necessary, not sufficient, but far from empty.
    assert 0.5 * len(found) <= len(wanted)


def test_the_one_deviation_out_of_line_is_found():
    rng = np.random.default_rng(3)
    logs = pd.DataFrame(np.log(np.sqrt(rng.chisquare(9, (12, 7)) / 9)))
    # A method of great deviations is no error, nor is a set of great ones.
    logs[2] += 1.0
    logs.loc[5] += 0.7
    logs.loc[9, 4] += 1.4
    p_values = outlying_cells(logs, 9)
    assert p_values.stack().idxmin() == (9, 4)
    assert p_values.loc[9, 4] * logs.size < 0.01
    assert (p_values.drop(index=9) * logs.size > 0.05).all(axis=None)


def test_a_missing_deviation_has_no_p_value():
    logs = pd.DataFrame(np.zeros((4, 4)))
    logs.loc[0, 0] = math.nan
    p_values = outlying_cells(logs, 9)
    assert math.isnan(p_values.loc[0, 0])
    assert p_values.stack().dropna().tolist() == pytest.approx([1.0] * 15)


@pytest.mark.slow
@pytest.mark.parametrize(("dof", "shape"), [(9, (12, 7)), (99, (18, 4))])
def test_tables_in_order_raise_few_false_alarms(dof, shape):
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(100):
        logs = pd.DataFrame(np.log(np.sqrt(rng.chisquare(dof, shape) / dof)))
        alarms += int((outlying_cells(logs, dof) * logs.size <= 0.05).to_numpy().sum())
    # Five are the most to be expected; twelve or more would come once in two hundred times.
    assert alarms < 12


def test_a_row_of_great_deviations_is_found():
    least = pd.Series(np.log([0.03, 0.04, 0.035, 0.05, 0.045, 0.04, 0.6]), list("abcdefg"))
    chances = outlying_rows(least, 99)
    assert chances["g"] < 1e-6
    assert (chances.drop("g") > 0.05).all()


@given(
    st.floats(0.2, 3.0), st.floats(1.0, 5.0), st.floats(1.0, 5.0), st.integers(5, 40), st.booleans()
)
def test_needed_correlation_is_where_the_paired_test_turns(gap, std_a, std_b, n, negative):
    gap = -gap if negative else gap
    needed = needed_correlation(gap, std_a, std_b, n, 0.05)
    for r in (needed - 0.01, needed + 0.01):
        if -0.99 < r < 0.99:
            a, b = _columns(gap, std_a, std_b, n, r)
            assert (stats.ttest_rel(a, b).pvalue < 0.05) == (r > needed)


def _columns(gap, std_a, std_b, n, r):
    """Return two columns of exactly these means, deviations and correlation."""
    rng = np.random.default_rng(n)
    base, _ = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))
    u, v = base[:, 1] * math.sqrt(n - 1), base[:, 2] * math.sqrt(n - 1)
    return gap + std_a * u, std_b * (r * u + math.sqrt(1 - r**2) * v)
