"""Tests by ranks, against Demšar (2006), scipy, scikit-posthocs and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.multitest import multipletests

from retree_lab.statistics import (
    critical_difference,
    friedman_test,
    friedman_test_of_ranks,
    groups_not_different,
    holm_adjusted,
    holm_test,
    nemenyi_test,
    rank_rows,
    sign_test,
    wilcoxon_signed_rank,
)

C45, M, CF, M_CF = "C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"
# Demšar (2006), Tables 2 and 6: areas under the ROC curve. The last value of voting is printed as
# .975 with a rank of its own, so it was smaller before it was rounded.
DEMSAR = pd.DataFrame(
    {
        "adult (sample)": [0.763, 0.768, 0.771, 0.798],
        "breast cancer": [0.599, 0.591, 0.590, 0.569],
        "breast cancer wisconsin": [0.954, 0.971, 0.968, 0.967],
        "cmc": [0.628, 0.661, 0.654, 0.657],
        "ionosphere": [0.882, 0.888, 0.886, 0.898],
        "iris": [0.936, 0.931, 0.916, 0.931],
        "liver disorders": [0.661, 0.668, 0.609, 0.685],
        "lung cancer": [0.583, 0.583, 0.563, 0.625],
        "lymphography": [0.775, 0.838, 0.866, 0.875],
        "mushroom": [1.000, 1.000, 1.000, 1.000],
        "primary tumor": [0.940, 0.962, 0.965, 0.962],
        "rheum": [0.619, 0.666, 0.614, 0.669],
        "voting": [0.972, 0.981, 0.975, 0.9749],
        "wine": [0.957, 0.978, 0.946, 0.970],
    },
    index=[C45, M, CF, M_CF],
).T
EIGHTHS = st.integers(0, 24).map(lambda v: v / 8)
VECTORS = st.integers(2, 9).flatmap(lambda n: hnp.arrays(np.float64, (2, n), elements=EIGHTHS))
TABLES = st.tuples(st.integers(2, 8), st.integers(2, 5)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=EIGHTHS)
)


def table_of(values):
    return pd.DataFrame(values, columns=[f"m{i}" for i in range(values.shape[1])])


def test_wilcoxon_of_demsars_table_2():
    test = wilcoxon_signed_rank(DEMSAR[M], DEMSAR[C45])
    # R+ = 93 and R- = 12, of which 12 is less than the critical 21 of 14 data sets at .05.
    assert test.statistic == 12
    assert test.p_value < 0.05
    assert test.n_pairs == 14
    assert test.mean_difference == pytest.approx((DEMSAR[M] - DEMSAR[C45]).mean())


def test_sign_test_of_demsars_section_3_1_4():
    # Ten wins, two losses, and one of the two ties each: 11 of 14.
    test = sign_test(DEMSAR[M], DEMSAR[C45])
    assert test.statistic == 11
    # Both tails of tossing 14 coins with 11 heads or more: 2 (364 + 91 + 14 + 1) / 2^14.
    assert test.p_value == pytest.approx(2 * 470 / 2**14)


def test_an_odd_tie_is_ignored():
    test = sign_test([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 4.0])
    assert (test.statistic, test.p_value) == (3, 0.25)


def test_friedman_of_demsars_table_6():
    test = friedman_test(DEMSAR)
    assert list(test.average_ranks) == [C45, M, CF, M_CF]
    ranks = [round(rank, 3) for rank in test.average_ranks.values()]
    assert ranks == [3.143, 2.000, 2.893, 1.964]
    # Demšar leaves the ties uncorrected: one of four values, three of two.
    ties = ((4**3 - 4) + 3 * (2**3 - 2)) / (14 * 4 * (4**2 - 1))
    chi2 = test.statistic * (1 - ties)
    assert chi2 == pytest.approx(9.28, abs=0.005)
    assert 13 * chi2 / (14 * 3 - chi2) == pytest.approx(3.69, abs=0.005)
    assert (test.n_datasets, test.left_out) == (14, ())


def test_friedman_is_scipys():
    test = friedman_test(DEMSAR)
    expected = stats.friedmanchisquare(*DEMSAR.to_numpy().T)
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p_value == pytest.approx(expected.pvalue)


def test_iman_davenport_is_the_f_test_of_the_ranks():
    """Without ties it is the F test of a two-way analysis of variance of the ranks."""
    values = np.random.default_rng(3).normal(loc=[0, 0.3, 0.6, 0.9], size=(9, 4))
    ranks = stats.rankdata(-values, axis=1)
    between = 9 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    residual = ((ranks - 2.5) ** 2).sum() - between
    f = (between / 3) / (residual / (8 * 3))
    test = friedman_test(table_of(values))
    assert test.iman_davenport == pytest.approx(f)
    assert test.iman_davenport_p_value == pytest.approx(stats.f.sf(f, 3, 24))


def test_a_data_set_that_lacks_a_method_is_left_out_and_named():
    holed = DEMSAR.copy()
    holed.loc["iris", CF] = math.nan
    holed.loc["wine", C45] = math.nan
    test = friedman_test(holed)
    assert test.left_out == ("iris", "wine")
    expected = friedman_test(DEMSAR.drop(["iris", "wine"]))
    assert (test.statistic, test.n_datasets) == (expected.statistic, 12)
    assert test.average_ranks == expected.average_ranks


def test_friedman_without_enough_says_nothing():
    test = friedman_test(DEMSAR.iloc[:1])
    assert math.isnan(test.p_value)
    assert test.average_ranks[M_CF] == 1.0
    empty = friedman_test(DEMSAR * math.nan)
    assert empty.n_datasets == 0
    assert len(empty.left_out) == 14
    assert math.isnan(empty.average_ranks[C45])
    with pytest.raises(ValueError, match="two methods at least"):
        friedman_test(DEMSAR[[C45]])


def test_the_same_ranks_everywhere_are_certain():
    test = friedman_test(table_of(np.tile([0.1, 0.2, 0.3], (5, 1))))
    assert (test.iman_davenport, test.iman_davenport_p_value) == (math.inf, 0.0)
    assert test.statistic == pytest.approx(10)
    tied = friedman_test(table_of(np.full((5, 3), 0.1)))
    assert (tied.statistic, tied.p_value, tied.iman_davenport_p_value) == (0.0, 1.0, 1.0)


def test_critical_differences_of_demsars_table_5():
    # q_.05 of 2 to 10 classifiers, and q_.10.
    q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    q10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for level, column in ((0.05, q05), (0.10, q10)):
        for k, q in enumerate(column, start=2):
            # Unit standard error: N = k (k + 1) / 6 need not be whole, so it is divided out.
            found = critical_difference(k, 1, level) / math.sqrt(k * (k + 1) / 6)
            assert found == pytest.approx(q, abs=0.0015)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)


def test_the_critical_difference_to_a_control_is_bonferronis_and_dunns():
    # q_.05 of 2 to 8 classifiers, Demšar's Table 5 (b).
    q05 = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690]
    for k, q in enumerate(q05, start=2):
        found = critical_difference(k, 1, 0.05, to_control=True) / math.sqrt(k * (k + 1) / 6)
        assert found == pytest.approx(q, abs=0.0006)


@given(TABLES)
def test_friedmans_statistic_without_the_correction_is_that_of_the_textbook(values):
    n, k = values.shape
    ranks = rank_rows(values)
    found = friedman_test_of_ranks(table_of(ranks), corrected=False).statistic
    expected = 12 / (n * k * (k + 1)) * (ranks.sum(axis=0) ** 2).sum() - 3 * n * (k + 1)
    assert found == pytest.approx(expected, abs=1e-9)
    # What ties take from the spread of ranks makes the corrected statistic greater.
    assert friedman_test_of_ranks(table_of(ranks)).statistic >= found - 1e-9


@pytest.mark.parametrize("arguments", [(1, 5), (3, 0), (3, 5, 1.0)])
def test_a_critical_difference_needs_methods_and_data_sets(arguments):
    with pytest.raises(ValueError, match="at least 2 methods"):
        critical_difference(*arguments)


def test_nemenyi_is_that_of_scikit_posthocs():
    found = nemenyi_test(friedman_test(DEMSAR))
    expected = scikit_posthocs.posthoc_nemenyi_friedman(DEMSAR.reset_index(drop=True))
    np.testing.assert_allclose(found, expected.to_numpy(), atol=1e-9)
    assert list(found.index) == list(found.columns) == [C45, M, CF, M_CF]


def test_nemenyi_and_the_critical_difference_say_the_same():
    test = friedman_test(DEMSAR)
    p_values, ranks = nemenyi_test(test), test.average_ranks
    for level in (0.05, 0.10, 0.3):
        cd = critical_difference(4, 14, level)
        for a in ranks:
            for b in ranks:
                assert (p_values.loc[a, b] < level) == (abs(ranks[a] - ranks[b]) > cd)


def test_holm_of_demsars_section_3_2_2():
    # Standard error .488; z = 2.416, 2.343 and .512, the first two with p = .016 and .019.
    table = holm_test(friedman_test(DEMSAR), C45)
    assert friedman_test(DEMSAR).standard_error == pytest.approx(0.488, abs=0.0005)
    # He works with rounded ranks.
    z = table["z"].abs().to_dict()
    assert z == pytest.approx({M: 2.343, CF: 0.512, M_CF: 2.416}, abs=0.0015)
    p_values = table["p_value"].to_dict()
    assert (p_values[M_CF], p_values[M]) == pytest.approx((0.016, 0.019), abs=0.0005)
    assert p_values[CF] == pytest.approx(2 * stats.norm.sf(z[CF]))
    # 3 * .016 goes before 2 * .019, which must not be less.
    assert table["p_holm"][M_CF] == pytest.approx(3 * p_values[M_CF])
    assert table["p_holm"][M] == table["p_holm"][M_CF]
    assert table["p_holm"][CF] == p_values[CF]


def test_holm_needs_a_control_that_is_there():
    with pytest.raises(ValueError, match=r"ID3 is not one of C4\.5"):
        holm_test(friedman_test(DEMSAR), "ID3")


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_holms_adjustment_is_statsmodels(n):
    p_values = np.random.default_rng(n).uniform(0, 0.3, n)
    expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(holm_adjusted(p_values), expected)
    with_hole = holm_adjusted([math.nan, *p_values])
    assert math.isnan(with_hole[0])
    np.testing.assert_array_equal(with_hole[1:], holm_adjusted(p_values))


def test_groups_are_the_greatest_that_do_not_differ():
    ranks = {"d": 4.0, "a": 1.0, "c": 2.5, "b": 2.0, "e": 4.5}
    assert groups_not_different(ranks, 1.75) == [("a", "b", "c"), ("c", "d"), ("d", "e")]
    assert groups_not_different(ranks, 9) == [("a", "b", "c", "d", "e")]
    assert groups_not_different(ranks, 0.1) == []
    # What differs by the critical difference exactly is different.
    assert groups_not_different({"a": 1.0, "b": 2.0}, 1.0) == []


def test_demsars_groups():
    # At .10: C4.5 is worse than the two that tune m; where C4.5+cf belongs cannot be told.
    ranks = friedman_test(DEMSAR).average_ranks
    assert groups_not_different(ranks, 1.12) == [(M_CF, M, CF), (CF, C45)]


@pytest.mark.parametrize("test", [wilcoxon_signed_rank, sign_test])
def test_holes_are_counted_and_ties_of_all_say_nothing(test):
    found = test([1.0, 2.0, math.nan], [0.5, math.nan, 1.0])
    assert (found.n_pairs, found.n_dropped) == (1, 2)
    assert math.isnan(found.p_value)
    assert test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).p_value == 1.0
    assert math.isnan(test([], []).mean_difference)
    with pytest.raises(ValueError, match="two vectors of one length"):
        test([1.0], [1.0, 2.0])


def test_rounding_errors_are_no_differences():
    a, b = [0.1 + 0.2, 0.5, 0.7], [0.3, 0.25, 0.5]
    assert sign_test(a, b).statistic == sign_test([0.3, 0.5, 0.7], b).statistic == 2
    assert wilcoxon_signed_rank(a, b) != wilcoxon_signed_rank([0.4, 0.5, 0.7], b)
    values = pd.DataFrame({"a": [0.1 + 0.2, 0.5], "b": [0.3, 0.25]})
    assert friedman_test(values).average_ranks == {"a": 1.25, "b": 1.75}


@settings(deadline=None, max_examples=20)
@given(VECTORS)
def test_wilcoxon_is_exact_by_all_signs(values):
    """Without a tie scipy's distribution is the one of all 2^n signs; with ties so too here."""
    a, b = values
    test, ranks = wilcoxon_signed_rank(a, b), stats.rankdata(np.abs(a - b))
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(a))).reshape(len(a), -1)
    nonzero = (a != b)[:, None]
    sums = ((signs * nonzero + 1) / 2 * ranks[:, None]).sum(axis=0)
    total = ranks.sum()
    assert test.statistic in sums
    extreme = np.minimum(sums, total - sums) <= test.statistic + 1e-9
    assert test.p_value == pytest.approx(extreme.mean())


@settings(deadline=None, max_examples=20)
@given(VECTORS)
def test_swapping_the_methods_changes_nothing_but_the_sign(values):
    a, b = values
    for test in (wilcoxon_signed_rank, sign_test):
        forward, backward = test(a, b), test(b, a)
        assert forward.p_value == pytest.approx(backward.p_value)
        assert forward.mean_difference == -backward.mean_difference


@given(TABLES)
def test_friedman_of_any_table_is_scipys(values):
    # Scipy's needs three methods, and divides by zero where all values are ties.
    assume(values.shape[1] > 2 and np.ptp(values, axis=1).any())
    test, expected = friedman_test(table_of(values)), stats.friedmanchisquare(*values.T)
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p_value == pytest.approx(expected.pvalue)


@given(TABLES, st.randoms(use_true_random=False))
def test_friedman_does_not_depend_on_order_or_names(values, random):
    table = table_of(values)
    rows, columns = list(table.index), list(table.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    test, again = friedman_test(table), friedman_test(table.loc[rows, columns])
    assert again.average_ranks == pytest.approx(test.average_ranks)
    assert again.statistic == pytest.approx(test.statistic)
    assert sum(test.average_ranks.values()) == pytest.approx(sum(range(1, len(columns) + 1)))


@given(TABLES)
def test_smaller_is_better_turns_the_ranks_around(values):
    table = table_of(values)
    great, small = friedman_test(table), friedman_test(table, greater_is_better=False)
    assert small.average_ranks == friedman_test(-table).average_ranks
    assert small.statistic == pytest.approx(great.statistic)


@given(st.lists(st.integers(10, 40), min_size=2, max_size=7), st.integers(1, 30))
def test_groups_are_exactly_the_pairs_that_do_not_differ(tenths, difference):
    ranks = {f"m{i}": value / 10 for i, value in enumerate(tenths)}
    groups = groups_not_different(ranks, difference / 10 + 0.05)
    joined = {frozenset((a, b)) for g in groups for a in g for b in g if a != b}
    close = {
        frozenset((a, b))
        for a in ranks
        for b in ranks
        if a != b and abs(ranks[a] - ranks[b]) < difference / 10 + 0.05
    }
    assert joined == close
    assert not any(set(g) < set(h) for g in groups for h in groups)
