"""Prediction intervals of one more run."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest
from scipy.stats import t as student

from retree_lab.statistics.intervals import (
    Prediction,
    exact_interval,
    leave_half_out,
    leave_one_out,
    predict,
    predict_mean,
    predict_other_sets,
    resampled_share,
)
from retree_lab.statistics.metrics import find_metric

runs = st.lists(st.floats(1, 1000), min_size=3, max_size=25)


def test_the_interval_is_the_textbook_one():
    # t(3) at 97.5 % is 3.182446; the standard deviation is 1.290994.
    low, high = predict([1.0, 2.0, 3.0, 4.0]).interval()
    reach = 3.182446 * 1.290994 * math.sqrt(1 + 1 / 4)
    assert (low, high) == pytest.approx((2.5 - reach, 2.5 + reach), rel=1e-6)


@given(runs, st.floats(0.1, 10))
def test_on_the_log_scale_a_unit_of_size_does_not_matter(values, unit):
    here, there = predict(values, log_plus=0.0), predict(unit * np.array(values), log_plus=0.0)
    assert there.interval() == pytest.approx(tuple(unit * x for x in here.interval()), rel=1e-6)
    assert here.interval()[0] > 0


@given(runs)
def test_rounding_widens_on_both_sides(values):
    found = predict(values)
    low, high = found.interval()
    assert found.interval(0.5) == (low - 0.25, high + 0.25)
    assert found.contains(high + 0.2, rounding=0.5)
    assert not found.contains(high + 0.3, rounding=0.5)


def test_a_run_of_several_numbers_varies_less_than_each():
    values = [1.0, 2.0, 3.0, 4.0]
    assert predict(values, averaged=4).spread == pytest.approx(predict(values).spread / 2)


def test_distance_is_in_standard_deviations_and_forgives_rounding():
    found = Prediction(center=10.0, spread=2.0, center_error=0.0, df=9)
    assert found.distance(14.0) == pytest.approx(2.0)
    assert found.distance(14.0, rounding=2.0) == pytest.approx(1.5)
    assert found.distance(9.5, rounding=2.0) == 0.0
    assert predict([3.0, 3.0, 3.0]).distance(2.0) == -math.inf
    assert predict([3.0, 3.0, 3.0]).contains(3.0)


def test_nine_of_ten_intervals_of_normal_runs_hold_the_next_one():
    rng = np.random.default_rng(0)
    covered = [leave_one_out(rng.normal(size=20), 0.0, None)[1].mean() for _ in range(300)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    sizes = [leave_one_out(np.exp(rng.normal(size=6)), 0.0, 0.0)[1].mean() for _ in range(600)]
    assert np.mean(sizes) == pytest.approx(0.95, abs=0.015)


def test_the_mean_over_data_sets_varies_as_independent_numbers_do():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(20, 30))
    found = predict_mean([predict(row) for row in values])
    assert found.center == pytest.approx(values.mean())
    assert found.spread == pytest.approx(values.mean(axis=0).std(ddof=1), rel=0.4)
    assert 20 < found.df < 20 * 29


def test_shares_are_resampled_by_data_set():
    mixed = {str(i): [i % 2 == 0] * 10 for i in range(20)}
    share = resampled_share(mixed)
    assert (share.count, share.total) == (100, 200)
    # Twenty sets that are wholly one or the other: a standard error of 0.11, not 0.035.
    assert share.low == pytest.approx(0.5 - 1.96 * 0.112, abs=0.04)
    assert math.isnan(resampled_share({"one": [True, False]}).low)


def test_a_share_of_none_or_all_has_an_exact_interval():
    """Newcombe (1998), Table I, method 5: 81 of 263 and 0 of 20."""
    assert exact_interval(81, 263) == pytest.approx((0.2527, 0.3676), abs=5e-5)
    assert exact_interval(0, 20) == pytest.approx((0.0, 0.1684), abs=5e-5)
    none = {str(i): [False, False] for i in range(3)}
    share = resampled_share(none)
    assert (share.low, share.high) == exact_interval(0, 6)
    assert share.high == pytest.approx(0.459, abs=5e-4)
    every = resampled_share({name: [True, True] for name in none})
    assert (every.low, every.high) == pytest.approx((1 - share.high, 1.0))


def test_depths_of_stumps_have_an_interval_of_logarithms():
    """Where a depth is 0 one is added, and no interval reaches below the depth of a leaf."""
    runs = [0.0, 1.2, 0.4, 3.0, 1.8]
    found = predict(runs, log_plus=find_metric("depth").log_plus)
    logs = predict(np.log1p(runs))
    assert found.interval() == pytest.approx(tuple(np.expm1(logs.interval())))
    assert found.interval()[0] > -1
    assert found.p_value(3.4) == pytest.approx(logs.p_value(math.log1p(3.4)))
    assert found.slope == found.center + 1
    assert predict_mean([found, found]).spread == pytest.approx(found.slope * found.spread / 2**0.5)


def test_a_p_value_is_below_five_per_cent_outside_the_interval_only():
    values = [1.0, 2.0, 3.0, 4.0]
    found = predict(values)
    low, high = found.interval(0.5)
    for value, outside in ((low - 0.01, True), (low + 0.01, False), (high + 0.01, True)):
        assert (found.p_value(value, 0.5) < 0.05) is outside
    assert found.p_value(found.interval()[0]) == pytest.approx(0.05)
    # The two-sample t-test of four values against one has the same p-value.
    assert found.p_value(5.0) == pytest.approx(
        2 * student.sf(2.5 / (np.std(values, ddof=1) * math.sqrt(1 + 1 / 4)), 3)
    )
    sizes = predict(values, log_plus=0.0)
    assert sizes.p_value(sizes.interval()[0]) == pytest.approx(0.05)
    assert predict([3.0, 3.0, 3.0]).p_value(2.0) == 0.0
    assert predict([3.0, 3.0, 3.0]).p_value(3.0) == 1.0


def test_p_values_of_normal_runs_are_uniform():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1500, 6))
    found = [predict(row[:-1]).p_value(row[-1]) for row in values]
    assert kstest(found, "uniform").pvalue > 0.01


def test_halves_of_repeats_predict_each_other():
    rng = np.random.default_rng(4)
    covered = [leave_half_out(rng.normal(size=8), 0.0, None)[1] for _ in range(300)]
    assert len(covered[0]) == 8
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    # The halves of eleven are those of the first ten.
    assert len(leave_half_out(rng.normal(size=11), 0.0, None)[1]) == 10


def test_other_data_sets_of_the_same_population_are_covered():
    """A paper's ten data sets, of which we have three: the mean lies in 95 % of the intervals."""
    rng = np.random.default_rng(5)
    inside, by_folds = [], []
    for _ in range(600):
        known = rng.normal(size=3)
        folds = known[:, None] + rng.normal(scale=0.1, size=(3, 10))
        theirs, ours = rng.normal(size=(2, 7))
        published = (known + rng.normal(scale=0.1, size=3)).sum() / 10 + theirs.sum() / 10
        sets = [predict(row) for row in folds]
        inside.append(predict_other_sets(sets, ours).contains(published))
        exact = [predict(x + rng.normal(scale=0.1, size=10)) for x in ours]
        by_folds.append(predict_mean([*sets, *exact]).contains(published))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)
    assert np.mean(by_folds) < 0.5


def test_without_known_sets_the_interval_is_that_of_two_means():
    values = np.array([1.0, 4.0, 2.0, 8.0])
    found = predict_other_sets([], values)
    error = math.sqrt(2 * values.var(ddof=1) / 4)
    assert found.p_value(7.0) == pytest.approx(2 * student.sf((7 - 3.75) / error, 3))
