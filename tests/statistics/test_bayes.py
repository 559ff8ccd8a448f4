"""The Bayesian signed-rank test of `retree_lab.statistics.paired`."""

from __future__ import annotations

import math

import baycomp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from retree_lab.statistics import bayesian_signed_rank_test

RNG = np.random.default_rng(11)
A = 0.82 + 0.02 * RNG.standard_normal(30)
B = 0.81 + 0.02 * RNG.standard_normal(30)
# Three standard errors of the difference of two shares of 50000 samples.
MONTE_CARLO = 3 * math.sqrt(2 * 0.25 / 50_000)
EIGHTHS = st.integers(0, 40).map(lambda v: v / 8)
VECTORS = st.integers(2, 8).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=EIGHTHS))


def probabilities(posterior):
    return posterior.greater, posterior.equivalent, posterior.smaller


@pytest.mark.parametrize(("n", "rope"), [(3, 0.01), (12, 0.002), (12, 0.01), (12, 0.02)])
def test_the_signed_rank_test_is_that_of_baycomp(n, rope):
    a, b = A[:n], B[:n]
    expected = baycomp.SignedRankTest.probs(a, b, rope=rope, random_state=1)
    assert probabilities(bayesian_signed_rank_test(a, b, rope)) == pytest.approx(
        expected, abs=MONTE_CARLO
    )


def test_the_prior_pulls_to_the_rope():
    weak, strong = (
        bayesian_signed_rank_test(A[:8], B[:8], 0.01, prior_strength=s) for s in (0.5, 50)
    )
    assert strong.equivalent > 0.99 > weak.equivalent


def test_equal_methods_are_equivalent():
    assert probabilities(bayesian_signed_rank_test(A, A)) == (0.0, 1.0, 0.0)
    # Without a region of equivalence the two others share what is equal.
    without = bayesian_signed_rank_test(A, A, rope=0)
    assert probabilities(without) == pytest.approx((0.5, 0.0, 0.5))


def test_a_difference_on_the_border_is_half_outside():
    """All but the pseudo data set differ by the ROPE exactly, so it decides."""
    found = bayesian_signed_rank_test(np.full(20, 0.13), np.full(20, 0.12), rope=0.01)
    assert found.smaller == 0.0
    assert found.equivalent > 0.99


def test_holes_are_counted():
    test = bayesian_signed_rank_test
    found = test([*A, math.nan], [*B, 0.5])
    assert (found.n_pairs, found.n_dropped) == (30, 1)
    assert probabilities(found) == probabilities(test(A, B))
    empty = test([math.nan], [1.0])
    assert (empty.n_pairs, empty.n_dropped) == (0, 1)
    assert all(math.isnan(p) for p in probabilities(empty))


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="rope must be at least 0"):
        bayesian_signed_rank_test(A, B, rope=-0.1)
    with pytest.raises(ValueError, match="rope must be at least 0"):
        bayesian_signed_rank_test(A, B, rope=math.nan)
    with pytest.raises(ValueError, match="must be positive"):
        bayesian_signed_rank_test(A, B, prior_strength=0)


@settings(deadline=None, max_examples=50)
@given(VECTORS, st.randoms(use_true_random=False))
def test_the_signed_rank_test_is_symmetric_and_does_not_depend_on_order(values, random):
    a, b = values
    found = bayesian_signed_rank_test(a, b, 0.25, n_samples=500)
    assert sum(probabilities(found)) == pytest.approx(1)
    swapped = bayesian_signed_rank_test(b, a, 0.25, n_samples=500)
    assert probabilities(swapped) == probabilities(found)[::-1]
    order = list(range(len(a)))
    random.shuffle(order)
    assert bayesian_signed_rank_test(a[order], b[order], 0.25, n_samples=500) == found
