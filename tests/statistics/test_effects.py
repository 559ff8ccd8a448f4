from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from retree_lab.statistics import (
    cohen_d_z,
    mean_difference,
    paired_t_test,
    rank_biserial,
    win_tie_loss,
)
from retree_lab.statistics.effects import least_seen, smaller_than_seen

A = np.array([0.80, 0.82, 0.79, 0.85, 0.81])
B = np.array([0.78, 0.80, 0.80, 0.82, 0.79])
EFFECTS = [mean_difference, cohen_d_z, rank_biserial]
EIGHTHS = st.integers(0, 80).map(lambda v: v / 8)
VECTORS = st.integers(3, 12).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=EIGHTHS))


def test_the_interval_of_the_mean_is_scipys():
    effect, expected = mean_difference(A, B, level=0.9), stats.ttest_rel(A, B)
    low, high = expected.confidence_interval(0.9)
    assert (effect.low, effect.high) == pytest.approx((low, high))
    assert effect.estimate == pytest.approx(0.016)


def test_cohens_d_is_mean_over_standard_deviation():
    difference = A - B
    expected = difference.mean() / difference.std(ddof=1)
    assert cohen_d_z(A, B).estimate == pytest.approx(expected)


def test_the_ends_of_cohens_interval_make_the_statistic_extreme():
    effect, test = cohen_d_z(A, B, level=0.9), paired_t_test(A, B)
    for end, tail in ((effect.low, 0.95), (effect.high, 0.05)):
        noncentrality = end * math.sqrt(5)
        assert stats.nct.cdf(test.statistic, 4, noncentrality) == pytest.approx(tail, abs=1e-6)


def test_rank_biserial_of_demsars_example():
    # Demšar (2006), Table 2, without its two zeros: the other ranks are two less than printed.
    differences = [5, -8, 17, 33, 6, -5, 7, 0, 63, 0, 22, 47, 9, 21]
    effect = rank_biserial(differences, np.zeros(14))
    wilcoxon = stats.wilcoxon([d for d in differences if d])
    assert effect.estimate == pytest.approx(1 - 2 * wilcoxon.statistic / 78)
    assert (effect.n_pairs, effect.n_dropped) == (14, 0)
    assert 0 < effect.low < effect.estimate < effect.high < 1


def test_the_interval_of_rank_biserial_is_fishers():
    # Signed ranks 4 - 1 + 2.5 + 2.5 of 10; the correlation has the variance Σ rank² / 10² = .3
    # without an effect.
    effect = rank_biserial([4.0, -1.0, 2.0, 2.0], np.zeros(4), level=0.9)
    assert effect.estimate == pytest.approx(0.8)
    reach = 1.6448536269514722 * math.sqrt(0.3)
    expected = math.tanh(math.atanh(0.8) - reach), math.tanh(math.atanh(0.8) + reach)
    assert (effect.low, effect.high) == pytest.approx(expected)


def test_differences_without_spread():
    assert cohen_d_z(A, A).estimate == 0.0
    assert cohen_d_z(A, A + 1).estimate == -math.inf
    assert math.isnan(cohen_d_z(A, A + 1).low)
    assert (mean_difference(A + 1, A).low, mean_difference(A + 1, A).high) == pytest.approx((1, 1))
    assert rank_biserial(A, A).estimate == 0.0
    assert rank_biserial(A, A + 1).estimate == -1.0
    assert math.isnan(rank_biserial(A, A + 1).low)


@pytest.mark.parametrize("effect", EFFECTS)
def test_nan_is_left_out_and_counted(effect):
    found = effect([*A, math.nan, 0.5], [*B, 0.5, math.nan])
    assert (found.n_pairs, found.n_dropped) == (5, 2)
    assert found.estimate == effect(A, B).estimate
    assert math.isnan(effect([math.nan], [1.0]).estimate)


@pytest.mark.parametrize("effect", EFFECTS)
def test_the_level_lies_between_0_and_1(effect):
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        effect(A, B, level=1.0)


def test_wins_ties_and_losses():
    count = win_tie_loss([*A, math.nan], [0.78, 0.82, 0.79, 0.86, 0.5, 1.0])
    assert (count.wins, count.ties, count.losses, count.n_dropped) == (2, 2, 1, 1)
    assert str(count) == "2/2/1"
    assert str(win_tie_loss(A, B, margin=0.02)) == "1/4/0"


def test_a_difference_of_rounding_errors_is_a_tie():
    assert str(win_tie_loss([0.1 + 0.2], [0.3])) == "0/1/0"


def test_a_margin_is_not_negative():
    with pytest.raises(ValueError, match="margin must be at least 0"):
        win_tie_loss(A, B, margin=-0.1)


@given(VECTORS)
def test_swapping_the_methods_turns_the_effect(values):
    a, b = values
    for effect in EFFECTS:
        forward, backward = effect(a, b), effect(b, a)
        assert backward.estimate == pytest.approx(-forward.estimate)
        expected = (-forward.high, -forward.low)
        found = (backward.low, backward.high)
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6, nan_ok=True)
    count, swapped = win_tie_loss(a, b), win_tie_loss(b, a)
    assert (count.wins, count.ties, count.losses) == (swapped.losses, swapped.ties, swapped.wins)


@given(VECTORS, st.randoms(use_true_random=False))
def test_effects_do_not_depend_on_order(values, random):
    order = list(range(values.shape[1]))
    random.shuffle(order)
    a, b = values
    for effect in EFFECTS:
        assert effect(a[order], b[order]).estimate == pytest.approx(effect(a, b).estimate)


def test_the_least_effect_that_is_seen_is_found_in_a_third_of_the_cases():
    rng = np.random.default_rng(0)
    for n in (12, 21):
        samples = rng.normal(least_seen(n), 1.0, size=(20_000, n))
        p = stats.ttest_1samp(samples, 0.0, axis=1).pvalue
        assert np.mean(p < 0.05) == pytest.approx(1 / 3, abs=0.015)


@pytest.mark.slow
def test_an_effect_at_the_bound_is_called_smaller_in_5_percent():
    rng = np.random.default_rng(1)
    n = 15
    found = [smaller_than_seen(rng.normal(least_seen(n), 1.0, n)) for _ in range(2000)]
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.015)
    none = [smaller_than_seen(rng.normal(-0.5, 1.0, n)) for _ in range(200)]
    assert np.mean(np.array(none) < 0.05) > 0.9
    assert math.isnan(smaller_than_seen(np.zeros(n)))
