from __future__ import annotations

import math

import baycomp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from retree.statistics import (
    calibrated_cv_t_test,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    paired_t_test,
    repeated_cv_t_test,
)

RNG = np.random.default_rng(7)
A = 0.82 + 0.02 * RNG.standard_normal((10, 10))
B = 0.81 + 0.02 * RNG.standard_normal((10, 10))
FIVE_BY_TWO = [five_by_two_cv_t_test, five_by_two_cv_f_test]
EIGHTHS = st.integers(0, 80).map(lambda v: v / 8)
MATRICES = hnp.arrays(np.float64, (2, 5, 2), elements=EIGHTHS)
VECTORS = st.integers(2, 12).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=EIGHTHS))
# The differences to FLAT are [.02, .04], [.01, .03], [.04, 0], [.02, 0] and [0, .02].
TOP = np.array([[0.82, 0.84], [0.81, 0.83], [0.84, 0.80], [0.82, 0.80], [0.80, 0.82]])
FLAT = np.full((5, 2), 0.8)


def test_the_correction_is_that_of_baycomp():
    # Its posterior is the distribution of the test: half a p-value lies beyond zero.
    smaller, greater = baycomp.CorrelatedTTest.probs(B.ravel(), A.ravel(), rope=0, runs=10)
    test = corrected_resampled_t_test(A.ravel(), B.ravel(), 0.1)
    assert test.p_value == pytest.approx(2 * min(smaller, greater), rel=1e-9)
    assert (test.n_pairs, test.n_dropped, test.degrees_of_freedom) == (100, 0, 99)


def test_the_p_value_is_wekas():
    """Weka takes the F distribution of t², t with (1/n + test/train) of the variance."""
    x, y = A[0], B[0]
    difference = x - y
    t = difference.mean() / math.sqrt((1 / 10 + 1 / 9) * difference.var(ddof=1))
    test = corrected_resampled_t_test(x, y, 0.1)
    assert test.statistic == pytest.approx(t)
    assert test.p_value == pytest.approx(stats.f.sf(t * t, 1, 9))


def test_it_is_less_certain_than_the_plain_test():
    plain, corrected = paired_t_test(A[0], B[0]), corrected_resampled_t_test(A[0], B[0], 0.1)
    assert plain.statistic / corrected.statistic == pytest.approx(math.sqrt(1 + 10 / 9))
    assert corrected.p_value > plain.p_value
    assert corrected.mean_difference == plain.mean_difference


def test_a_small_test_share_is_the_plain_test():
    plain, corrected = paired_t_test(A[0], B[0]), corrected_resampled_t_test(A[0], B[0], 1e-12)
    assert corrected.p_value == pytest.approx(plain.p_value)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, math.nan])
def test_the_test_share_is_a_share(share):
    with pytest.raises(ValueError, match="test_share must lie between 0 and 1"):
        corrected_resampled_t_test(A[0], B[0], share)


def test_repeated_folds_are_resampled_ones():
    assert repeated_cv_t_test(A, B) == corrected_resampled_t_test(A.ravel(), B.ravel(), 0.1)
    assert repeated_cv_t_test(A[:, :5], B[:, :5]) == corrected_resampled_t_test(
        A[:, :5].ravel(), B[:, :5].ravel(), 0.2
    )


def test_the_calibrated_test_has_ten_degrees_of_freedom():
    difference = (A - B).ravel()
    t = difference.mean() * math.sqrt(11) / difference.std(ddof=1)
    test = calibrated_cv_t_test(A, B)
    assert test.statistic == pytest.approx(t)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(t), 10))


def test_nan_is_left_out_and_counted():
    holed = A.copy()
    holed[3, 4] = holed[5, 6] = math.nan
    for test in (repeated_cv_t_test(holed, B), calibrated_cv_t_test(holed, B)):
        assert (test.n_pairs, test.n_dropped) == (98, 2)
    kept = ~np.isnan(holed)
    expected = corrected_resampled_t_test(A[kept], B[kept], 0.1)
    assert repeated_cv_t_test(holed, B).p_value == expected.p_value


def test_dietterichs_statistic_by_hand():
    # s² = .0002 .0002 .0008 .0002 .0002, their mean .00032; the first difference is .02.
    test = five_by_two_cv_t_test(TOP, FLAT)
    assert test.statistic == pytest.approx(0.02 / math.sqrt(0.00032))
    assert test.p_value == pytest.approx(2 * stats.t.sf(1.1180339887, 5))
    assert test.mean_difference == pytest.approx(0.018)
    assert math.isnan(test.confidence_interval()[0])


def test_alpaydins_statistic_by_hand():
    # The squares sum to .0054, the variances to .0016.
    test = five_by_two_cv_f_test(TOP, FLAT)
    assert test.statistic == pytest.approx(0.0054 / 0.0032)
    assert test.p_value == pytest.approx(stats.f.sf(1.6875, 10, 5))


@pytest.mark.parametrize("five_by_two", FIVE_BY_TWO)
def test_an_incomplete_repeat_is_left_out_whole(five_by_two):
    holed = TOP.copy()
    holed[1, 1] = math.nan
    test = five_by_two(holed, FLAT)
    assert (test.n_pairs, test.n_dropped) == (8, 2)
    assert test.mean_difference == pytest.approx(0.0175)
    empty = five_by_two(np.full((5, 2), math.nan), FLAT)
    assert (empty.n_pairs, empty.n_dropped) == (0, 10)
    assert math.isnan(empty.p_value)


@pytest.mark.parametrize("five_by_two", FIVE_BY_TWO)
def test_without_spread_a_difference_is_certain(five_by_two):
    assert five_by_two(FLAT, FLAT).p_value == 1.0
    assert five_by_two(FLAT + 0.125, FLAT).p_value == 0.0


@pytest.mark.parametrize("test", [*FIVE_BY_TWO, calibrated_cv_t_test, repeated_cv_t_test])
def test_shapes_are_checked(test):
    with pytest.raises(ValueError, match="of one shape"):
        test(np.zeros((5, 2)), np.zeros((5, 3)))
    with pytest.raises(ValueError, match="of one shape"):
        test(np.zeros(10), np.zeros(10))


@pytest.mark.parametrize("test", [*FIVE_BY_TWO, calibrated_cv_t_test])
def test_a_test_of_one_design_refuses_another(test):
    with pytest.raises(ValueError, match=r"\(3, 4\)"):
        test(np.zeros((3, 4)), np.zeros((3, 4)))


@given(MATRICES)
def test_swapping_the_methods_turns_the_sign_of_five_by_two(values):
    a, b = values
    t, swapped = five_by_two_cv_t_test(a, b), five_by_two_cv_t_test(b, a)
    assert (swapped.statistic, swapped.p_value) == (-t.statistic, t.p_value)
    f, swapped = five_by_two_cv_f_test(a, b), five_by_two_cv_f_test(b, a)
    assert (swapped.statistic, swapped.p_value) == (f.statistic, f.p_value)
    assert swapped.mean_difference == -f.mean_difference
    assert 0 <= f.p_value <= 1


@given(MATRICES, st.permutations(range(5)))
def test_alpaydins_test_does_not_depend_on_order(values, order):
    a, b = values
    f = five_by_two_cv_f_test(a, b)
    assert five_by_two_cv_f_test(a[order, ::-1], b[order, ::-1]).p_value == pytest.approx(f.p_value)


@given(VECTORS, st.floats(0.05, 0.9), st.randoms(use_true_random=False))
def test_corrected_test_is_symmetric_and_does_not_depend_on_order(values, share, random):
    a, b = values
    test, swapped = (corrected_resampled_t_test(*pair, share) for pair in ((a, b), (b, a)))
    assert swapped.p_value == test.p_value
    assert swapped.statistic == -test.statistic
    order = list(range(len(a)))
    random.shuffle(order)
    again = corrected_resampled_t_test(a[order], b[order], share)
    assert again.p_value == pytest.approx(test.p_value)


@given(VECTORS, st.floats(0.05, 0.9), st.floats(0.5, 0.999))
def test_the_interval_lacks_zero_exactly_if_the_test_rejects(values, share, level):
    test = corrected_resampled_t_test(*values, share)
    low, high = test.confidence_interval(level)
    assert low <= test.mean_difference <= high
    if abs(test.p_value - (1 - level)) > 1e-9:
        assert (low > 0 or high < 0) == (test.p_value < 1 - level)
