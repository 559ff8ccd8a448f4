from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from retree_lab.statistics import paired_t_test

A = [0.80, 0.82, 0.79, 0.85, 0.81]
B = [0.78, 0.80, 0.80, 0.82, 0.79]
VALUES = st.lists(
    st.tuples(st.integers(0, 1000), st.integers(0, 1000)).map(lambda p: (p[0] / 8, p[1] / 8)),
    min_size=2,
    max_size=12,
)


def test_it_is_the_t_test_of_the_differences():
    test = paired_t_test(A, B)
    expected = stats.ttest_1samp(np.subtract(A, B), 0.0)
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p_value == pytest.approx(expected.pvalue)
    assert test.mean_difference == pytest.approx(0.016)
    assert (test.n_pairs, test.n_dropped) == (5, 0)


def test_equal_values_have_p_one():
    test = paired_t_test(A, A)
    assert (test.statistic, test.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("shift", [0.1, -0.1])
def test_a_constant_difference_has_p_zero(shift):
    test = paired_t_test(np.add(A, shift), A)
    assert test.p_value == 0.0
    assert test.statistic == math.copysign(math.inf, shift)


def test_nan_pairs_are_left_out_and_counted():
    test = paired_t_test([*A, math.nan, 0.5], [*B, 0.5, math.nan])
    assert test.p_value == paired_t_test(A, B).p_value
    assert (test.n_pairs, test.n_dropped) == (5, 2)


@pytest.mark.parametrize("pairs", [([], []), ([1.0], [2.0]), ([1.0, math.nan], [2.0, 3.0])])
def test_fewer_than_two_pairs_say_nothing(pairs):
    assert math.isnan(paired_t_test(*pairs).p_value)


@pytest.mark.parametrize("pairs", [([1.0, 2.0], [1.0]), ([[1.0]], [[1.0]])])
def test_pairs_need_two_vectors_of_one_length(pairs):
    with pytest.raises(ValueError, match="two vectors of one length"):
        paired_t_test(*pairs)


@given(VALUES)
def test_swapping_the_methods_turns_the_sign(pairs):
    a, b = zip(*pairs, strict=True)
    forward, backward = paired_t_test(a, b), paired_t_test(b, a)
    assert forward.p_value == pytest.approx(backward.p_value)
    assert forward.statistic == pytest.approx(-backward.statistic)
    assert 0.0 <= forward.p_value <= 1.0
