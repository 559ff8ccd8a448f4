"""`statistics.ranks`: adjusted p-values, against all ways in which methods are equal."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from retree_lab.statistics import holm_adjusted, shaffer_adjusted


def pairs_equal_together(n_methods):
    """Count the equal pairs of each way to give each method one of so many values."""
    return {
        sum(a == b for a, b in itertools.combinations(values, 2))
        for values in itertools.product(range(n_methods), repeat=n_methods)
    }


def p_values_of(n_methods):
    shape = math.comb(n_methods, 2)
    return hnp.arrays(np.float64, shape, elements=st.floats(0, 1))


METHODS = st.integers(2, 5)


@given(METHODS.flatmap(lambda k: st.tuples(st.just(k), p_values_of(k))))
def test_a_step_counts_the_most_hypotheses_that_can_be_true_together(given_p):
    k, p = given_p
    possible, left = pairs_equal_together(k), len(p)
    expected, highest = {}, 0.0
    for place in sorted(range(len(p)), key=lambda i: p[i]):
        highest = max(highest, p[place] * max(n for n in possible if n <= left))
        expected[place] = min(highest, 1.0)
        left -= 1
    found = shaffer_adjusted(p, k)
    np.testing.assert_allclose(found, [expected[i] for i in range(len(p))])
    assert (found >= p).all()
    assert (found <= holm_adjusted(p) + 1e-12).all()


def test_shaffers_procedure_of_garcia_and_herrera():
    # Five classifiers on 30 data sets: p-values, and what they are adjusted to.
    p = [4.487e-8, 1.736e-7, 0.0029, 0.0048, 0.0080, 0.0101, 0.0128, 0.0247, 0.7440, 0.8065]
    steps = [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    expected = np.minimum(np.maximum.accumulate(np.multiply(p, steps)), 1)
    np.testing.assert_allclose(shaffer_adjusted(p, 5), expected)
    # The order in which pairs are given does not matter.
    np.testing.assert_allclose(shaffer_adjusted(p[::-1], 5)[::-1], expected)


@pytest.mark.parametrize("p", [[0.1, 0.2], [0.1, 0.2, math.nan]])
def test_each_pair_needs_a_p_value(p):
    with pytest.raises(ValueError, match="3 methods have 3 pairs, each with a p-value, got 2"):
        shaffer_adjusted(p, 3)
