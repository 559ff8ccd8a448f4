"""`statistics.paired_tests`: tests of two methods over folds."""

from __future__ import annotations

import math
import re

import baycomp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from retree.errors import UnknownNameError
from retree_lab import paths
from retree_lab.statistics import corrected_resampled_t_test, paired_t_test
from retree_lab.statistics.paired_tests import TESTS, find_test

RNG = np.random.default_rng(7)
A = 0.82 + 0.02 * RNG.standard_normal((10, 10))
B = 0.81 + 0.02 * RNG.standard_normal((10, 10))
EIGHTHS = st.integers(0, 80).map(lambda v: v / 8)
VECTORS = st.integers(2, 12).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=EIGHTHS))
# The differences to FLAT are [.02, .04], [.01, .03], [.04, 0], [.02, 0] and [0, .02].


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
    # Without any overlap it is the same to the bit.
    assert corrected_resampled_t_test(A[0], B[0], 0.0) == plain


@pytest.mark.parametrize("share", [1.0, -0.1, math.nan])
def test_the_test_share_is_a_share(share):
    with pytest.raises(ValueError, match="test_share must be at least 0 and below 1"):
        corrected_resampled_t_test(A[0], B[0], share)


def test_nan_is_left_out_and_counted():
    holed = A.copy()
    holed[3, 4] = holed[5, 6] = math.nan
    for named in TESTS.values():
        test = named.compare(holed.ravel(), B.ravel(), 0.1)
        assert (test.n_pairs, test.n_dropped) == (98, 2)
        kept = ~np.isnan(holed)
        assert test.p_value == named.compare(A[kept], B[kept], 0.1).p_value


def test_every_test_has_its_name_and_words():
    assert all(test.words for test in TESTS.values())
    assert [test.name for test in TESTS.values()] == list(TESTS)
    guide = (paths.project_dir() / "docs" / "guide" / "studies.md").read_text()
    row = next(line for line in guide.splitlines() if line.startswith("| `test` |"))
    assert set(re.findall(r"`(\w+)`", row.split("|")[2])) <= set(TESTS)
    assert find_test("paired").compare is paired_t_test
    with pytest.raises(UnknownNameError, match="Unknown test 'corected'"):
        find_test("corected")


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
